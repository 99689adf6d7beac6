import type { SnapshotTombstone, StoredSnapshot } from '../model/service-snapshot';
import { SupersededError } from '../polling/registry-store';

/** Why a snapshot or tombstone was refused: a run with a higher generation has written the same item. */
export function supersededSnapshot(refused: SnapshotTombstone | StoredSnapshot): SupersededError {
  const { registry, key, generation } = refused;
  return new SupersededError(
    `Snapshots item ${registry} ${key} was written by a newer run than generation ${generation}; this run ends`,
    { registry, key, generation },
  );
}
