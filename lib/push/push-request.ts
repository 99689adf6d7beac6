/** Why a push was requested (Istio `model.TriggerReason`, those that service discovery has). */
export const TRIGGER_REASONS = ['service', 'endpoint', 'registry', 'global'] as const;

export type TriggerReason = (typeof TRIGGER_REASONS)[number];

/** What changed. `name` is the host name. */
export type ConfigKey = {
  readonly kind: 'ServiceEntry' | 'Endpoints';
  readonly name: string;
  readonly namespace: string;
};

/**
 * What a control plane acts on. "Everything" is said only by `all`, never by an empty `configsUpdated`; a request with
 * neither does not exist.
 */
export type PushRequest = {
  /** Clusters, listeners and routes have to be computed anew, not endpoints alone. */
  readonly full: boolean;
  /** Everything may have changed; `configsUpdated` is then empty. */
  readonly all: boolean;
  /** By namespace, name, kind. */
  readonly configsUpdated: readonly ConfigKey[];
  /** How many changes of each kind were merged. */
  readonly reason: Readonly<Partial<Record<TriggerReason, number>>>;
  /** When the earliest of the merged changes happened, ISO 8601. */
  readonly start: string;
  readonly pushId: string;
};
