import type { ServiceKey } from '../model/service-key';
import { makeServiceSnapshot, type ServiceSnapshot, type StoredSnapshot } from '../model/service-snapshot';
import { ItemTooLargeError } from '../model/store-errors';
import type { SnapshotStore } from '../snapshots/snapshot-store';
import { forEachBounded } from './for-each-bounded';
import type { PlannedTrim } from './plan-expiry';
import { accountsToWrite, isEqual, type SnapshotPlan } from './plan-snapshot-writes';
import type { Lease } from './lease';
import { SupersededError } from './registry-store';
import type { RunMemory } from './run-memory';
import { uniteSnapshots } from './unite-snapshots';

/** What the items of one reading are written with. */
export type WriteContext = {
  readonly snapshots: SnapshotStore;
  readonly memory: RunMemory;
  readonly lease: Pick<Lease, 'fence' | 'confirm'>;
  readonly precedence: number;
  readonly pollId: string;
  /** When the registry was read, ISO 8601 and in milliseconds. */
  readonly observedAt: string;
  readonly observedMs: number;
  /** Nothing further is begun after it has aborted. */
  readonly signal: AbortSignal;
};

export type FailedWrite = { readonly key: ServiceKey; readonly error: unknown };

export type WriteResult = {
  readonly puts: number;
  readonly removals: number;
  /** What could not be written; everything else was. */
  readonly failed: readonly FailedWrite[];
  /** The signal aborted first: some was not even tried. */
  readonly interrupted: boolean;
};

type Task = { readonly key: ServiceKey; readonly run: () => Promise<'put' | 'removal' | 'nothing'> };

/** Writes at a time: a third of the connections that the AWS SDK opens to one host (`maxSockets`, 50). */
const CONCURRENCY = 16;

/**
 * Writes what was planned: first what there is, then what has gone, so that a service that moves to another key is never
 * absent. Each write that succeeds is remembered at once; one that fails does not stop the others. A snapshot that was
 * refused as too large is not offered again until it is another one.
 *
 * @throws SupersededError as soon as a write is refused because a newer run has taken over.
 */
export async function applySnapshotWrites(plan: SnapshotPlan, context: WriteContext): Promise<WriteResult> {
  const puts = plan.puts.map(({ snapshot, endpointAccounts }): Task => {
    return { key: snapshot.key, run: () => put(snapshot, endpointAccounts, context) };
  });
  const unions = plan.unions.map((fresh): Task => ({ key: fresh.key, run: () => putUnion(fresh, context) }));
  const removals = plan.tombstones.map((key): Task => ({ key, run: () => remove(key, context) }));
  return runInTurn([[...puts, ...unions], removals], context);
}

/** Writes the services with fewer of their endpoints. @throws SupersededError */
export async function applyTrims(trims: readonly PlannedTrim[], context: WriteContext): Promise<WriteResult> {
  return runInTurn([trims.map((trim): Task => ({ key: trim.key, run: () => putTrimmed(trim, context) }))], context);
}

async function put(
  snapshot: ServiceSnapshot,
  endpointAccounts: readonly string[],
  { snapshots, memory, lease, precedence, pollId, observedAt, observedMs }: WriteContext,
): Promise<'put' | 'nothing'> {
  if (memory.refused.get(snapshot.key)?.hash === snapshot.hash) return 'nothing';
  const stored = { ...snapshot, endpointAccounts, precedence, generation: lease.fence.generation, pollId, observedAt };
  await lease.confirm();
  try {
    await snapshots.put(stored);
  } catch (error) {
    if (error instanceof ItemTooLargeError) memory.refused.set(snapshot.key, { hash: snapshot.hash, error });
    throw error;
  }
  memory.written(stored, observedMs);
  return 'put';
}

async function putUnion(fresh: ServiceSnapshot, context: WriteContext): Promise<'put' | 'nothing'> {
  const { memory, precedence } = context;
  if (memory.united.get(fresh.key) === fresh.hash) return 'nothing';
  const stored = await readStored(fresh.key, context);
  const union = stored === undefined ? fresh : uniteSnapshots(stored, fresh);
  const known = memory.known.get(fresh.key);
  const written = isEqual(known, union, precedence)
    ? 'nothing'
    : await put(union, accountsToWrite(known, union), context);
  memory.united.set(fresh.key, fresh.hash);
  return written;
}

async function putTrimmed({ key, keep }: PlannedTrim, context: WriteContext): Promise<'put' | 'nothing'> {
  const stored = await readStored(key, context);
  if (stored === undefined) return 'nothing';
  const trimmed = makeServiceSnapshot({ ...stored, endpoints: stored.endpoints.slice(0, keep) });
  return put(trimmed, accountsToWrite(context.memory.known.get(key), trimmed), context);
}

async function remove(key: ServiceKey, context: WriteContext): Promise<'removal'> {
  const { snapshots, memory, lease, pollId, observedAt, observedMs } = context;
  const { registry, generation } = lease.fence;
  await lease.confirm();
  await snapshots.remove({ key, registry, generation, pollId, removedAt: observedAt });
  memory.removed(key, observedMs);
  return 'removal';
}

async function readStored(key: ServiceKey, { snapshots, lease }: WriteContext): Promise<StoredSnapshot | undefined> {
  const { snapshots: found } = await snapshots.getMany([{ registry: lease.fence.registry, key }]);
  return found[0];
}

/** Runs each list of tasks when the one before it is done. */
async function runInTurn(lists: readonly (readonly Task[])[], { signal, memory }: WriteContext): Promise<WriteResult> {
  const count = { put: 0, removal: 0, nothing: 0 };
  const failed: FailedWrite[] = [];
  let interrupted = false;
  for (const tasks of lists) {
    const all = await forEachBounded(tasks, CONCURRENCY, signal, async ({ key, run }) => {
      try {
        count[await run()] += 1;
      } catch (error) {
        if (error instanceof SupersededError) throw error;
        failed.push({ key, error });
        if (!(error instanceof ItemTooLargeError)) memory.unsure.add(key);
      }
    });
    interrupted ||= !all;
  }
  return { puts: count.put, removals: count.removal, failed, interrupted };
}
