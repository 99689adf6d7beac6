import { decodeServiceEntry, decodeWorkloadEntry, type Decoded as DecodedEntry } from '../external/decode-entry';
import type { EntryMetadata } from '../external/entries';
import { isPlainObject } from '../external/plain-object';
import { formatProblem } from '../external/problem';
import type { Decoded } from './decoded';
import type { KubeObject, Resource } from './kube-objects';

export type CustomResource = Extract<Resource, 'serviceentries' | 'workloadentries'>;

/** Fields of the specs as the API server writes them (istio/api networking/v1alpha3). */
const WORKLOAD_FIELDS = ['address', 'ports', 'labels', 'network', 'locality', 'weight', 'serviceAccount'];
const PORT_FIELDS = ['number', 'name', 'protocol', 'targetPort'];
const SERVICE_FIELDS = [
  'hosts',
  'addresses',
  'ports',
  'location',
  'resolution',
  'endpoints',
  'workloadSelector',
  'exportTo',
  'subjectAltNames',
];

/**
 * A custom resource as the API server gives it. Manifests are refused for fields that nobody knows, since those are
 * mistyped; here the cluster's own definition has already pruned what is mistyped, and a field that it has and we do not is
 * one of a later Istio, which must not take the service away.
 */
export function decodeCustomResource(resource: CustomResource, raw: unknown): Decoded {
  if (!isPlainObject(raw)) return { type: 'undecodable', reason: 'it is no object' };
  switch (resource) {
    case 'serviceentries': {
      const object = { ...raw, spec: knownServiceSpec(raw.spec) };
      return decoded(decodeServiceEntry(object, sourceOf(resource, raw)), (entry) => ({
        resource,
        ...nameOf(entry),
        entry,
      }));
    }
    case 'workloadentries': {
      const object = { ...raw, spec: only(WORKLOAD_FIELDS, raw.spec) };
      return decoded(decodeWorkloadEntry(object, sourceOf(resource, raw)), (entry) => ({
        resource,
        ...nameOf(entry),
        entry,
      }));
    }
  }
}

function decoded<Entry>(result: DecodedEntry<Entry>, keep: (entry: Entry) => KubeObject): Decoded {
  return 'value' in result
    ? { type: 'object', object: keep(result.value) }
    : { type: 'undecodable', reason: result.problems.map(formatProblem).join('; ') };
}

function nameOf({ namespace, name }: EntryMetadata) {
  return { namespace, name };
}

function sourceOf(resource: CustomResource, { metadata }: Readonly<Record<string, unknown>>): string {
  const namespace = isPlainObject(metadata) ? metadata.namespace : undefined;
  return `${resource}/${typeof namespace === 'string' ? namespace : ''}`;
}

function knownServiceSpec(spec: unknown): unknown {
  const known = only(SERVICE_FIELDS, spec);
  if (!isPlainObject(known)) return known;
  return {
    ...known,
    ...(Array.isArray(known.ports) ? { ports: known.ports.map((port) => only(PORT_FIELDS, port)) } : {}),
    ...(Array.isArray(known.endpoints) ? { endpoints: known.endpoints.map((one) => only(WORKLOAD_FIELDS, one)) } : {}),
    ...('workloadSelector' in known ? { workloadSelector: only(['labels'], known.workloadSelector) } : {}),
  };
}

function only(fields: readonly string[], value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => fields.includes(name)));
}
