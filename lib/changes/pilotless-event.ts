import type { MergedService } from '../model/catalog-entry';
import type { Health } from '../model/endpoint';
import type { RegistryId } from '../model/registry-id';
import type { Held, RegistryState } from '../model/registry-row';
import type { ServiceKey } from '../model/service-key';
import type { PushRequest } from '../push/push-request';

/** Version of the events' shape; grows only when a consumer could break. */
export const EVENT_SCHEMA = 1;

/** `source` of every event on the bus. */
export const EVENT_SOURCE = 'pilotless';

export const SERVICE_CHANGE_TYPES = [
  'Service Added',
  'Service Updated',
  'Service Deleted',
  'Endpoints Changed',
] as const;

export const REGISTRY_EVENT_TYPES = [
  'Registry Failed',
  'Registry Recovered',
  'Removal Held',
  'Removal Released',
] as const;

export const PUSH_EVENT_TYPE = 'Push Requested';

export type ServiceChangeType = (typeof SERVICE_CHANGE_TYPES)[number];
export type RegistryEventType = (typeof REGISTRY_EVENT_TYPES)[number];
export type EventType = ServiceChangeType | RegistryEventType | typeof PUSH_EVENT_TYPE;

export type EventMetadata = {
  readonly schema: number;
  /** Deterministic: the same occurrence sent twice has the same id. */
  readonly id: string;
  /** When the event was made, ISO 8601. */
  readonly at: string;
  /** The `pollId` of the reading behind it; for a push request its `pushId`. */
  readonly correlationId: string;
};

/** An endpoint in an event: enough to find it, not all that is known of it. */
export type EndpointSummary = {
  readonly address: string;
  readonly port: number;
  readonly servicePort: string;
  /** `namespace/name`. */
  readonly workload: string;
  readonly registry: RegistryId;
  readonly health: Health;
};

export type EndpointsChange = {
  readonly before: number;
  readonly after: number;
  readonly added: readonly EndpointSummary[];
  readonly removed: readonly EndpointSummary[];
  /** Same endpoint (workload, first address, service port), other content; as it is now. */
  readonly changed: readonly EndpointSummary[];
  /** Lists were cut to keep the event under 64 KB; `counts` are always whole. */
  readonly truncated: boolean;
  readonly counts: { readonly added: number; readonly removed: number; readonly changed: number };
};

/** The service without its endpoints and provenance, as it is after the change; of a deletion: as it was before. */
export type ServiceState = Omit<MergedService, 'key' | 'hash' | 'registries' | 'endpoints'>;

export type ServiceChangeDetail = {
  readonly metadata: EventMetadata & {
    readonly cause: { readonly registry: RegistryId; readonly observedAt: string };
  };
  readonly service: {
    readonly key: ServiceKey;
    readonly hostname: string;
    readonly namespace: string;
    readonly version: number;
  };
  readonly change: {
    readonly type: ServiceChangeType;
    /** Names of the members that differ, sorted; empty when the service was added or deleted. */
    readonly fields: readonly string[];
    /** Whether configuration other than endpoints has to be pushed. */
    readonly push: 'full' | 'incremental';
    readonly endpoints: EndpointsChange;
  };
  readonly state: ServiceState;
  /** Lists or strings of `state` were cut to keep the event under 64 KB. */
  readonly stateTruncated: boolean;
};

export type ServiceChangeEvent = { readonly type: ServiceChangeType; readonly detail: ServiceChangeDetail };

export type RegistryDetail = {
  readonly metadata: EventMetadata;
  readonly registry: { readonly id: RegistryId; readonly state: RegistryState };
  /** Why it failed. */
  readonly error?: { readonly code: string; readonly message: string };
  /** What is held, or was released. */
  readonly held?: Held;
  /** Why held removals were released. */
  readonly released?: 'confirmed' | 'approved' | 'returned' | 'expired';
};

export type RegistryEvent = { readonly type: RegistryEventType; readonly detail: RegistryDetail };

export type PushRequestedEvent = {
  readonly type: typeof PUSH_EVENT_TYPE;
  readonly detail: { readonly metadata: EventMetadata; readonly push: PushRequest };
};

/** Everything that Pilotless puts on the bus; `type` becomes the detail-type. */
export type PilotlessEvent = ServiceChangeEvent | RegistryEvent | PushRequestedEvent;

/** Whether the event tells of a change of a service. */
export function isServiceChange(event: PilotlessEvent): event is ServiceChangeEvent {
  return SERVICE_CHANGE_TYPES.some((type) => type === event.type);
}
