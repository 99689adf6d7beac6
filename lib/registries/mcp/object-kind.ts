import { decodeServiceEntry, decodeWorkloadEntry, type Decoded, type RawEntry } from '../external/decode-entry';
import type { ServiceEntry, WorkloadEntry } from '../external/entries';
import { validateServiceEntry } from '../external/validate-service-entry';
import { validateWorkloadEntry } from '../external/validate-workload-entry';
import type { Validation } from '../external/validation';
import type { MessageName } from './xds-messages';
import { syntheticService } from './synthetic-entry';

/** One of the two kinds of objects that are read: how it is asked for, told, decoded and judged. */
export type ObjectKind<Entry> = {
  readonly name: 'ServiceEntry' | 'WorkloadEntry';
  /** What to ask for: group, version and kind (istio pkg/config/schema/gvk). */
  readonly typeUrl: string;
  /** The message that its spec is. */
  readonly message: MessageName;
  readonly decode: (object: RawEntry, source: string) => Decoded<Entry>;
  readonly validate: (entry: Entry) => Validation;
};

export const SERVICE_ENTRY: ObjectKind<ServiceEntry> = {
  name: 'ServiceEntry',
  typeUrl: 'networking.istio.io/v1/ServiceEntry',
  message: 'istio.networking.v1alpha3.ServiceEntry',
  decode: decodeServiceEntry,
  validate: (entry) => (syntheticService(entry) === undefined ? validateServiceEntry(entry) : NO_FINDINGS),
};

export const WORKLOAD_ENTRY: ObjectKind<WorkloadEntry> = {
  name: 'WorkloadEntry',
  typeUrl: 'networking.istio.io/v1/WorkloadEntry',
  message: 'istio.networking.v1alpha3.WorkloadEntry',
  decode: (object, source) => takenAsHealthy(decodeWorkloadEntry(object, source)),
  validate: (entry) => {
    const { problems, notes } = validateWorkloadEntry(entry);
    return { problems, notes: [...notes, ...healthNotes(entry)] };
  },
};

/** Kubernetes has validated its services, and what istiod writes for "none" and "sniff" is no entry that a person may write. */
const NO_FINDINGS: Validation = { problems: [], notes: [] };

/**
 * A status does not come over xDS, so that nobody knows whether a workload with health checks has passed them. Taken for
 * unhealthy, it would be missing for ever.
 */
function takenAsHealthy(decoded: Decoded<WorkloadEntry>): Decoded<WorkloadEntry> {
  if ('problems' in decoded) return decoded;
  return { value: { ...decoded.value, conditions: [{ type: 'Healthy', status: 'True' }] } };
}

const HEALTH_CHECKS_ANNOTATION = 'proxy.istio.io/health-checks-enabled';

function healthNotes({ annotations }: WorkloadEntry): Validation['notes'] {
  if (annotations[HEALTH_CHECKS_ANNOTATION] === undefined) return [];
  const message = 'its health is checked, but the result does not come over xDS: it is taken for healthy';
  return [{ code: 'WorkloadHealthUnknown', message }];
}
