import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FolderLook, FoundFile } from '../../../lib/registries/external/folder-look';
import { FolderReading, isMoving } from '../../../lib/registries/external/folder-reading';

const NOW = 1_000_000;
const { signal } = new AbortController();

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'folder-reading-'));
  await writeFile(join(folder, 'a.yaml'), 'one');
});

afterAll(() => rm(folder, { recursive: true }));

function file(more: Partial<FoundFile> = {}): FoundFile {
  const path = join(folder, 'a.yaml');
  return { source: 'a.yaml', path, real: path, size: 3, modifiedMs: 0, signature: 's1', ...more };
}

const lookAt = (...files: readonly FoundFile[]): FolderLook => ({
  files: new Map(files.map((one) => [one.source, one])),
  unreadable: [],
  notes: [],
});

test.each([
  [0, true],
  [49, true],
  [50, false],
  [-49, true],
  [-50, false],
])('a file %p ms old may be half written: %p', (age, moving) => {
  expect(isMoving(file({ modifiedMs: NOW - age }), NOW)).toBe(moving);
});

test.each([
  [2000, 's1'],
  [1999, 's1 young'],
  [-1, 's1 young'],
])('a file %p ms old when it is read has version %p', async (age, version) => {
  const reading = new FolderReading(new Map());
  const found = file({ modifiedMs: NOW - age });
  await reading.load(found, NOW, signal);
  expect(reading.listing(lookAt(found)).files).toEqual([{ source: 'a.yaml', version, contents: Buffer.from('one') }]);
});

test('a young file is wanted again although nothing shows a change: it may fall into the same tick of the clock', async () => {
  const young = file({ modifiedMs: NOW - 1000 });
  const reading = new FolderReading(new Map());
  await reading.load(young, NOW, signal);
  const known = new Map(reading.listing(lookAt(young)).files.map(({ source, version }) => [source, version]));
  expect(new FolderReading(known).wanted(lookAt(young), NOW + 500)).toEqual([young]);
});

describe('a file', () => {
  test('is wanted until it is loaded as it is', async () => {
    const reading = new FolderReading(new Map([['a.yaml', 's0']]));
    expect(reading.wanted(lookAt(file()), NOW)).toEqual([file()]);
    expect(reading.isComplete(lookAt(file()))).toBe(false);
    await reading.load(file(), NOW, signal);
    expect(reading.wanted(lookAt(file()), NOW)).toEqual([]);
    expect(reading.isComplete(lookAt(file()))).toBe(true);
    expect(reading.wanted(lookAt(file({ signature: 's2' })), NOW)).toHaveLength(1);
    expect(reading.isComplete(lookAt(file({ signature: 's2' })))).toBe(false);
  });

  test('that is known is not wanted, and comes without contents', () => {
    const reading = new FolderReading(new Map([['a.yaml', 's1']]));
    expect(reading.wanted(lookAt(file()), NOW)).toEqual([]);
    expect(reading.isComplete(lookAt(file()))).toBe(true);
    expect(reading.listing(lookAt(file()))).toMatchObject({
      files: [{ source: 'a.yaml', version: 's1' }],
      unreadable: [],
    });
  });

  test('that changed after it was loaded is not taken for what it is now', async () => {
    const reading = new FolderReading(new Map());
    await reading.load(file(), NOW, signal);
    expect(reading.listing(lookAt(file({ signature: 's2' })))).toMatchObject({
      files: [],
      unreadable: [{ source: 'a.yaml', reason: 'it is being written' }],
    });
  });

  test('that could not be read is unreadable, and costs a request', async () => {
    const reading = new FolderReading(new Map());
    const found = file({ path: join(folder, 'gone.yaml') });
    await reading.load(found, NOW, signal);
    expect(reading.listing(lookAt(found))).toEqual({
      files: [],
      unreadable: [{ source: 'a.yaml', reason: 'ENOENT: no such file or directory' }],
      notes: [],
      cost: { requests: 1, bytes: 0 },
    });
  });

  test('is missed when it was known and is not there', () => {
    const reading = new FolderReading(new Map([['a.yaml', 's1']]));
    expect(reading.misses(lookAt())).toBe(true);
    expect(reading.misses(lookAt(file({ signature: 's2' })))).toBe(false);
    expect(new FolderReading(new Map()).misses(lookAt())).toBe(false);
  });

  test('that was seen once is unreadable when it is not there in the end', () => {
    const reading = new FolderReading(new Map());
    reading.saw(lookAt(file()));
    expect(reading.listing(lookAt()).unreadable).toEqual([
      { source: 'a.yaml', reason: 'it vanished while it was read' },
    ]);
  });

  test('of the largest size is read, a larger one is not', () => {
    const reading = new FolderReading(new Map());
    const largest = 32 * 1024 * 1024;
    expect(reading.wanted(lookAt(file({ size: largest })), NOW)).toHaveLength(1);
    expect(reading.wanted(lookAt(file({ size: largest + 1 })), NOW)).toEqual([]);
    expect(reading.isComplete(lookAt(file({ size: largest + 1 })))).toBe(true);
  });
});

test('an abort while a file is read ends the reading and makes nothing unreadable', async () => {
  const reading = new FolderReading(new Map());
  const aborted = AbortSignal.abort(new Error('time is up'));
  await expect(reading.load(file(), NOW, aborted)).rejects.toThrow('time is up');
});
