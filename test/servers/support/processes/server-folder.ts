import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { hasCode } from './has-code';

const ROOT = path.join(tmpdir(), 'pilotless-servers');

/**
 * A new folder for the data and log of one server. Folders are named after the process that made them; those of processes
 * that are gone are deleted here, so that what a failed run left can be looked at until the next one.
 */
export async function makeServerFolder(name: string): Promise<string> {
  await mkdir(ROOT, { recursive: true });
  await deleteLeftFolders();
  return mkdtemp(path.join(ROOT, `${process.pid}-${name}-`));
}

async function deleteLeftFolders(): Promise<void> {
  const left = (await readdir(ROOT)).filter((name) => !isRunning(Number.parseInt(name, 10)));
  await Promise.all(left.map((name) => rm(path.join(ROOT, name), { recursive: true, force: true })));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
