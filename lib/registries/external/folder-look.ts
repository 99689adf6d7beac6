import type { Dirent, BigIntStats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isNativeError } from 'node:util/types';
import { AppError } from '../../model/app-error';
import { compareText } from '../../model/compare';
import type { Note } from '../../model/note';
import type { Unreadable } from '../../model/registry-row';
import { concurrentMap } from './concurrent-map';
import { groupBy } from './group-by';
import { isHidden, isManifestName } from './manifest-source';

/** A manifest in a folder: where it is, and what tells that it has changed. */
export type FoundFile = {
  /** Its name for people and tables, with `/` on every system. */
  readonly source: string;
  readonly path: string;
  /** Its path without symbolic links. */
  readonly real: string;
  readonly size: number;
  readonly modifiedMs: number;
  /** Differs whenever the contents do, but for a change within one tick of the file system's clock. */
  readonly signature: string;
};

/** What there is at one time. */
export type FolderLook = {
  /** By source, in order. */
  readonly files: ReadonlyMap<string, FoundFile>;
  readonly unreadable: readonly Unreadable[];
  readonly notes: readonly Note[];
};

/** A file or folder of the configuration; `name` is how its files are called. */
export type FolderRoot = { readonly path: string; readonly name: string };

/** How many calls of the file system are under way at once; libuv has four threads for them by default. */
export const FILE_CONCURRENCY = 16;

type Found = {
  readonly files: readonly FoundFile[];
  readonly unreadable: readonly Unreadable[];
  readonly notes: readonly Note[];
};

const NOTHING: Found = { files: [], unreadable: [], notes: [] };

/**
 * Finds the manifests below the roots. Symbolic links are followed, so that mounted ConfigMaps work; a file that can be
 * reached in several ways is found once, under the first of its names. A folder below that cannot be read is unreadable.
 *
 * @throws AppError `ManifestsMissing` when a root does not exist and must, `ManifestsUnreadable` when it cannot be read.
 */
export async function lookAtFolders(roots: readonly FolderRoot[], mayBeMissing: boolean): Promise<FolderLook> {
  const found = unite(await concurrentMap(roots, FILE_CONCURRENCY, (root) => lookAtRoot(root, mayBeMissing)));
  const files = [...found.files].sort((a, b) => compareText(a.source, b.source));
  const once = [...groupBy(files, ({ real }) => real).values()].flatMap(([first]) => first ?? []);
  return {
    files: new Map(once.map((file) => [file.source, file])),
    unreadable: found.unreadable,
    notes: found.notes,
  };
}

async function lookAtRoot(root: FolderRoot, mayBeMissing: boolean): Promise<Found> {
  try {
    const real = await realpath(root.path);
    const stats = await stat(real, { bigint: true });
    if (!stats.isDirectory()) return foundFile(root.path, root.name, real, stats);
    const entries = await readdir(real, { withFileTypes: true });
    return await lookAtEntries(entries, { path: root.path, name: root.name, real, above: [real] });
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && mayBeMissing) return NOTHING;
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') {
      throw new AppError(`${root.path} does not exist: create it, or correct the source of the registry`, {
        code: 'ManifestsMissing',
        details: { path: root.path },
        cause: error,
      });
    }
    throw new AppError(`${root.path} cannot be read: ${describeFault(error)}`, {
      code: 'ManifestsUnreadable',
      transient: true,
      details: { path: root.path },
      cause: error,
    });
  }
}

/** A folder on the way down: its path and name, its path without links, and those of the folders above it. */
type Folder = {
  readonly path: string;
  readonly name: string;
  readonly real: string;
  readonly above: readonly string[];
};

async function lookAtEntries(entries: readonly Dirent[], folder: Folder): Promise<Found> {
  const visible = entries.filter(({ name }) => !isHidden(name));
  return unite(await concurrentMap(visible, FILE_CONCURRENCY, (entry) => lookAtEntry(entry, folder)));
}

async function lookAtEntry(entry: Dirent, folder: Folder): Promise<Found> {
  const manifest = isManifestName(entry.name);
  if (entry.isFile() && !manifest) return NOTHING;
  const path = join(folder.path, entry.name);
  const name = `${folder.name}/${entry.name}`;
  try {
    const real = entry.isSymbolicLink() ? await realpath(path) : join(folder.real, entry.name);
    const stats = await stat(real, { bigint: true });
    if (stats.isDirectory()) return await lookAtSubfolder({ path, name, real, above: folder.above });
    return manifest ? foundFile(path, name, real, stats) : NOTHING;
  } catch (error) {
    const source = manifest && !entry.isDirectory() ? name : `${name}/`;
    return { ...NOTHING, unreadable: [{ source, reason: describeFault(error) }] };
  }
}

async function lookAtSubfolder(folder: Folder): Promise<Found> {
  if (folder.above.includes(folder.real)) return NOTHING;
  const entries = await readdir(folder.real, { withFileTypes: true });
  return lookAtEntries(entries, { ...folder, above: [...folder.above, folder.real] });
}

function foundFile(path: string, source: string, real: string, stats: BigIntStats): Found {
  if (!stats.isFile()) {
    return { ...NOTHING, notes: [{ code: 'NotAFile', message: `${source} is no regular file and was skipped` }] };
  }
  const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs } = stats;
  const signature = [dev, ino, size, mtimeNs, ctimeNs].join('-');
  return { ...NOTHING, files: [{ source, path, real, size: Number(size), modifiedMs: Number(mtimeMs), signature }] };
}

function unite(found: readonly Found[]): Found {
  return {
    files: found.flatMap(({ files }) => files),
    unreadable: found.flatMap(({ unreadable }) => unreadable),
    notes: found.flatMap(({ notes }) => notes),
  };
}

function codeOf(error: unknown): unknown {
  return isNativeError(error) && 'code' in error ? error.code : undefined;
}

/** `EACCES: permission denied, open '/x'` → `EACCES: permission denied`. */
export function describeFault(error: unknown): string {
  const message = isNativeError(error) ? error.message : String(error);
  return message.split(',')[0] ?? message;
}
