import type { ProviderId } from '../model/provider-id';
import type { RegistryId } from '../model/registry-id';
import type { PollMode } from '../model/registry-row';
import type { GuardPolicy } from '../polling/poll-settings';

/** One registry of the configuration, defaults applied. Durations in milliseconds. */
export type RegistryConfiguration = {
  readonly id: RegistryId;
  readonly provider: ProviderId;
  /** The provider that the document lists it under, whose settings it has: another one for a companion. */
  readonly listedAs: ProviderId;
  readonly cluster: string;
  readonly mode: PollMode;
  readonly intervalMs: number;
  readonly maxRunMs: number;
  /** Absent = the registry's data never expires. */
  readonly expireAfterMs?: number;
  /** Not read; its data stays as it is. */
  readonly paused: boolean;
  readonly domainSuffix: string;
  readonly trustDomain: string;
  readonly guard: GuardPolicy;
  /** Position in the order of merging: Kubernetes registries first, each group in configuration order. */
  readonly precedence: number;
  /** Names everything above and the settings; another version takes over from a running one. On AWS the code is named, too. */
  readonly configVersion: string;
  /** The keys of the provider's own, as its `settings` schema gave them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The same as they stand in the document: what a process that is handed its registry parses by the schema itself. */
  readonly writtenSettings: Readonly<Record<string, unknown>>;
};

/** The whole configuration document, defaults applied. */
export type Configuration = {
  readonly domainSuffix: string;
  readonly trustDomain: string;
  readonly registries: readonly RegistryConfiguration[];
  readonly push: { readonly quietMs: number; readonly maxMs: number };
  readonly guard: GuardPolicy;
};
