import { InvalidValueError } from '../model/app-error';
import type { ServiceKey } from '../model/service-key';
import { isoTime } from '../runtime/clock';
import { CHANGE_DAYS } from './change-store';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** How far a publisher's clock may run ahead of the reader's; later hours are not looked for. */
const CLOCK_LEEWAY_MS = HOUR_MS;

/** Sorts right after `#`, the separator: `<time>$` is behind every `<time>#…`. */
const AFTER_SEPARATOR = '$';

/** Where a change stands in the index by time. */
export type PublicationIndex = {
  /** UTC hour, e.g. `2026-11-30T12`. */
  readonly publishedHour: string;
  /** `publishedAt#service#version`: unique, in order of publication. */
  readonly publishedOrder: string;
};

export function publicationIndex(change: {
  readonly key: ServiceKey;
  readonly version: number;
  readonly publishedAt: string;
}): PublicationIndex {
  const at = isoTime(parseTime('publishedAt', change.publishedAt));
  return { publishedHour: hourOf(at), publishedOrder: `${at}#${change.key}#${change.version}` };
}

/** What to read of the index: each hour, in it the orders from `first` to `last`. */
export type PublicationRange = { readonly hours: readonly string[]; readonly first: string; readonly last: string };

/**
 * The hours from `since` to `until`, both included, cut to those that can hold changes: not older than they are kept, not
 * later than the clocks allow. @throws InvalidValueError when a time is none.
 */
export function publicationRange(since: string, until: string, nowMs: number): PublicationRange {
  const fromMs = Math.max(parseTime('since', since), nowMs - CHANGE_DAYS * DAY_MS);
  const toMs = Math.min(parseTime('until', until), nowMs + CLOCK_LEEWAY_MS);
  return { hours: hoursBetween(fromMs, toMs), first: isoTime(fromMs), last: `${isoTime(toMs)}${AFTER_SEPARATOR}` };
}

function hoursBetween(fromMs: number, toMs: number): readonly string[] {
  const hours: string[] = [];
  if (fromMs > toMs) return hours;
  for (let ms = fromMs - (fromMs % HOUR_MS); ms <= toMs; ms += HOUR_MS) hours.push(hourOf(isoTime(ms)));
  return hours;
}

function hourOf(time: string): string {
  return time.slice(0, 'yyyy-mm-ddThh'.length);
}

function parseTime(name: string, text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) {
    throw new InvalidValueError(
      `${name} ${JSON.stringify(text)} is not a time; ISO 8601 is allowed, e.g. 2026-11-30T12:00:00Z`,
    );
  }
  return ms;
}
