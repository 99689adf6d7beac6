import type { ServiceChangeDetail } from '../changes/pilotless-event';
import type { PushRequest, TriggerReason } from './push-request';

/** What a push has to know of a change. */
export type ChangeToPush = {
  readonly metadata: Pick<ServiceChangeDetail['metadata'], 'at'>;
  readonly service: Pick<ServiceChangeDetail['service'], 'hostname' | 'namespace'>;
  readonly change: Pick<ServiceChangeDetail['change'], 'push'>;
};

/**
 * What a control plane has to do about one change: endpoints alone are an incremental push of that service, everything
 * else a full one (Istio `pilot/pkg/bootstrap`, initRegistryEventHandlers; `pilot/pkg/xds`, EDSUpdate).
 */
export function pushRequestOf({ metadata, service, change }: ChangeToPush, pushId: string): PushRequest {
  const full = change.push === 'full';
  const kind = full ? 'ServiceEntry' : 'Endpoints';
  return {
    full,
    all: false,
    configsUpdated: [{ kind, name: service.hostname, namespace: service.namespace }],
    reason: { [full ? 'service' : 'endpoint']: 1 },
    start: metadata.at,
    pushId,
  };
}

/** A push of everything, e.g. when nobody can tell what a listener has missed. @param start ISO 8601 */
export function pushRequestOfAll(reason: TriggerReason, start: string, pushId: string): PushRequest {
  return { full: true, all: true, configsUpdated: [], reason: { [reason]: 1 }, start, pushId };
}
