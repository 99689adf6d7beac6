import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Clock } from '../../runtime/clock';
import { systemClock } from '../../runtime/system-clock';
import { concurrentMap } from './concurrent-map';
import { FILE_CONCURRENCY, lookAtFolders, type FolderLook, type FolderRoot } from './folder-look';
import { FolderReading, isMoving, SETTLE_MS } from './folder-reading';
import type { ManifestListing, ManifestSource } from './manifest-source';

/** After so many looks a file that still changes counts as unreadable. */
const MAX_ROUNDS = 3;

export type FolderOptions = {
  /** What relative paths are relative to. */
  readonly baseDir: string;
  /** Files and folders. */
  readonly paths: readonly string[];
  /** Whether a path that does not exist is empty instead of a failure. @default false */
  readonly mayBeMissing?: boolean;
  /** @default the system's */
  readonly clock?: Clock;
};

/**
 * Manifests in files and folders. What it returns has stood still: a file that changes during the reading is read again,
 * and is unreadable if it does not come to rest; so is one that vanishes meanwhile.
 */
export class FolderManifestSource implements ManifestSource {
  readonly #roots: readonly FolderRoot[];
  readonly #mayBeMissing: boolean;
  readonly #clock: Clock;

  constructor({ baseDir, paths, mayBeMissing = false, clock = systemClock }: FolderOptions) {
    this.#roots = paths.map((path) => ({ path: resolve(baseDir, path), name: sourceName(baseDir, path) }));
    this.#mayBeMissing = mayBeMissing;
    this.#clock = clock;
  }

  /** @throws AppError `ManifestsMissing` or `ManifestsUnreadable` when a configured path is. */
  async read(known: ReadonlyMap<string, string>, signal: AbortSignal): Promise<ManifestListing> {
    const reading = new FolderReading(known);
    let look = await this.#look(reading, signal);
    let missing = reading.misses(look);
    for (let round = 1; ; round += 1) {
      if (missing || this.#isMoving(look)) {
        await this.#clock.delay(SETTLE_MS, signal);
        look = await this.#look(reading, signal);
        missing = false;
      }
      const now = this.#clock.now();
      const wanted = reading.wanted(look, now);
      await concurrentMap(wanted, FILE_CONCURRENCY, (file) => reading.load(file, now, signal));
      if (wanted.length > 0) look = await this.#look(reading, signal);
      if (round === MAX_ROUNDS || reading.isComplete(look)) return reading.listing(look);
    }
  }

  async #look(reading: FolderReading, signal: AbortSignal): Promise<FolderLook> {
    signal.throwIfAborted();
    const look = await lookAtFolders(this.#roots, this.#mayBeMissing);
    reading.saw(look);
    return look;
  }

  #isMoving(look: FolderLook): boolean {
    const now = this.#clock.now();
    return [...look.files.values()].some((file) => isMoving(file, now));
  }
}

/** The path as tables and messages show it: relative to the base where it lies below, with `/` on every system. */
function sourceName(baseDir: string, path: string): string {
  const absolute = resolve(baseDir, path);
  const below = relative(baseDir, absolute);
  const outside = below === '' || below.startsWith('..') || isAbsolute(below);
  return (outside ? absolute : below).split(sep).join('/');
}
