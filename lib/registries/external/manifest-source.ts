import type { Note } from '../../model/note';
import type { Unreadable } from '../../model/registry-row';
import type { ReadingCost } from '../registry';

/** A manifest as it is now. */
export type ManifestFile = {
  /** Its name, the same at every reading: a path, or `s3://bucket/key`. */
  readonly source: string;
  /** As long as this stays the same, so do the contents. */
  readonly version: string;
  /** Absent when the version is the known one. */
  readonly contents?: Uint8Array;
};

/** All manifests that there are, at one time. */
export type ManifestListing = {
  readonly files: readonly ManifestFile[];
  /** Files that are there but could not be read, and folders (with a `/` at the end) that may hold any. */
  readonly unreadable: readonly Unreadable[];
  readonly notes: readonly Note[];
  readonly cost: ReadingCost;
};

/** Where manifests come from: a folder, a bucket. */
export interface ManifestSource {
  /**
   * Every manifest there is, with the contents of those whose version is not the one in `known` (source → version, or
   * {@link UNREAD}): all that there was at the last reading. Keeps no state of its own.
   *
   * A manifest that was there when the reading began and then could not be read, even because it vanished, is unreadable
   * and not absent.
   *
   * Throws when it cannot be told which manifests there are, and the signal's reason when that aborts.
   */
  read(known: ReadonlyMap<string, string>, signal: AbortSignal): Promise<ManifestListing>;
}

/** Stands for the version of a manifest that was there at the last reading, but could not be read. */
export const UNREAD = 'unread';

/**
 * Largest manifest that is read, in bytes. Kubernetes objects are limited to 1.5 MB by etcd; a file may hold many. What is
 * larger is no manifest, and would only exhaust the memory.
 */
export const MAX_MANIFEST_BYTES = 32 * 1024 * 1024;

/** Why a manifest of that size is not read. */
export function oversizeReason(bytes: number): string {
  return `it has ${bytes} bytes, more than the ${MAX_MANIFEST_BYTES} that are read; split it`;
}

/** Whether a name looks like that of a manifest: `.yaml`, `.yml` or `.json`, and not hidden. */
export function isManifestName(name: string): boolean {
  return !isHidden(name) && /\.(ya?ml|json)$/i.test(name);
}

/** Hidden files and folders are bookkeeping: editors' drafts, `.git`, the `..data` of a mounted ConfigMap. */
export function isHidden(name: string): boolean {
  return name.startsWith('.');
}
