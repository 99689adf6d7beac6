import { readFile } from 'node:fs/promises';
import { sortedUnique } from '../../model/compare';
import type { Unreadable } from '../../model/registry-row';
import { describeFault, type FolderLook, type FoundFile } from './folder-look';
import { MAX_MANIFEST_BYTES, oversizeReason, type ManifestFile, type ManifestListing } from './manifest-source';

/**
 * A file that was written less than this ago may be half written, one that is gone may be about to be put back (many
 * editors save by moving the old file away first): look again after this time. Far longer than a save takes, and within
 * the 250 ms that the embedded server has from a change to its event.
 */
export const SETTLE_MS = 50;

/** The coarsest clock of a file system in use (FAT: 2 s). A file younger than this may change without showing it. */
export const COARSEST_TICK_MS = 2000;

type LoadedFile = { readonly signature: string; readonly version: string } & (
  { readonly contents: Uint8Array } | { readonly reason: string }
);

/** What one reading of folders has seen and loaded so far. */
export class FolderReading {
  readonly #known: ReadonlyMap<string, string>;
  readonly #seen = new Set<string>();
  readonly #loaded = new Map<string, LoadedFile>();
  #bytes = 0;
  #requests = 0;

  constructor(known: ReadonlyMap<string, string>) {
    this.#known = known;
  }

  /** Remembers what was there, so that nothing that vanishes later counts as absent in this reading. */
  saw(look: FolderLook): void {
    for (const source of look.files.keys()) this.#seen.add(source);
  }

  /** Whether known files are not there: gone, or just being replaced. */
  misses(look: FolderLook): boolean {
    return [...this.#known.keys()].some((source) => !look.files.has(source));
  }

  /** The files to load: new or changed since they were known, and at rest. */
  wanted(look: FolderLook, now: number): readonly FoundFile[] {
    return [...look.files.values()].filter((file) => !this.#isSettled(file) && !isMoving(file, now));
  }

  async load(file: FoundFile, now: number, signal: AbortSignal): Promise<void> {
    const { source, signature } = file;
    const version = now - file.modifiedMs < COARSEST_TICK_MS ? `${signature} young` : signature;
    this.#requests += 1;
    try {
      const contents = await readFile(file.path, { signal });
      this.#bytes += contents.byteLength;
      this.#loaded.set(source, { signature, version, contents });
    } catch (error) {
      signal.throwIfAborted();
      this.#loaded.set(source, { signature, version, reason: describeFault(error) });
    }
  }

  /** Whether everything that is there has been loaded as it is there. */
  isComplete(look: FolderLook): boolean {
    return [...look.files.values()].every((file) => this.#isSettled(file));
  }

  listing(look: FolderLook): ManifestListing {
    const outcomes = sortedUnique([...this.#seen, ...look.files.keys()]).map((source) =>
      this.#outcome(source, look.files.get(source)),
    );
    return {
      files: outcomes.filter((outcome) => 'version' in outcome),
      unreadable: [...look.unreadable, ...outcomes.filter((outcome) => 'reason' in outcome)],
      notes: look.notes,
      cost: { requests: this.#requests, bytes: this.#bytes },
    };
  }

  #isSettled({ source, signature, size }: FoundFile): boolean {
    return (
      size > MAX_MANIFEST_BYTES ||
      this.#known.get(source) === signature ||
      this.#loaded.get(source)?.signature === signature
    );
  }

  #outcome(source: string, file: FoundFile | undefined): ManifestFile | Unreadable {
    if (file === undefined) return { source, reason: 'it vanished while it was read' };
    if (file.size > MAX_MANIFEST_BYTES) return { source, reason: oversizeReason(file.size) };
    if (this.#known.get(source) === file.signature) return { source, version: file.signature };
    const loaded = this.#loaded.get(source);
    if (loaded?.signature !== file.signature) return { source, reason: 'it is being written' };
    return 'reason' in loaded
      ? { source, reason: loaded.reason }
      : { source, version: loaded.version, contents: loaded.contents };
  }
}

/** Whether any file is so young that it may still be half written. */
export function isMoving({ modifiedMs }: FoundFile, now: number): boolean {
  return Math.abs(now - modifiedMs) < SETTLE_MS;
}
