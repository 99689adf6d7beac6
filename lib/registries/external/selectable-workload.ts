import type { Health, WorkloadName } from '../../model/endpoint';
import { makeLabels, type Labels } from '../../model/labels';
import { spiffeId } from '../../model/spiffe';
import { UNIX_PREFIX, type WorkloadEntry } from './entries';
import type { WorkloadEntrySpec } from './entry-schema';

/**
 * Something that runs and that a selector can find: a WorkloadEntry, or a Pod where the source is a cluster. It becomes an
 * endpoint of each service that selects it. Only what may serve is a workload: whoever makes one leaves out the unhealthy
 * and the terminating.
 */
export type SelectableWorkload = {
  /** Where selectors look for it; also that of its identity. */
  readonly namespace: string;
  /** What selectors compare, and the labels of the endpoint. */
  readonly labels: Labels;
  /** At least one: IPs, a host name, the path of a unix socket (without `unix://`); empty for what only a network's gateway reaches. */
  readonly addresses: readonly string[];
  /** Port name → port of the workload. */
  readonly ports: Readonly<Record<string, number>>;
  readonly workload: WorkloadName;
  readonly locality: string;
  readonly network: string;
  /** As given; 0 counts as 1. */
  readonly weight: number;
  readonly tlsMode: string;
  /** SPIFFE identity, or empty. */
  readonly serviceAccount: string;
  readonly health?: Health;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly node?: string;
  /** Everything that it was read from; becomes part of the sources of the services that select it. */
  readonly sources: readonly string[];
};

const HEALTH_CHECKS_ANNOTATION = 'proxy.istio.io/health-checks-enabled';
const AUTO_REGISTRATION_GROUP_ANNOTATION = 'istio.io/autoRegistrationGroup';
const WORKLOAD_NAME_LABEL = 'service.istio.io/workload-name';
const TLS_MODE_LABEL = 'security.istio.io/tlsMode';
const LOCALITY_LABEL = 'topology.istio.io/locality';
const OLD_LOCALITY_LABEL = 'istio-locality';

/** What Go's strconv.ParseBool takes for true. */
const GO_TRUE: readonly (string | undefined)[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];

/**
 * The workload that a WorkloadEntry stands for; `undefined` when it asks for health checks and none has found it healthy
 * yet (Istio serviceentry/conversion.go, isHealthy).
 */
export function workloadOfEntry(entry: WorkloadEntry, trustDomain: string): SelectableWorkload | undefined {
  if (!isHealthy(entry)) return undefined;
  const labels = { ...entry.spec.labels, ...entry.labels };
  const name = entry.annotations[AUTO_REGISTRATION_GROUP_ANNOTATION] ?? entry.labels[WORKLOAD_NAME_LABEL] ?? entry.name;
  return workloadOfSpec({ ...entry.spec, labels }, { ...entry, name }, trustDomain);
}

/** The workload that an endpoint written into a ServiceEntry stands for, or a WorkloadEntry with its final labels. */
export function workloadOfSpec(
  spec: WorkloadEntrySpec,
  owner: { readonly name: string; readonly namespace: string; readonly source: string },
  trustDomain: string,
): SelectableWorkload {
  return {
    namespace: owner.namespace,
    labels: makeLabels(spec.labels),
    addresses: [spec.address.startsWith(UNIX_PREFIX) ? spec.address.slice(UNIX_PREFIX.length) : spec.address],
    ports: spec.ports,
    workload: { name: owner.name, namespace: owner.namespace },
    locality: spec.locality === '' ? localityOfLabels(spec.labels) : spec.locality,
    network: spec.network,
    weight: spec.weight,
    tlsMode: spec.labels[TLS_MODE_LABEL] ?? (spec.serviceAccount === '' ? 'disabled' : 'istio'),
    serviceAccount: spec.serviceAccount === '' ? '' : spiffeId(trustDomain, owner.namespace, spec.serviceAccount),
    sources: [owner.source],
  };
}

function isHealthy({ annotations, conditions }: WorkloadEntry): boolean {
  if (!GO_TRUE.includes(annotations[HEALTH_CHECKS_ANNOTATION])) return true;
  return conditions.find(({ type }) => type === 'Healthy')?.status === 'True';
}

/** Label values cannot hold a `/`, so that a locality without one is written with dots (Istio SanitizeLocalityLabel). */
function localityOfLabels(labels: Labels): string {
  const label = labels[LOCALITY_LABEL] ?? labels[OLD_LOCALITY_LABEL] ?? '';
  return label.includes('/') ? label : label.replaceAll('.', '/');
}
