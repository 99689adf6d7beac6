import { createHash } from 'node:crypto';
import { AppError } from '../../model/app-error';
import { compareText } from '../../model/compare';
import { makeRegistryId, type RegistryId } from '../../model/registry-id';
import type { FullReading, Registry } from '../registry';
import { convertManifests } from './convert-manifests';
import type { Conversion } from './convert-service-entries';
import { UNREAD, type ManifestFile, type ManifestSource } from './manifest-source';
import { parseManifest, unreadableManifest, type Manifest } from './parse-manifest';
import { describeProblems } from './problem';

/** A manifest as it was last read, so that it is parsed anew only when it has changed. */
type KnownManifest = { readonly version: string; readonly hash: string; readonly manifest: Manifest };

/**
 * ServiceEntry and WorkloadEntry manifests as a registry. Each reading is full; a manifest that cannot be read, or that has
 * a mistake in it, is unreadable, and all others count. What was parsed and converted is kept between readings, so that an
 * unchanged one costs next to nothing.
 */
export class ExternalRegistry implements Registry {
  readonly provider = 'External';
  readonly cluster: string;
  readonly #id: RegistryId;
  readonly #trustDomain: string;
  readonly #source: ManifestSource;
  #known: ReadonlyMap<string, KnownManifest> = new Map();
  #unread: readonly string[] = [];
  #converted: { readonly manifests: readonly Manifest[]; readonly conversion: Conversion } | undefined;

  /** @throws InvalidValueError when the cluster name is not allowed. */
  constructor(options: { readonly cluster: string; readonly trustDomain: string; readonly source: ManifestSource }) {
    this.cluster = options.cluster;
    this.#id = makeRegistryId(this.provider, options.cluster);
    this.#trustDomain = options.trustDomain;
    this.#source = options.source;
  }

  async *read(signal: AbortSignal): AsyncGenerator<FullReading> {
    const listing = await this.#source.read(this.#versions(), signal);
    this.#unread = listing.unreadable.map(({ source }) => source).filter((source) => !source.endsWith('/'));
    this.#known = new Map(listing.files.map((file) => [file.source, readManifest(file, this.#known.get(file.source))]));

    const manifests = [...this.#known].map(([source, { manifest }]) => ({ source, manifest }));
    const broken = manifests.filter(({ manifest }) => manifest.problems.length > 0);
    const sound = manifests.filter(({ manifest }) => manifest.problems.length === 0).map(({ manifest }) => manifest);
    const { snapshots, notes } = this.#convert(sound);
    yield {
      type: 'full',
      snapshots,
      unreadable: [
        ...listing.unreadable,
        ...broken.map(({ source, manifest }) => ({ source, reason: describeProblems(manifest.problems) })),
      ].sort((a, b) => compareText(a.source, b.source)),
      notes: [...listing.notes, ...sound.flatMap((manifest) => manifest.notes), ...notes],
      cost: listing.cost,
    };
  }

  /** Of all that there was at the last reading. */
  #versions(): ReadonlyMap<string, string> {
    return new Map([
      ...this.#unread.map((source) => [source, UNREAD] as const),
      ...[...this.#known].map(([source, { version }]) => [source, version] as const),
    ]);
  }

  /** The conversion before, when it was of the same manifests. */
  #convert(manifests: readonly Manifest[]): Conversion {
    const before = this.#converted;
    if (before?.manifests.length === manifests.length && before.manifests.every((one, i) => one === manifests[i])) {
      return before.conversion;
    }
    const conversion = convertManifests(manifests, this.#id, this.#trustDomain);
    this.#converted = { manifests, conversion };
    return conversion;
  }
}

function readManifest(file: ManifestFile, known: KnownManifest | undefined): KnownManifest {
  const { source, version, contents } = file;
  if (contents === undefined) {
    if (known?.version === version) return known;
    throw new AppError(`Manifest ${source} came without contents, but its version ${version} is not known`, {
      code: 'ManifestContentsMissing',
      details: { source, version, known: known?.version },
    });
  }
  const hash = createHash('sha256').update(contents).digest('hex');
  if (known?.hash === hash) return { version, hash, manifest: known.manifest };
  const text = decodeUtf8(contents);
  return {
    version,
    hash,
    manifest: text === undefined ? unreadableManifest('it is not UTF-8 text') : parseManifest(source, text),
  };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
