import { entryBytes, EVENT_LIMIT_BYTES, eventBytes, jsonBytes, utf8Bytes } from '../../lib/changes/event-size';
import type { PushRequestedEvent } from '../../lib/changes/pilotless-event';

test.each([
  ['', 0],
  ['a', 1],
  ['ü', 2],
  ['€', 3],
  ['😀', 4],
])('%p is %i bytes of UTF-8', (text, bytes) => {
  expect(utf8Bytes(text)).toBe(bytes);
});

test.each([
  ['ü"\n', 8],
  [{ a: ['€'] }, 13],
  [12, 2],
  [true, 4],
])('%j is %i bytes of JSON', (value, bytes) => {
  expect(jsonBytes(value)).toBe(bytes);
});

test('an entry is 14 bytes for its time, then source, detail type and detail', () => {
  expect(entryBytes('Push Requested', 100)).toBe(14 + 'pilotless'.length + 'Push Requested'.length + 100);
  expect(entryBytes('Übung', 0)).toBe(14 + 9 + 6);
});

test('an event is its type and the JSON of its detail', () => {
  const event: PushRequestedEvent = {
    type: 'Push Requested',
    detail: {
      metadata: { schema: 1, id: 'ü', at: '2026-11-30T12:00:00.000Z', correlationId: 'ü' },
      push: { full: true, all: true, configsUpdated: [], reason: { global: 1 }, start: '', pushId: 'ü' },
    },
  };
  expect(eventBytes(event)).toBe(14 + 9 + 14 + Buffer.from(JSON.stringify(event.detail)).length);
});

test('the limit is what AWS bills as one event', () => {
  expect(EVENT_LIMIT_BYTES).toBe(65_536);
});
