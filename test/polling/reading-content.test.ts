import { contentOf } from '../../lib/polling/reading-content';
import type { RegistryReading } from '../../lib/registries/registry';
import { delta, endpoints, full, keyOf, known, REGISTRY, seen } from '../support/readings';

const api = seen('api', 1);
const web = seen('web', 2);

const KNOWN = known(api, web);
const BEFORE = [{ source: 'file/old', reason: 'forbidden' }];

const content = (reading: RegistryReading) => contentOf(reading, KNOWN, REGISTRY, BEFORE);

const keys = (entries: Iterable<readonly [string, unknown]>) => [...entries].map(([key]) => key);

describe('a full reading', () => {
  test('is complete when everything could be read; what it lacks is gone', () => {
    const note = { code: 'Note', message: 'something' };
    const { present, ...rest } = content(full([api], [], [note]));
    expect([...present]).toEqual([[api.key, api]]);
    expect(rest).toEqual({
      kind: 'complete',
      gone: new Set([web.key]),
      contradicted: new Set(),
      unreadable: [],
      notes: [note],
    });
  });

  test('is partial when a source could not be read; what was unreadable before does not count', () => {
    expect(content(full([api, web], ['file/x']))).toMatchObject({
      kind: 'partial',
      gone: new Set(),
      unreadable: [{ source: 'file/x', reason: 'forbidden' }],
    });
  });

  test('pitfall 15: two different snapshots of a service are none of it: the reading is partial, and the service not gone', () => {
    const { present, ...rest } = content(full([api, seen('web', 1), seen('web', 3), seen('web', 1)], ['file/x']));
    expect(keys(present)).toEqual([api.key]);
    expect(rest).toMatchObject({
      kind: 'partial',
      gone: new Set(),
      contradicted: new Set([web.key]),
      unreadable: [
        { source: 'file/x', reason: 'forbidden' },
        { source: web.key, reason: 'The reading holds two different snapshots of this service; it stays as it was' },
      ],
    });
  });

  test('the same snapshot twice is one', () => {
    const again = seen('web', endpoints(2));
    expect(content(full([web, again]))).toMatchObject({
      kind: 'complete',
      present: new Map([[web.key, again]]),
      contradicted: new Set(),
      unreadable: [],
    });
  });
});

describe('a delta', () => {
  test('removes what it names and is known, says nothing of the rest, and leaves what is unreadable as it was', () => {
    const { present, ...rest } = content(delta([seen('api', 4)], [web.key, keyOf('stranger')]));
    expect(keys(present)).toEqual([api.key]);
    expect(rest).toEqual({
      kind: 'delta',
      gone: new Set([web.key]),
      contradicted: new Set(),
      unreadable: BEFORE,
      notes: [],
    });
  });

  test.each([
    ['that removes what it brings', delta([web], [keyOf('other'), web.key])],
    ['that brings two different snapshots', delta([api, web, seen('web', 3)])],
  ])('%s contradicts itself', (_, reading) => {
    expect(() => content(reading)).toThrow(
      expect.objectContaining({
        code: 'InvalidReadingError',
        message: `A change of ${REGISTRY} says two different things of ${web.key}`,
        details: { registry: REGISTRY, service: web.key },
      }) as Error,
    );
  });
});

test.each([
  full([api, seen('web', 1, { registry: 'Mock/other' })]),
  delta([seen('web', 1, { registry: 'Mock/other' })]),
])('a snapshot of another registry is refused ($type)', (reading) => {
  expect(() => content(reading)).toThrow(
    `A reading of ${REGISTRY} holds ${web.key} of Mock/other; allowed: its own services`,
  );
});
