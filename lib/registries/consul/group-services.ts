import { compareText, sortedUnique } from '../../model/compare';
import type { Note } from '../../model/note';

/** A service's identity within a registry: its Consul name in lower case. */
export type ServiceId = string;

/** The spellings of one service. Consul takes `Web` and `web` for one service, lists both, and reads both under either. */
export type ServiceGroup = {
  readonly id: ServiceId;
  /** The spelling that it is read by: the first in code-unit order. */
  readonly readAs: string;
  /** All tags of all instances, sorted; only good for telling that they changed. */
  readonly tags: readonly string[];
};

export type ServiceGroups = ReadonlyMap<ServiceId, ServiceGroup>;

/** Labels of letters, digits, `-` and `_` (Consul's DNS answers underscores), 63 characters at most (RFC 1035). */
const LABEL = /^[a-z0-9_-]{1,63}$/;

/** So that `<name>.service.<datacenter>.<domain>` stays within the 253 characters of a host name (RFC 1035). */
const MAX_NAME = 180;

/**
 * The services of Consul's catalog list (`/v1/catalog/services`: name → tags), by identity. Dots in names stay. Names that
 * can be no part of a host name are left out with a note.
 */
export function groupServices(list: ReadonlyMap<string, readonly string[]>): {
  readonly groups: ServiceGroups;
  readonly notes: readonly Note[];
} {
  const groups = new Map<ServiceId, ServiceGroup>();
  const notes: Note[] = [];
  for (const [name, tags] of [...list].sort(([a], [b]) => compareText(a, b))) {
    const id = name.toLowerCase();
    if (!isHostnamePart(id)) {
      notes.push(nameNote(name));
      continue;
    }
    const known = groups.get(id);
    groups.set(id, { id, readAs: known?.readAs ?? name, tags: sortedUnique([...(known?.tags ?? []), ...tags]) });
  }
  return { groups, notes };
}

function isHostnamePart(id: string): boolean {
  return id.length <= MAX_NAME && id.split('.').every((label) => LABEL.test(label));
}

function nameNote(name: string): Note {
  return {
    code: 'ConsulServiceNameUnusable',
    message: `Consul service ${JSON.stringify(name)} was left out: a host name takes letters, digits, "-", "_" and "." between labels of 1 to 63 characters, ${MAX_NAME} in all`,
  };
}
