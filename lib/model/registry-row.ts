import type { RegistryId } from './registry-id';

export const REGISTRY_STATES = ['never-synced', 'synced', 'degraded', 'failed', 'paused', 'removed'] as const;

/** `degraded` = the last reading was partial, or removals are held. */
export type RegistryState = (typeof REGISTRY_STATES)[number];

export const POLL_MODES = ['poll', 'watch'] as const;

export type PollMode = (typeof POLL_MODES)[number];

/** A source that could not be read, and why. A name that ends in `/` stands for everything below it. */
export type Unreadable = {
  readonly source: string;
  readonly reason: string;
  /**
   * Set when part of the source was read (a list that permissions cut short): snapshots that name it are good and are
   * written; a service missing from the reading may only be hidden, and stays.
   */
  readonly seenInPart?: true;
};

/** Removals that the guard holds back, see DESIGN "removal guard". */
export type Held = {
  /** How many services are missing from the registry but still in the catalog. */
  readonly services: number;
  /** How many endpoints are. */
  readonly endpoints: number;
  /** At most ten service keys of those held. */
  readonly sample: readonly string[];
  /** Names the held removals: readings with the same hash agree. */
  readonly hash: string;
  readonly since: string;
  /** Consecutive complete full readings that agreed so far. */
  readonly confirmations: number;
  /** When the first of those was made. */
  readonly confirmedSince: string;
};

/** The row of a registry: what its poller last did and found. Times are ISO 8601. */
export type RegistryRow = {
  readonly registry: RegistryId;
  readonly state: RegistryState;
  readonly precedence: number;
  readonly mode: PollMode;
  readonly configVersion: string;
  /** Fencing number; grows with every run. */
  readonly generation: number;
  readonly leaseOwner?: string;
  /** Counts renewals; a contender judges expiry by this standing still. */
  readonly leaseRenewals: number;
  readonly leaseUntil?: string;
  readonly runStartedAt?: string;
  /** Set by a run that wants to take over; the holder ends when it sees it. */
  readonly handover?: string;
  /** A full reading is wanted by whoever set it. */
  readonly requestedAt?: string;
  /** Hash of the held removals that a person approved. */
  readonly approvedHold?: string;
  readonly pollId?: string;
  readonly lastAttemptAt?: string;
  readonly lastSuccessAt?: string;
  readonly lastChangeAt?: string;
  readonly lastError?: { readonly code: string; readonly message: string };
  readonly consecutiveFailures: number;
  readonly services: number;
  readonly endpoints: number;
  /** Requests that the last reading cost the registry. */
  readonly requests: number;
  /** How long the last reading took. */
  readonly durationMs: number;
  /** The first 20. */
  readonly unreadable: readonly Unreadable[];
  readonly unreadableCount: number;
  readonly held?: Held;
};

export const MAX_UNREADABLE_LISTED = 20;
