import type { RegistryRow } from '../../lib/model/registry-row';
import { Lease } from '../../lib/polling/lease';
import { MemoryRegistryStore } from '../../lib/polling/memory-registry-store';
import { RunControl } from '../../lib/polling/run-control';
import { CollectedLog } from './collected-log';
import { REGISTRY } from './readings';
import { VirtualClock } from './virtual-clock';
import { WatchedRegistries, type Gate } from './watched-stores';

/** A lease that a run named `me` has just taken, in virtual time. `gate` stands before the table for this run alone. */
export class HeldLease {
  readonly clock: VirtualClock;
  readonly log = new CollectedLog();
  readonly control = new RunControl();
  /** The table itself. */
  readonly rows: MemoryRegistryStore;
  /** Rows that the lease has passed on, and the names of the calls that it made. */
  readonly seen: RegistryRow[] = [];
  readonly calls: string[] = [];
  gate: Gate = {};
  readonly lease: Lease;

  static async take(): Promise<HeldLease> {
    const rows = new MemoryRegistryStore();
    const clock = new VirtualClock();
    const row = await acquire(rows, clock, 'me');
    return new HeldLease(rows, clock, row);
  }

  private constructor(rows: MemoryRegistryStore, clock: VirtualClock, row: RegistryRow) {
    this.rows = rows;
    this.clock = clock;
    const door: Gate = {
      before: async (call) => {
        this.calls.push(call.name);
        await this.gate.before?.(call);
      },
      after: (call) => this.gate.after?.(call),
    };
    this.lease = new Lease({ registries: new WatchedRegistries(rows, door), clock }, row, 'me', (seen) => {
      this.seen.push(seen);
    });
  }

  /** The row as it stands in the table. */
  async row(): Promise<RegistryRow> {
    const row = await this.rows.get(REGISTRY);
    if (row === undefined) throw new Error('the registry has no row');
    return row;
  }

  /** Lets no call of the run reach the table, until another gate is set. */
  lock(): void {
    this.gate = {
      before: () => {
        throw new Error('no way to the table');
      },
    };
  }

  /** Another run, `you`, breaks the lease. */
  async breakLease(): Promise<void> {
    const { leaseOwner: owner = '', leaseRenewals: renewals } = await this.row();
    await acquire(this.rows, this.clock, 'you', { owner, renewals });
  }
}

async function acquire(
  rows: MemoryRegistryStore,
  clock: VirtualClock,
  owner: string,
  broken?: { readonly owner: string; readonly renewals: number },
): Promise<RegistryRow> {
  const row = await rows.acquire({
    registry: REGISTRY,
    owner,
    leaseUntil: clock.iso(30_000),
    runStartedAt: clock.iso(),
    precedence: 0,
    mode: 'poll',
    configVersion: 'v1',
    ...(broken === undefined ? {} : { broken }),
  });
  if (row === undefined) throw new Error('the lease was not to be had');
  return row;
}
