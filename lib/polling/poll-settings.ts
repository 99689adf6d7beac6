import type { RegistryId } from '../model/registry-id';
import type { PollMode } from '../model/registry-row';

/** When mass removals are held back (DESIGN "Removal guard"). Both limits have to be exceeded. */
export type GuardPolicy = {
  readonly maxRemovedPercent: number;
  readonly maxRemoved: number;
  readonly confirmations: number;
  readonly minHoldMs: number;
  readonly maxHoldMs: number;
};

export const DEFAULT_GUARD: GuardPolicy = {
  maxRemovedPercent: 30,
  maxRemoved: 10,
  confirmations: 3,
  minHoldMs: 60_000,
  maxHoldMs: 15 * 60_000,
};

/** How a registry is polled: its part of the configuration, after defaults. */
export type PollSettings = {
  readonly registry: RegistryId;
  readonly mode: PollMode;
  readonly intervalMs: number;
  /** How long a run may last. Infinity in the embedded server. */
  readonly maxRunMs: number;
  /** Position in the order of merging; the lower one wins. */
  readonly precedence: number;
  /** Names the configuration, on AWS with the code; a run of another one is asked to hand over. */
  readonly configVersion: string;
  readonly guard: GuardPolicy;
  /**
   * How long one full reading may take before it counts as failed.
   * @default 120000
   */
  readonly readTimeoutMs?: number;
  /** After this long without a good reading the registry's endpoints leave, gradually; absent = never. */
  readonly expireAfterMs?: number;
};
