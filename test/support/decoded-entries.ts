import { decodeServiceEntry, decodeWorkloadEntry } from '../../lib/registries/external/decode-entry';
import type { ServiceEntry, WorkloadEntry } from '../../lib/registries/external/entries';

type Source = { readonly metadata: object; readonly spec: object; readonly source?: string };

/** The entry of an object that has to be decodable. */
export function decodedServiceEntry({ source = 'test', ...object }: Source): ServiceEntry {
  const decoded = decodeServiceEntry(object, source);
  if ('problems' in decoded) throw new Error(JSON.stringify(decoded.problems));
  return decoded.value;
}

export function decodedWorkloadEntry({ source = 'test', ...object }: Source): WorkloadEntry {
  const decoded = decodeWorkloadEntry(object, source);
  if ('problems' in decoded) throw new Error(JSON.stringify(decoded.problems));
  return decoded.value;
}
