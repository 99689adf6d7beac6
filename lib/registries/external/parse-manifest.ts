import type { Note } from '../../model/note';
import { decodeServiceEntry, decodeWorkloadEntry, type Decoded, type RawEntry } from './decode-entry';
import type { ServiceEntry, WorkloadEntry } from './entries';
import { isPlainObject } from './plain-object';
import { formatProblem, type Path, type Problem } from './problem';
import { validateServiceEntry } from './validate-service-entry';
import { validateWorkloadEntry } from './validate-workload-entry';
import type { Validation } from './validation';
import { parseYamlDocuments } from './yaml-documents';

/** What a manifest says. With problems it is unreadable as a whole, and what else it says does not count. */
export type Manifest = {
  readonly serviceEntries: readonly ServiceEntry[];
  readonly workloadEntries: readonly WorkloadEntry[];
  readonly notes: readonly Note[];
  /** Each a sentence that begins with the document it is about. */
  readonly problems: readonly string[];
};

/** A manifest of which nothing could be read. */
export function unreadableManifest(problem: string): Manifest {
  return { ...NOTHING, problems: [problem] };
}

const NOTHING: Manifest = { serviceEntries: [], workloadEntries: [], notes: [], problems: [] };

/**
 * Reads a manifest: YAML 1.2 or JSON, any number of documents, `List`s of objects too. ServiceEntries and WorkloadEntries
 * are decoded and validated, other kinds are skipped with a note. Reports all problems of the manifest at once.
 *
 * A manifest without a single character is a problem: it is what an editor leaves for a moment while it saves.
 */
export function parseManifest(source: string, text: string): Manifest {
  if (text.trim() === '') {
    return unreadableManifest(
      'it is empty, as if half written: delete it, or leave a comment in it, to have no services in it',
    );
  }
  return unite(
    parseYamlDocuments(text).map((document) => {
      if ('faults' in document) {
        return { ...NOTHING, problems: document.faults.map((fault) => `${document.name}: ${fault}`) };
      }
      const empty = document.value === null || document.value === undefined;
      return empty ? NOTHING : readObject({ source, document: document.name, path: [] }, document.value);
    }),
  );
}

/** Where an object stands: the manifest, its document, and the path within that, where it is an item of a list. */
type Place = { readonly source: string; readonly document: string; readonly path: Path };

const ISTIO_GROUP = 'networking.istio.io';
const ENTRY_VERSIONS = ['v1', 'v1beta1', 'v1alpha3'].map((version) => `${ISTIO_GROUP}/${version}`);
const ENTRY_KINDS = ['ServiceEntry', 'WorkloadEntry', 'ServiceEntryList', 'WorkloadEntryList'] as const;
const OBJECT_FIELDS = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

function readObject(place: Place, value: unknown): Manifest {
  if (!isPlainObject(value)) {
    return problemsAt(place, undefined, [{ path: [], value, rule: 'must be an object with apiVersion and kind' }]);
  }
  const { apiVersion, kind } = value;
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') {
    const missing = typeof kind === 'string' ? 'apiVersion' : 'kind';
    return problemsAt(place, value, [{ path: [missing], value: value[missing], rule: 'must be given' }]);
  }
  if (kind === 'List' && !apiVersion.startsWith(`${ISTIO_GROUP}/`)) return readList(place, value, {});
  const known = ENTRY_KINDS.find((candidate) => candidate.toLowerCase() === kind.toLowerCase());
  if (known === undefined) return skipped(place, apiVersion, kind);
  if (known !== kind) return problemsAt(place, value, [{ path: ['kind'], value: kind, rule: `must be ${known}` }]);
  if (!ENTRY_VERSIONS.includes(apiVersion)) {
    const rule = `must be one of ${ENTRY_VERSIONS.join(', ')}`;
    return problemsAt(place, value, [{ path: ['apiVersion'], value: apiVersion, rule }]);
  }
  return readEntry(place, known, { ...value, apiVersion });
}

function readEntry(
  place: Place,
  kind: (typeof ENTRY_KINDS)[number],
  object: Readonly<Record<string, unknown>> & { readonly apiVersion: string },
): Manifest {
  switch (kind) {
    case 'ServiceEntry': {
      const decoded = decodeServiceEntry(rawEntry(object), place.source);
      return judged(place, object, decoded, validateServiceEntry, (entry) => ({ serviceEntries: [entry] }));
    }
    case 'WorkloadEntry': {
      const decoded = decodeWorkloadEntry(rawEntry(object), place.source);
      return judged(place, object, decoded, validateWorkloadEntry, (entry) => ({ workloadEntries: [entry] }));
    }
    case 'ServiceEntryList':
    case 'WorkloadEntryList':
      return readList(place, object, { apiVersion: object.apiVersion, kind: kind.slice(0, -'List'.length) });
  }
}

function rawEntry({ metadata, spec, status }: Readonly<Record<string, unknown>>): RawEntry {
  return { metadata, spec, status };
}

/** The items of a typed list need not repeat their kind. */
function readList(
  place: Place,
  list: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
): Manifest {
  const items = list.items ?? [];
  if (!Array.isArray(items)) {
    return problemsAt(place, list, [{ path: ['items'], value: items, rule: 'must be a list' }]);
  }
  return unite(
    items.map((item: unknown, index) =>
      readObject(
        { ...place, path: [...place.path, 'items', index] },
        isPlainObject(item) ? { ...defaults, ...item } : item,
      ),
    ),
  );
}

function judged<Entry>(
  place: Place,
  object: Readonly<Record<string, unknown>>,
  decoded: Decoded<Entry>,
  validate: (entry: Entry) => Validation,
  contents: (entry: Entry) => Partial<Manifest>,
): Manifest {
  const unknown = Object.keys(object)
    .filter((name) => !OBJECT_FIELDS.includes(name))
    .map((name) => ({
      path: [name],
      value: object[name],
      rule: `must be one of the known fields: ${OBJECT_FIELDS.join(', ')}`,
    }));
  if ('problems' in decoded) return problemsAt(place, object, [...unknown, ...decoded.problems]);
  const { problems, notes } = validate(decoded.value);
  if (unknown.length + problems.length > 0) return problemsAt(place, object, [...unknown, ...problems]);
  const where = `${place.source} ${nameOf(place, object)}`;
  return {
    ...NOTHING,
    ...contents(decoded.value),
    notes: notes.map(({ code, message }) => ({ code, message: `${where}: ${message}` })),
  };
}

function skipped(place: Place, apiVersion: string, kind: string): Manifest {
  const message = `${place.source} ${nameOf(place, undefined)} is a ${kind} of ${apiVersion} and was skipped: only ServiceEntry and WorkloadEntry are read`;
  return { ...NOTHING, notes: [{ code: 'KindSkipped', message }] };
}

function problemsAt(
  place: Place,
  object: Readonly<Record<string, unknown>> | undefined,
  problems: readonly Problem[],
): Manifest {
  const name = nameOf(place, object);
  return {
    ...NOTHING,
    problems: problems.map(
      (problem) => `${name}: ${formatProblem({ ...problem, path: [...place.path, ...problem.path] })}`,
    ),
  };
}

/** `document 2 (line 14), ServiceEntry shop/cart`, as far as the object says what it is. */
function nameOf(place: Place, object: Readonly<Record<string, unknown>> | undefined): string {
  const metadata = object?.metadata;
  const kind = object?.kind;
  if (!isPlainObject(metadata) || typeof kind !== 'string' || typeof metadata.name !== 'string') {
    return place.document;
  }
  const namespace = typeof metadata.namespace === 'string' ? metadata.namespace : 'default';
  return `${place.document}, ${kind} ${namespace}/${metadata.name}`;
}

function unite(manifests: readonly Manifest[]): Manifest {
  return {
    serviceEntries: manifests.flatMap(({ serviceEntries }) => serviceEntries),
    workloadEntries: manifests.flatMap(({ workloadEntries }) => workloadEntries),
    notes: manifests.flatMap(({ notes }) => notes),
    problems: manifests.flatMap(({ problems }) => problems),
  };
}
