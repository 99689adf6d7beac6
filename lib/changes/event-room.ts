import { jsonBytes } from './event-size';

/** Longer texts are cut to this many bytes, as they stand in the JSON of an event (DESIGN "Changes and events"). */
export const TEXT_LIMIT_BYTES = 1024;

/** A UTF-16 code unit takes at most six bytes in JSON (`\u0000`), so a text of this length needs no measuring. */
const ALWAYS_FITS = Math.floor(TEXT_LIMIT_BYTES / 6);

/** The beginning of the text that fits {@link TEXT_LIMIT_BYTES}; no character is cut in half. */
export function cutText(text: string): string {
  if (text.length <= ALWAYS_FITS || textBytes(text) <= TEXT_LIMIT_BYTES) return text;
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += textBytes(character);
    if (bytes > TEXT_LIMIT_BYTES) break;
    kept += character;
  }
  return kept;
}

/** Without the quotes. */
function textBytes(text: string): number {
  return jsonBytes(text) - 2;
}

/** The bytes that an event has left for lists, and whether anything had to be left out. */
export class EventRoom {
  #bytes: number;
  #isCut = false;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Bytes left. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a text or a list was cut. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Takes the bytes of something that has to stand in the event whatever its size. */
  reserve(bytes: number): void {
    this.#bytes -= bytes;
  }

  text(text: string): string {
    const kept = cutText(text);
    if (kept !== text) this.#isCut = true;
    return kept;
  }

  /** Takes the bytes of one more item of a list, with its comma, if it fits. */
  takes(item: object | string): boolean {
    const bytes = jsonBytes(item) + 1;
    const fits = bytes <= this.#bytes;
    if (fits) this.#bytes -= bytes;
    else this.#isCut = true;
    return fits;
  }

  /** The first items of the list, as many as fit. */
  list<T extends object | string>(items: readonly T[]): readonly T[] {
    const end = items.findIndex((item) => !this.takes(item));
    return end < 0 ? items : items.slice(0, end);
  }

  texts(items: readonly string[]): readonly string[] {
    return this.list(items.map((item) => this.text(item)));
  }

  /** The first members of the record, as many as fit; names are cut like all texts. */
  record<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
    const members = Object.entries(record).map(([name, value]) => [this.text(name), value] as const);
    return Object.fromEntries(this.list(members));
  }
}
