import { EVENT_SOURCE, type PilotlessEvent } from './pilotless-event';

/**
 * Every event stays below this many bytes: what AWS bills as one event ("Amazon EventBridge pricing": each 64 KB chunk of
 * a payload is billed as one event).
 */
export const EVENT_LIMIT_BYTES = 64 * 1024;

/** The time of an entry counts as this many bytes ("Calculating Amazon EventBridge PutEvents event entry size"). */
const TIME_BYTES = 14;

/** Bytes of the text in UTF-8. */
export function utf8Bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Bytes of the value as JSON in UTF-8. */
export function jsonBytes(value: object | string | number | boolean): number {
  return utf8Bytes(JSON.stringify(value));
}

/** Size of an entry with that detail: time, source, detail type and detail, as EventBridge counts (no resources are sent). */
export function entryBytes(detailType: string, detailBytes: number): number {
  return TIME_BYTES + utf8Bytes(EVENT_SOURCE) + utf8Bytes(detailType) + detailBytes;
}

/** Size of the event as an entry of a `PutEvents` call. */
export function eventBytes(event: PilotlessEvent): number {
  return entryBytes(event.type, jsonBytes(event.detail));
}
