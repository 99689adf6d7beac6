import { createHash } from 'node:crypto';
import type { Note } from '../../lib/model/note';
import type { Unreadable } from '../../lib/model/registry-row';
import {
  isHidden,
  isManifestName,
  type ManifestListing,
  type ManifestSource,
} from '../../lib/registries/external/manifest-source';

/** Manifests in memory, by the rules that folders and buckets follow; for tests of what reads them. */
export class MemoryManifestSource implements ManifestSource {
  readonly #files = new Map<string, Uint8Array>();
  /** Sources that are there but cannot be read. */
  unreadable: readonly Unreadable[] = [];
  notes: readonly Note[] = [];
  /** What the next reading throws. */
  failure: Error | undefined;

  put(name: string, contents: string | Uint8Array): void {
    this.#files.set(name, typeof contents === 'string' ? new TextEncoder().encode(contents) : contents);
  }

  remove(name: string): void {
    this.#files.delete(name);
  }

  read(known: ReadonlyMap<string, string>, signal: AbortSignal): Promise<ManifestListing> {
    return new Promise((resolve) => {
      signal.throwIfAborted();
      if (this.failure !== undefined) throw this.failure;
      const broken = new Set(this.unreadable.map(({ source }) => source));
      const names = [...this.#files.keys()]
        .filter(isReadName)
        .filter((name) => !broken.has(name))
        .sort();
      const files = names.map((source) => {
        const contents = this.#files.get(source) ?? new Uint8Array();
        const version = createHash('sha256').update(contents).digest('hex');
        return known.get(source) === version ? { source, version } : { source, version, contents };
      });
      const loaded = files.flatMap((file) => ('contents' in file ? [file.contents] : []));
      const bytes = loaded.reduce((sum, { byteLength }) => sum + byteLength, 0);
      resolve({ files, unreadable: this.unreadable, notes: this.notes, cost: { requests: loaded.length, bytes } });
    });
  }
}

function isReadName(name: string): boolean {
  const parts = name.split('/');
  return isManifestName(parts.at(-1) ?? '') && !parts.some(isHidden);
}
