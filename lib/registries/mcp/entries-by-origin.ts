import type { ServiceEntry } from '../external/entries';
import type { SyntheticEntry } from './convert-synthetic';
import { syntheticService } from './synthetic-entry';

/** The entries that somebody wrote. */
export function writtenEntries(entries: readonly ServiceEntry[]): readonly ServiceEntry[] {
  return entries.filter((entry) => syntheticService(entry) === undefined);
}

/** The entries by which istiod shows Kubernetes services. */
export function syntheticEntries(entries: readonly ServiceEntry[]): readonly SyntheticEntry[] {
  return entries.flatMap((entry) => {
    const service = syntheticService(entry);
    return service === undefined ? [] : [{ entry, service }];
  });
}
