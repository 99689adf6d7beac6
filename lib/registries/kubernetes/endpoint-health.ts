import type { Health } from '../../model/endpoint';
import type { KubeService, KubeSliceEndpoint } from './kube-objects';
import { resolutionOf } from './convert-service';

/** Labels that turn persistent sessions on (Istio PILOT_PERSISTENT_SESSION_LABEL and …_HEADER_LABEL, their defaults). */
const PERSISTENT_SESSION_LABELS = ['istio.io/persistent-session', 'istio.io/persistent-session-header'];

/**
 * Health of a slice's endpoint, first match (Istio `kube/controller/endpointslice.go`, endpointHealthStatus). A condition
 * that is missing counts as true, as the EndpointSlice API says. Draining exists only where persistent sessions are on.
 */
export function endpointHealth(
  service: Pick<KubeService, 'labels'>,
  conditions: Pick<KubeSliceEndpoint, 'ready' | 'serving' | 'terminating'>,
): Health {
  const { ready = true, serving = true, terminating = true } = conditions;
  if (ready) return 'Healthy';
  if (serving && terminating && drains(service)) return 'Draining';
  return terminating ? 'Terminating' : 'UnHealthy';
}

/**
 * Whether endpoints of that health are published. Terminating ones of headless services are: clients hold connections to
 * them, which would lose account and TLS mode (istio 47379).
 */
export function isPublished(service: KubeService, health: Health, publishUnhealthy: boolean): boolean {
  switch (health) {
    case 'Healthy':
    case 'Draining':
      return true;
    case 'Terminating':
      return publishUnhealthy || resolutionOf(service) === 'Passthrough';
    case 'UnHealthy':
      return publishUnhealthy;
  }
}

function drains(service: Pick<KubeService, 'labels'>): boolean {
  return PERSISTENT_SESSION_LABELS.some((label) => (service.labels[label] ?? '') !== '');
}
