import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type * as PartCache from './support/parts/part-cache';
import { CommandFailedError, runCommand } from './support/parts/run-command';

describe('the cache of parts', () => {
  const { PILOTLESS_CACHE: before } = process.env;
  let cache: string;

  beforeEach(async () => {
    cache = await mkdtemp(path.join(tmpdir(), 'pilotless-cache-'));
    process.env.PILOTLESS_CACHE = cache;
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(async () => {
    if (before === undefined) delete process.env.PILOTLESS_CACHE;
    else process.env.PILOTLESS_CACHE = before;
    await rm(cache, { recursive: true });
  });

  test('builds a part once', async () => {
    const { ensurePart } = loadPartCache();
    const build = jest.fn((folder: string) => writeFile(path.join(folder, 'binary'), 'built'));
    const part: PartCache.Part = { name: 'part', version: '1.2.3', build };

    const folders = [...(await Promise.all([ensurePart(part), ensurePart(part)])), await ensurePart(part)];

    expect(new Set(folders)).toEqual(new Set([path.join(cache, 'part', '1.2.3')]));
    expect(build).toHaveBeenCalledTimes(1);
  });

  test('takes the result of the first of two processes that build the same part', async () => {
    const first = loadPartCache().ensurePart({ ...FILE, build: (folder) => writeBinary(folder, 'first') });
    const second = loadPartCache().ensurePart({
      ...FILE,
      build: async (folder) => {
        await first;
        await writeBinary(folder, 'second');
      },
    });

    const folder = await first;
    await expect(second).resolves.toBe(folder);
    await expect(readFile(path.join(folder, 'binary'), 'utf8')).resolves.toBe('first');
    await expect(readdir(path.dirname(folder))).resolves.toEqual([FILE.version]);
  });

  test('leaves nothing of a failed build, and builds anew the next time', async () => {
    const { ensurePart } = loadPartCache();
    const failing = { ...FILE, build: () => Promise.reject(new Error('no compiler')) };

    await expect(ensurePart(failing)).rejects.toThrow('no compiler');

    await expect(readdir(path.join(cache, FILE.name))).resolves.toEqual([]);
    const folder = await ensurePart({ ...FILE, build: (draft) => writeBinary(draft, 'second try') });
    await expect(readFile(path.join(folder, 'binary'), 'utf8')).resolves.toBe('second try');
  });
});

describe('a failed command', () => {
  test('tells the command, its exit code and the end of its output', async () => {
    const failure = runCommand({
      file: 'sh',
      args: ['-c', 'echo compiling; echo broken >&2; exit 3'],
      timeoutMs: 5_000,
    });

    await expect(failure).rejects.toThrow(CommandFailedError);
    await expect(failure).rejects.toThrow(/^sh -c .*: exit code 3\n(compiling\nbroken|broken\ncompiling)$/);
  });

  test('is killed when it takes too long', async () => {
    const failure = runCommand({ file: 'sleep', args: ['600'], timeoutMs: 20 });

    await expect(failure).rejects.toThrow('sleep 600: killed by SIGKILL (time limit 20 ms)');
  });

  test('says when there is no such command', async () => {
    const failure = runCommand({ file: 'no-such-command', args: [], timeoutMs: 5_000 });

    await expect(failure).rejects.toThrow('no-such-command: could not be started (spawn no-such-command ENOENT)');
  });
});

const FILE = { name: 'part', version: '1.2.3' };

/** A copy of the module of its own, as another process has. */
function loadPartCache(): typeof PartCache {
  let copy: typeof PartCache | undefined;
  jest.isolateModules(() => (copy = jest.requireActual('./support/parts/part-cache')));
  return copy!;
}

async function writeBinary(folder: string, content: string): Promise<void> {
  await writeFile(path.join(folder, 'binary'), content);
}
