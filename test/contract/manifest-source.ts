import type { ManifestListing, ManifestSource } from '../../lib/registries/external/manifest-source';

/** A place for manifests that a test can fill; names are paths below it. */
export type ManifestPlace = {
  readonly source: ManifestSource;
  put(name: string, contents: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** What the source calls the manifest of that name. */
  sourceOf(name: string): string;
};

const NOTHING_KNOWN: ReadonlyMap<string, string> = new Map();

/** The versions that a listing gives, for the next reading. */
export function versionsOf({ files }: ManifestListing): ReadonlyMap<string, string> {
  return new Map(files.map(({ source, version }) => [source, version]));
}

/** Source → contents, `unchanged` where there are none. */
export function contentsOf({ files }: ManifestListing): Readonly<Record<string, string>> {
  const text = (contents: Uint8Array | undefined) =>
    contents === undefined ? 'unchanged' : new TextDecoder().decode(contents);
  return Object.fromEntries(files.map(({ source, contents }) => [source, text(contents)]));
}

/** What every source of manifests does. */
export function describeManifestSource(name: string, makePlace: () => Promise<ManifestPlace>): void {
  describe(`manifest source contract: ${name}`, () => {
    const { signal } = new AbortController();

    async function setUp(files: Readonly<Record<string, string>>) {
      const place = await makePlace();
      for (const [file, contents] of Object.entries(files)) await place.put(file, contents);
      const read = (known = NOTHING_KNOWN) => place.source.read(known, signal);
      const named = (expected: Readonly<Record<string, string>>) =>
        Object.fromEntries(Object.entries(expected).map(([file, contents]) => [place.sourceOf(file), contents]));
      return { place, read, named };
    }

    test('nothing is an empty listing', async () => {
      const { read } = await setUp({});
      expect(await read()).toMatchObject({ files: [], unreadable: [], notes: [], cost: { bytes: 0 } });
    });

    test('manifests come with their contents, from folders below too', async () => {
      const files = { 'a.yaml': 'one', 'b.yml': 'zwei\n', 'c.json': '{}', 'D.YAML': '', 'x/y z/ä.yaml': 'ü' };
      const { read, named } = await setUp(files);
      const listing = await read();
      expect(contentsOf(listing)).toEqual(named(files));
      expect(listing.unreadable).toEqual([]);
      expect(listing.cost.bytes).toBe(12);
    });

    test('other files, hidden ones and what editors leave behind are passed over', async () => {
      const { read, named } = await setUp({
        'a.yaml': 'one',
        'README.md': 'x',
        yaml: 'x',
        'a.yaml~': 'x',
        '#a.yaml#': 'x',
        '.a.yaml.swp': 'x',
        '.a.yaml': 'x',
        'a.yaml.bak': 'x',
        '.git/a.yaml': 'x',
        'b/..data/a.yaml': 'x',
      });
      const listing = await read();
      expect(contentsOf(listing)).toEqual(named({ 'a.yaml': 'one' }));
      expect(listing.unreadable).toEqual([]);
      expect(listing.notes).toEqual([]);
    });

    test('what is known comes without contents and costs no bytes', async () => {
      const { read, named } = await setUp({ 'a.yaml': 'one', 'b.yaml': 'two' });
      const known = versionsOf(await read());
      const listing = await read(known);
      expect(contentsOf(listing)).toEqual(named({ 'a.yaml': 'unchanged', 'b.yaml': 'unchanged' }));
      expect(versionsOf(listing)).toEqual(known);
      expect(listing.cost.bytes).toBe(0);
    });

    test('what has changed comes with its contents and another version', async () => {
      const { place, read, named } = await setUp({ 'a.yaml': 'one', 'b.yaml': 'two' });
      const known = versionsOf(await read());
      await place.put('a.yaml', 'three');
      const listing = await read(known);
      expect(contentsOf(listing)).toEqual(named({ 'a.yaml': 'three', 'b.yaml': 'unchanged' }));
      expect(versionsOf(listing).get(place.sourceOf('a.yaml'))).not.toBe(known.get(place.sourceOf('a.yaml')));
      expect(versionsOf(listing).get(place.sourceOf('b.yaml'))).toBe(known.get(place.sourceOf('b.yaml')));
    });

    test('what was added comes with its contents, what was removed comes no more', async () => {
      const { place, read, named } = await setUp({ 'a.yaml': 'one', 'b.yaml': 'two' });
      const known = versionsOf(await read());
      await place.remove('a.yaml');
      await place.put('c.yaml', 'three');
      const listing = await read(known);
      expect(contentsOf(listing)).toEqual(named({ 'b.yaml': 'unchanged', 'c.yaml': 'three' }));
      expect(listing.unreadable).toEqual([]);
    });

    test('an aborted reading throws the reason', async () => {
      const { place } = await setUp({ 'a.yaml': 'one' });
      await expect(place.source.read(NOTHING_KNOWN, AbortSignal.abort(new Error('time is up')))).rejects.toThrow(
        'time is up',
      );
    });
  });
}
