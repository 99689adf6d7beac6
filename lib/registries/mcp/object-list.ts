import type { Note } from '../../model/note';
import type { Unreadable } from '../../model/registry-row';
import type { AdsAnswer, EncodedMessage } from './ads-stream';
import type { ObjectKind } from './object-kind';
import { readObject, type ReadObject } from './read-object';

/** The objects of one kind, as the latest answer has them. */
export type ObjectList<Entry> = {
  readonly version: string;
  readonly entries: readonly Entry[];
  readonly unreadable: readonly Unreadable[];
  readonly notes: readonly Note[];
  /** What was read, by the bytes that it was read from. */
  readonly read: ReadonlyMap<string, ReadObject<Entry>>;
};

/**
 * Reads an answer, which always is the whole list. What comes as the same bytes as `before` gives the same value as
 * before, so that a reader can tell by identity what has changed.
 */
export function readObjectList<Entry>(
  kind: ObjectKind<Entry>,
  { version, resources }: AdsAnswer,
  before: ObjectList<Entry> | undefined,
): ObjectList<Entry> {
  const read = new Map<string, ReadObject<Entry>>();
  for (const resource of resources) {
    const bytes = textOfBytes(resource);
    read.set(bytes, before?.read.get(bytes) ?? readObject(kind, resource));
  }
  const objects = [...read.values()];
  return {
    version,
    entries: objects.flatMap((object) => ('entry' in object ? [object.entry] : [])),
    unreadable: objects.flatMap((object) => ('unreadable' in object ? [object.unreadable] : [])),
    notes: objects.flatMap((object) => ('notes' in object ? object.notes : [])),
    read,
  };
}

/** One character a byte. */
function textOfBytes({ typeUrl, value }: EncodedMessage): string {
  return `${typeUrl}\n${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')}`;
}
