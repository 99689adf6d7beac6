import { AppError } from '../model/app-error';
import type { Note } from '../model/note';
import type { RegistryId } from '../model/registry-id';
import type { Unreadable } from '../model/registry-row';
import type { ServiceKey } from '../model/service-key';
import type { ServiceSnapshot } from '../model/service-snapshot';
import type { RegistryReading } from '../registries/registry';
import type { ReadingKind } from './decide-removals';
import type { KnownSnapshots } from './removal-guard';

/** What a reading says of each service that it says anything of. */
export type ReadingContent = {
  readonly kind: ReadingKind;
  readonly present: ReadonlyMap<ServiceKey, ServiceSnapshot>;
  /** Known services that the reading lacks, or that a delta removes. */
  readonly gone: ReadonlySet<ServiceKey>;
  /** Services of which it holds two different snapshots: nobody knows which is right. */
  readonly contradicted: ReadonlySet<ServiceKey>;
  readonly unreadable: readonly Unreadable[];
  readonly notes: readonly Note[];
};

/**
 * Sorts out a reading. A full one that holds two different snapshots of a service is partial: that service could not be
 * read, the others could. The sources that a delta cannot speak of are those of the last full reading.
 *
 * @throws AppError `InvalidReadingError` when a snapshot is of another registry, or a delta contradicts itself. A full
 * reading has to follow the latter, since what the delta meant is lost.
 */
export function contentOf(
  reading: RegistryReading,
  known: KnownSnapshots,
  registry: RegistryId,
  unreadableBefore: readonly Unreadable[],
): ReadingContent {
  const { present, contradicted } = distinct(reading.type === 'full' ? reading.snapshots : reading.upserts, registry);
  if (reading.type === 'full') {
    const gone = [...known.keys()].filter((key) => !present.has(key) && !contradicted.has(key));
    const unreadable = [...reading.unreadable, ...[...contradicted].map(contradictionOf)];
    const kind = unreadable.length === 0 ? 'complete' : 'partial';
    return { kind, present, gone: new Set(gone), contradicted, unreadable, notes: reading.notes };
  }
  const both = reading.removals.find((key) => present.has(key)) ?? [...contradicted][0];
  if (both !== undefined) throw invalid(`A change of ${registry} says two different things of ${both}`, registry, both);
  const gone = reading.removals.filter((key) => known.has(key));
  return {
    kind: 'delta',
    present,
    gone: new Set(gone),
    contradicted,
    unreadable: unreadableBefore,
    notes: reading.notes,
  };
}

function distinct(
  snapshots: readonly ServiceSnapshot[],
  registry: RegistryId,
): Pick<ReadingContent, 'present' | 'contradicted'> {
  const present = new Map<ServiceKey, ServiceSnapshot>();
  const contradicted = new Set<ServiceKey>();
  for (const snapshot of snapshots) {
    if (snapshot.registry !== registry) {
      const message = `A reading of ${registry} holds ${snapshot.key} of ${snapshot.registry}; allowed: its own services`;
      throw invalid(message, registry, snapshot.key);
    }
    const other = present.get(snapshot.key);
    if (other !== undefined && other.hash !== snapshot.hash) contradicted.add(snapshot.key);
    else present.set(snapshot.key, snapshot);
  }
  for (const key of contradicted) present.delete(key);
  return { present, contradicted };
}

function contradictionOf(key: ServiceKey): Unreadable {
  return { source: key, reason: 'The reading holds two different snapshots of this service; it stays as it was' };
}

function invalid(message: string, registry: RegistryId, service: ServiceKey): AppError {
  return new AppError(message, { code: 'InvalidReadingError', details: { registry, service } });
}
