import type { EventPublisher } from '../changes/event-publisher';
import type { Registry } from '../registries/registry';
import type { Clock } from '../runtime/clock';
import type { Log } from '../runtime/log';
import type { Metrics } from '../runtime/metrics';
import type { SnapshotStore } from '../snapshots/snapshot-store';
import type { Lease } from './lease';
import type { PollSettings } from './poll-settings';
import type { RegistryStore } from './registry-store';
import type { RunControl } from './run-control';
import type { RunMemory } from './run-memory';

/** What a poller is made of. */
export type PollParts = {
  readonly registry: Registry;
  readonly registries: RegistryStore;
  readonly snapshots: SnapshotStore;
  readonly events: EventPublisher;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** A random number from 0 to 1. */
  readonly random: () => number;
};

/** A run that has the lease: what it works with and what it remembers. */
export type PollRun = {
  readonly parts: PollParts;
  readonly settings: PollSettings;
  readonly lease: Lease;
  readonly memory: RunMemory;
  readonly control: RunControl;
  /** Reads once: whatever is written of the row goes along with giving back the lease. */
  readonly once: boolean;
};
