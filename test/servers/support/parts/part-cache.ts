import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

import { logProgress } from './log-progress';

export type Part = {
  readonly name: string;
  readonly version: string;
  /** Fills an empty folder with everything of the part. The folder is moved afterwards. */
  readonly build: (folder: string) => Promise<void>;
};

const underway = new Map<string, Promise<string>>();

/**
 * The folder of a part, built if it is not in the cache yet: `<cache>/<name>/<version>`, where the cache is
 * `$PILOTLESS_CACHE`, else `pilotless` in `$XDG_CACHE_HOME` or `~/.cache`.
 *
 * Building happens in a temporary folder beside it that is renamed when it is complete, so a folder that exists is
 * whole. Of several processes that build the same part the first to finish wins and the others take its result.
 */
export function ensurePart(part: Part): Promise<string> {
  const target = path.join(cacheFolder(), part.name, part.version);
  const running = underway.get(target) ?? buildOnce(part, target).finally(() => underway.delete(target));
  underway.set(target, running);
  return running;
}

function cacheFolder(): string {
  const { PILOTLESS_CACHE: own, XDG_CACHE_HOME: xdg } = process.env;
  if (own !== undefined && own !== '') return path.resolve(own);
  return path.join(xdg !== undefined && xdg !== '' ? xdg : path.join(homedir(), '.cache'), 'pilotless');
}

async function buildOnce(part: Part, target: string): Promise<string> {
  if (existsSync(target)) return target;
  const startedAt = Date.now();
  logProgress(`${part.name} ${part.version}: building`);
  await mkdir(path.dirname(target), { recursive: true });
  const draft = await mkdtemp(path.join(path.dirname(target), `.${part.version}-`));
  try {
    await part.build(draft);
    await renameUnlessTaken(draft, target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  logProgress(`${part.name} ${part.version}: built in ${Math.round((Date.now() - startedAt) / 1000)} s, ${target}`);
  return target;
}

/** rename(2) does not replace a folder that has something in it: then another builder was first. */
async function renameUnlessTaken(draft: string, target: string): Promise<void> {
  try {
    await rename(draft, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
}
