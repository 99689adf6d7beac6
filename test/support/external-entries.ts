import { decodeServiceEntry, decodeWorkloadEntry, type Decoded } from '../../lib/registries/external/decode-entry';
import type { ServiceEntry, WorkloadEntry } from '../../lib/registries/external/entries';
import { formatProblem } from '../../lib/registries/external/problem';
import { deepFreeze } from '../../lib/storage/deep-freeze';

type Fields = Readonly<Record<string, unknown>>;

/** What else an entry has beside its spec. Without a namespace it is in `shop`, its source is named after it. */
export type EntryFields = { readonly metadata?: Fields; readonly status?: Fields; readonly source?: string };

/** A decoded ServiceEntry of namespace `shop`; frozen, so that nobody changes it unseen. */
export function serviceEntry(name: string, spec: Fields, more: EntryFields = {}): ServiceEntry {
  return built(decodeServiceEntry(rawEntry(name, spec, more), more.source ?? `${name}.yaml`));
}

/** A decoded WorkloadEntry of namespace `shop`, frozen as well. */
export function workloadEntry(name: string, spec: Fields, more: EntryFields = {}): WorkloadEntry {
  return built(decodeWorkloadEntry(rawEntry(name, spec, more), more.source ?? `${name}.yaml`));
}

/** A service on port http/80, for tests that care about something else. */
export const HTTP_PORT = { name: 'http', number: 80, protocol: 'HTTP' } as const;

function rawEntry(name: string, spec: Fields, { metadata, status }: EntryFields) {
  return { metadata: { name, namespace: 'shop', ...metadata }, spec, status };
}

function built<T>(decoded: Decoded<T>): T {
  if ('problems' in decoded) throw new Error(decoded.problems.map(formatProblem).join('; '));
  return deepFreeze(decoded.value);
}
