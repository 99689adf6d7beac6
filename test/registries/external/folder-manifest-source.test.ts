import { mkdir, mkdtemp, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FolderManifestSource } from '../../../lib/registries/external/folder-manifest-source';
import type { Clock } from '../../../lib/runtime/clock';
import { contentsOf, describeManifestSource, versionsOf } from '../../contract/manifest-source';

/** The time of the readings; files are an hour old unless a test says otherwise. */
const NOW = Date.parse('2026-01-31T12:00:00Z');
const HOUR = 3_600_000;

const { signal } = new AbortController();
const NOTHING_KNOWN: ReadonlyMap<string, string> = new Map();

/** A clock that stands still; `whileWaiting` happens in each delay. */
class StandingClock implements Clock {
  readonly delays: number[] = [];
  whileWaiting: () => Promise<void> = () => Promise.resolve();

  now(): number {
    return NOW;
  }

  async delay(ms: number): Promise<void> {
    this.delays.push(ms);
    await this.whileWaiting();
  }
}

const folders: string[] = [];

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

async function setUp(options: { readonly paths?: readonly string[]; readonly mayBeMissing?: boolean } = {}) {
  const baseDir = await mkdtemp(join(tmpdir(), 'manifests-'));
  folders.push(baseDir);
  await mkdir(join(baseDir, 'm'));
  const clock = new StandingClock();
  const source = new FolderManifestSource({
    baseDir,
    paths: options.paths ?? ['m'],
    clock,
    ...(options.mayBeMissing === undefined ? {} : { mayBeMissing: options.mayBeMissing }),
  });
  let age = HOUR;
  const put = async (name: string, contents: string, ageMs?: number) => {
    const path = join(baseDir, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contents);
    // Each a second older than the one before, so that a changed file of the same size shows.
    age += 1000;
    const modified = new Date(NOW - (ageMs ?? age));
    await utimes(path, modified, modified);
  };
  const read = (known = NOTHING_KNOWN) => source.read(known, signal);
  return { baseDir, clock, source, put, read };
}

describeManifestSource('folder', async () => {
  const { baseDir, source, put } = await setUp();
  return {
    source,
    put: (name, contents) => put(`m/${name}`, contents),
    remove: (name) => rm(join(baseDir, 'm', name)),
    sourceOf: (name) => `m/${name}`,
  };
});

describe('sources', () => {
  test('are paths relative to the base where they lie below it', async () => {
    const { baseDir, put } = await setUp();
    await put('m/x/a.yaml', 'one');
    for (const path of ['m', './m/', join(baseDir, 'm'), '../' + baseDir.split('/').at(-1)! + '/m']) {
      const source = new FolderManifestSource({ baseDir, paths: [path], clock: new StandingClock() });
      expect(contentsOf(await source.read(NOTHING_KNOWN, signal))).toEqual({ 'm/x/a.yaml': 'one' });
    }
  });

  test('are absolute elsewhere', async () => {
    const { baseDir, put } = await setUp();
    await put('m/a.yaml', 'one');
    for (const [base, path] of [
      [join(baseDir, 'n'), '../m'],
      [join(baseDir, 'm'), '.'],
    ] as const) {
      const source = new FolderManifestSource({ baseDir: base, paths: [path], clock: new StandingClock() });
      expect(contentsOf(await source.read(NOTHING_KNOWN, signal))).toEqual({ [join(baseDir, 'm/a.yaml')]: 'one' });
    }
  });

  test('may be single files, of any name', async () => {
    const { put, read } = await setUp({ paths: ['m/services.conf', 'm/x.yaml'] });
    await put('m/services.conf', 'one');
    await put('m/x.yaml', 'two');
    await put('m/y.yaml', 'three');
    expect(contentsOf(await read())).toEqual({ 'm/services.conf': 'one', 'm/x.yaml': 'two' });
  });

  test('that can be reached in two ways are read once', async () => {
    const { put, read } = await setUp({ paths: ['m', 'm/x', 'm/x/a.yaml'] });
    await put('m/x/a.yaml', 'one');
    expect(await read()).toMatchObject({ files: [{ source: 'm/x/a.yaml' }], cost: { requests: 1, bytes: 3 } });
  });

  test.each([0, 1, 40])('are read all: %p', async (count) => {
    const { put, read } = await setUp();
    for (let i = 0; i < count; i += 1) await put(`m/${i}.yaml`, 'x');
    expect((await read()).files).toHaveLength(count);
  });
});

describe('symbolic links', () => {
  test('of a mounted ConfigMap are followed, and its hidden folders not read again', async () => {
    const { baseDir, put, read } = await setUp();
    await put('m/..2026_01/a.yaml', 'one');
    await symlink('..2026_01', join(baseDir, 'm/..data'));
    await symlink('..data/a.yaml', join(baseDir, 'm/a.yaml'));
    const first = await read();
    expect(contentsOf(first)).toEqual({ 'm/a.yaml': 'one' });

    // The mount moves on as a whole: a new folder, and the link to it replaced.
    await put('m/..2026_02/a.yaml', 'two');
    await symlink('..2026_02', join(baseDir, 'm/..tmp'));
    await rename(join(baseDir, 'm/..tmp'), join(baseDir, 'm/..data'));
    await rm(join(baseDir, 'm/..2026_01'), { recursive: true });
    expect(contentsOf(await read(versionsOf(first)))).toEqual({ 'm/a.yaml': 'two' });
  });

  test('to folders are followed, in circles only once', async () => {
    const { baseDir, put, read } = await setUp();
    await put('other/a.yaml', 'one');
    await symlink('../other', join(baseDir, 'm/linked'));
    await symlink('..', join(baseDir, 'other/up'));
    await symlink('.', join(baseDir, 'other/self'));
    expect(contentsOf(await read())).toEqual({ 'm/linked/a.yaml': 'one' });
  });

  test('to a manifest beside them are the same manifest, under the first name', async () => {
    const { baseDir, put, read } = await setUp();
    await put('m/b.yaml', 'one');
    await symlink('b.yaml', join(baseDir, 'm/a.yaml'));
    expect(contentsOf(await read())).toEqual({ 'm/a.yaml': 'one' });
  });

  test('that lead nowhere are unreadable: what they led to may come back', async () => {
    const { baseDir, read } = await setUp();
    await symlink('gone.yaml', join(baseDir, 'm/a.yaml'));
    await symlink('gone', join(baseDir, 'm/folder'));
    await symlink('loop.yaml', join(baseDir, 'm/loop.yaml'));
    expect(await read()).toMatchObject({
      files: [],
      unreadable: [
        { source: 'm/a.yaml', reason: 'ENOENT: no such file or directory' },
        { source: 'm/folder/', reason: 'ENOENT: no such file or directory' },
        { source: 'm/loop.yaml', reason: 'ELOOP: too many symbolic links encountered' },
      ],
    });
  });

  test('that are hidden, such as the locks of an editor, are passed over', async () => {
    const { baseDir, read } = await setUp();
    await symlink('somebody@machine.1234', join(baseDir, 'm/.#a.yaml'));
    expect(await read()).toMatchObject({ files: [], unreadable: [] });
  });
});

describe('what is no file', () => {
  test('is passed over with a note', async () => {
    const { baseDir, read } = await setUp();
    execFileSync('mkfifo', [join(baseDir, 'm/a.yaml')]);
    expect(await read()).toMatchObject({
      files: [],
      unreadable: [],
      notes: [{ code: 'NotAFile', message: 'm/a.yaml is no regular file and was skipped' }],
    });
  });

  test('but a folder is read even if it is named like a manifest', async () => {
    const { put, read } = await setUp();
    await put('m/a.yaml/b.yaml', 'one');
    expect(contentsOf(await read())).toEqual({ 'm/a.yaml/b.yaml': 'one' });
  });
});

describe('a folder that is not there', () => {
  test.each([
    ['a folder', 'gone'],
    ['a file', 'm/gone.yaml'],
    ['a path through a file', 'm/a.yaml/x'],
  ])('fails the reading when it was configured: %s', async (_kind, path) => {
    const { baseDir, put, read } = await setUp({ paths: ['m', path] });
    await put('m/a.yaml', 'one');
    await expect(read()).rejects.toMatchObject({
      code: 'ManifestsMissing',
      transient: false,
      message: `${join(baseDir, path)} does not exist: create it, or correct the source of the registry`,
      details: { path: join(baseDir, path) },
    });
  });

  test('is empty when it may be missing', async () => {
    const { read } = await setUp({ paths: ['gone'], mayBeMissing: true });
    expect(await read()).toEqual({ files: [], unreadable: [], notes: [], cost: { requests: 0, bytes: 0 } });
  });

  test('fails the reading when it is there but cannot be read', async () => {
    const { baseDir, read } = await setUp({ paths: ['loop'], mayBeMissing: true });
    await symlink('loop', join(baseDir, 'loop'));
    await expect(read()).rejects.toMatchObject({
      code: 'ManifestsUnreadable',
      transient: true,
      message: `${join(baseDir, 'loop')} cannot be read: ELOOP: too many symbolic links encountered`,
    });
  });
});

describe('a manifest that is too large', () => {
  test('is unreadable, and is not read', async () => {
    const { baseDir, put, read } = await setUp();
    await put('m/a.yaml', '');
    await truncate(join(baseDir, 'm/a.yaml'), 32 * 1024 * 1024 + 1);
    await utimes(join(baseDir, 'm/a.yaml'), new Date(NOW - HOUR), new Date(NOW - HOUR));
    expect(await read()).toEqual({
      files: [],
      unreadable: [
        { source: 'm/a.yaml', reason: 'it has 33554433 bytes, more than the 33554432 that are read; split it' },
      ],
      notes: [],
      cost: { requests: 0, bytes: 0 },
    });
  });
});

describe('a young file', () => {
  test.each([
    [1900, true],
    [2100, false],
  ])('%p ms old is read again at the next reading: %p', async (age, again) => {
    const { put, read } = await setUp();
    await put('m/a.yaml', 'one', age);
    const known = versionsOf(await read());
    expect((await read(known)).cost.requests).toBe(again ? 1 : 0);
  });

  test('that came from the future, by the clock of a file server, is read again too', async () => {
    const { put, read } = await setUp();
    await put('m/a.yaml', 'one', -HOUR);
    const known = versionsOf(await read());
    expect((await read(known)).cost.requests).toBe(1);
  });
});

describe('a file that may be half written', () => {
  test('is given time before it is read', async () => {
    const { clock, put, read } = await setUp();
    await put('m/a.yaml', 'half', 40);
    clock.whileWaiting = () => put('m/a.yaml', 'whole', 60);
    expect(contentsOf(await read())).toEqual({ 'm/a.yaml': 'whole' });
    expect(clock.delays).toEqual([50]);
  });

  test.each([[60], [-60]])('is not waited for when it is %p ms old', async (age) => {
    const { clock, put, read } = await setUp();
    await put('m/a.yaml', 'one', age);
    expect(contentsOf(await read())).toEqual({ 'm/a.yaml': 'one' });
    expect(clock.delays).toEqual([]);
  });

  test('is unreadable while it does not come to rest, and others are read', async () => {
    const { clock, put, read } = await setUp();
    await put('m/a.yaml', 'half', 10);
    await put('m/b.yaml', 'one');
    expect(await read()).toMatchObject({
      files: [{ source: 'm/b.yaml' }],
      unreadable: [{ source: 'm/a.yaml', reason: 'it is being written' }],
    });
    expect(clock.delays).toEqual([50, 50, 50]);
  });

  test('is read when it comes to rest after some rounds', async () => {
    const { clock, put, read } = await setUp();
    await put('m/a.yaml', 'half', 10);
    clock.whileWaiting = () => put('m/a.yaml', 'whole', clock.delays.length < 3 ? 10 : 100);
    expect(contentsOf(await read())).toEqual({ 'm/a.yaml': 'whole' });
    expect(clock.delays).toEqual([50, 50, 50]);
  });
});

describe('a file that is not there any more', () => {
  test('is waited for once, since editors move files away while they save', async () => {
    const { baseDir, clock, put, read } = await setUp();
    await put('m/a.yaml', 'one');
    const known = versionsOf(await read());
    await rm(join(baseDir, 'm/a.yaml'));
    clock.whileWaiting = () => put('m/a.yaml', 'two');
    expect(contentsOf(await read(known))).toEqual({ 'm/a.yaml': 'two' });
    expect(clock.delays).toEqual([50]);
  });

  test('is waited for as well when the last reading could not read it', async () => {
    const { clock, put, read } = await setUp();
    clock.whileWaiting = () => put('m/a.yaml', 'two');
    expect(contentsOf(await read(new Map([['m/a.yaml', 'unread']])))).toEqual({ 'm/a.yaml': 'two' });
  });

  test('is gone when it stays away', async () => {
    const { baseDir, clock, put, read } = await setUp();
    await put('m/a.yaml', 'one');
    const known = versionsOf(await read());
    await rm(join(baseDir, 'm/a.yaml'));
    expect(await read(known)).toMatchObject({ files: [], unreadable: [] });
    expect(clock.delays).toEqual([50]);
  });

  test('is unreadable when it was there as the reading began', async () => {
    const { baseDir, clock, put, read } = await setUp();
    await put('m/a.yaml', 'half', 10);
    await put('m/b.yaml', 'one');
    clock.whileWaiting = () => rm(join(baseDir, 'm/a.yaml'), { force: true });
    const listing = await read();
    expect(contentsOf(listing)).toEqual({ 'm/b.yaml': 'one' });
    expect(listing.unreadable).toEqual([{ source: 'm/a.yaml', reason: 'it vanished while it was read' }]);
  });
});

test('an abort during the wait ends the reading', async () => {
  const { clock, put, source } = await setUp();
  const controller = new AbortController();
  await put('m/a.yaml', 'half', 10);
  clock.whileWaiting = () => {
    controller.abort(new Error('time is up'));
    return Promise.resolve();
  };
  await expect(source.read(NOTHING_KNOWN, controller.signal)).rejects.toThrow('time is up');
});
