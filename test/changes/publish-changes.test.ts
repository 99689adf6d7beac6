import { MemoryCatalogStore } from '../../lib/catalog/memory-catalog-store';
import type { PublishFailure } from '../../lib/changes/event-publisher';
import { MemoryChangeStore } from '../../lib/changes/memory-change-store';
import { MemoryEventPublisher } from '../../lib/changes/memory-event-publisher';
import { MemoryPublishedStore } from '../../lib/changes/memory-published-store';
import type { PilotlessEvent } from '../../lib/changes/pilotless-event';
import { publishChanges, type PublicationPorts } from '../../lib/changes/publish-changes';
import { AppError } from '../../lib/model/app-error';
import type { CatalogRecord } from '../../lib/model/catalog-entry';
import type { ServiceKey } from '../../lib/model/service-key';
import { VersionConflictError } from '../../lib/model/store-errors';
import { MemoryMetrics } from '../../lib/runtime/memory-metrics';
import { catalogEndpoint, catalogEntry, catalogTombstone } from '../support/catalog-entries';
import { CollectedLog } from '../support/collected-log';
import { ManualClock } from '../support/manual-clock';
import { collect } from '../support/store-under-test';

const CART: ServiceKey = 'shop/cart.shop.svc.cluster.local';
const BASKET: ServiceKey = 'shop/basket.shop.svc.cluster.local';
const one = catalogEndpoint('10.0.0.1');
const two = catalogEndpoint('10.0.0.2');
const v1 = catalogEntry({ version: 1, endpoints: [one] });
const v2 = catalogEntry({ version: 2, endpoints: [one, two] });
const v3 = catalogEntry({ version: 3, endpoints: [two] });
const basket = catalogEntry({ key: BASKET, hostname: 'basket.shop.svc.cluster.local', name: 'basket', version: 1 });

/** The stage on memory stores; steps can be made to fail. */
function setUp() {
  const clock = new ManualClock('2026-11-30T12:00:02.500Z');
  const sent: PilotlessEvent[] = [];
  const stores = {
    catalog: new MemoryCatalogStore(clock),
    published: new MemoryPublishedStore(clock),
    changes: new MemoryChangeStore(clock),
  };
  const events = new MemoryEventPublisher((event) => void sent.push(event));
  const log = new CollectedLog();
  const metrics = new MemoryMetrics();
  const ports: PublicationPorts = { ...stores, events, clock, log, metrics };
  return { ...stores, events, clock, sent, log, metrics, ports };
}

type Stage = ReturnType<typeof setUp>;

/** The catalog comes to hold that record. */
async function hold({ catalog }: Stage, record: CatalogRecord) {
  await catalog.put(record, (await catalog.get(record.key))?.version);
}

function typesAndIds(events: readonly PilotlessEvent[]) {
  return events.map(({ type, detail }) => `${type} ${detail.metadata.id}`);
}

function linesOf({ log }: Stage, level: string) {
  return log.lines.filter((line) => line.level === level).map(({ message, facts }) => ({ message, ...facts }));
}

describe('publishChanges', () => {
  test('writes the history, sends the event and advances Published, in this order', async () => {
    const stage = setUp();
    await hold(stage, v1);
    const steps: string[] = [];
    const { changes, published } = stage;
    const ports: PublicationPorts = {
      ...stage.ports,
      changes: {
        history: (key, options) => changes.history(key, options),
        put: (change) => {
          steps.push('history');
          return changes.put(change);
        },
      },
      events: new MemoryEventPublisher(({ type }) => void steps.push(type)),
      published: {
        get: (key) => published.get(key),
        put: (record, expected) => {
          steps.push('published');
          return published.put(record, expected);
        },
      },
    };
    expect(await publishChanges([CART], ports)).toEqual([
      { key: CART, result: 'published', version: 1, type: 'Service Added' },
    ]);
    expect(steps).toEqual(['history', 'Service Added', 'published']);
    expect(await published.get(CART)).toEqual(v1);
    expect(await collect(changes.history(CART))).toMatchObject([
      { key: CART, version: 1, publishedAt: '2026-11-30T12:00:02.500Z', after: v1, event: { type: 'Service Added' } },
    ]);
  });

  test('reads Published before the catalog, so that it never looks back', async () => {
    const stage = setUp();
    const { catalog, published } = stage;
    await hold(stage, v1);
    await publishChanges([CART], stage.ports);
    const ports: PublicationPorts = {
      ...stage.ports,
      published: {
        get: async (key) => {
          const last = await published.get(key);
          await hold(stage, v2);
          return last;
        },
        put: published.put.bind(published),
      },
      catalog: { get: (key) => catalog.get(key) },
    };
    expect(await publishChanges([CART], ports)).toMatchObject([{ result: 'published', version: 2 }]);
  });

  test('what was published is not published again', async () => {
    const stage = setUp();
    await hold(stage, v1);
    await publishChanges([CART], stage.ports);
    expect(await publishChanges([CART], stage.ports)).toEqual([{ key: CART, result: 'unchanged' }]);
    expect(typesAndIds(stage.sent)).toEqual([`Service Added ${CART}@1`]);
  });

  test('pitfall 24: several versions of a key, and several records of it, are one look and one event', async () => {
    const stage = setUp();
    await hold(stage, v1);
    await publishChanges([CART], stage.ports);
    await hold(stage, v2);
    await hold(stage, v3);
    await publishChanges([CART, CART, CART], stage.ports);
    expect(typesAndIds(stage.sent)).toEqual([`Service Added ${CART}@1`, `Endpoints Changed ${CART}@3`]);
    expect(stage.sent[1]?.detail).toMatchObject({
      change: {
        endpoints: { before: 1, after: 1, added: [{ address: '10.0.0.2' }], removed: [{ address: '10.0.0.1' }] },
      },
    });
  });

  test('pitfall 35: a change whose delivery failed is told again, and then what has changed since', async () => {
    const stage = setUp();
    await hold(stage, v1);
    await publishChanges([CART], stage.ports);
    await hold(stage, v2);
    const broken = { ...stage.ports, events: { publish: () => Promise.reject(new Error('bus down')) } };
    expect(await publishChanges([CART], broken)).toMatchObject([{ result: 'failed', transient: true }]);
    await hold(stage, catalogEntry({ version: 3, endpoints: [one, two], labels: { a: 'b' } }));
    await publishChanges([CART], stage.ports);
    expect(typesAndIds(stage.sent)).toEqual([
      `Service Added ${CART}@1`,
      `Endpoints Changed ${CART}@2`,
      `Service Updated ${CART}@3`,
    ]);
    expect(stage.sent[2]).toMatchObject({ detail: { change: { fields: ['labels'], endpoints: { added: [] } } } });
    expect((await stage.published.get(CART))?.version).toBe(3);
  });

  test.each([
    ['before the bus took it', 'events'],
    ['after the bus took it', 'published'],
  ] as const)('a change whose publisher died %s is taken back when the catalog goes back', async (_, breaks) => {
    const stage = setUp();
    await hold(stage, v1);
    await publishChanges([CART], stage.ports);
    await hold(stage, v2);
    const down = () => Promise.reject(new Error('down'));
    const { published } = stage;
    await publishChanges([CART], {
      ...stage.ports,
      ...(breaks === 'events'
        ? { events: { publish: down } }
        : { published: { get: (key: ServiceKey) => published.get(key), put: down } }),
    });
    await hold(stage, { ...v1, version: 3 });
    await publishChanges([CART], stage.ports);
    expect(typesAndIds(stage.sent).slice(-2)).toEqual([`Endpoints Changed ${CART}@2`, `Endpoints Changed ${CART}@3`]);
    expect((await published.get(CART))?.version).toBe(3);
    expect(await publishChanges([CART], stage.ports)).toEqual([{ key: CART, result: 'unchanged' }]);
  });

  test('a deletion whose publisher died is taken back when the service returns', async () => {
    const stage = setUp();
    await hold(stage, v1);
    await publishChanges([CART], stage.ports);
    await hold(stage, catalogTombstone({ version: 5 }));
    const { published } = stage;
    const put = () => Promise.reject(new Error('down'));
    await publishChanges([CART], { ...stage.ports, published: { get: (key) => published.get(key), put } });
    await hold(stage, { ...v1, version: 6 });
    await publishChanges([CART], stage.ports);
    expect(typesAndIds(stage.sent).slice(-2)).toEqual([`Service Deleted ${CART}@5`, `Service Added ${CART}@6`]);
  });

  test('a deletion is told and leaves its tombstone in Published', async () => {
    const stage = setUp();
    await hold(stage, v1);
    await publishChanges([CART], stage.ports);
    const tombstone = catalogTombstone({ version: 5 });
    await hold(stage, tombstone);
    expect(await publishChanges([CART], stage.ports)).toEqual([
      { key: CART, result: 'published', version: 5, type: 'Service Deleted' },
    ]);
    expect(await stage.published.get(CART)).toEqual(tombstone);
    expect(await collect(stage.changes.history(CART))).toHaveLength(2);
    expect(await publishChanges([CART], stage.ports)).toEqual([{ key: CART, result: 'unchanged' }]);
  });

  test('Published follows without a word when nothing differs that consumers see', async () => {
    const stage = setUp();
    await hold(stage, v1);
    await publishChanges([CART], stage.ports);
    const silent = { ...v1, version: 2, registries: [] };
    await hold(stage, silent);
    expect(await publishChanges([CART], stage.ports)).toEqual([{ key: CART, result: 'unchanged' }]);
    expect(await stage.published.get(CART)).toEqual(silent);
    expect(stage.sent).toHaveLength(1);
    expect(await collect(stage.changes.history(CART))).toHaveLength(1);
  });

  test('a change that was told but not settled is nothing to repeat while there is nothing to publish', async () => {
    const stage = setUp();
    await hold(stage, v1);
    await hold(stage, v2);
    await publishChanges([CART], stage.ports);
    const restored = { ...stage.ports, catalog: { get: () => Promise.resolve(v1) } };
    await stage.published.put(v1, 2);
    expect(await publishChanges([CART], restored)).toEqual([{ key: CART, result: 'unchanged' }]);
    expect(stage.sent).toHaveLength(1);
  });

  test('sends the events of all keys together', async () => {
    const stage = setUp();
    await hold(stage, v1);
    await hold(stage, basket);
    const publish = jest.spyOn(stage.events, 'publish');
    await publishChanges([CART, BASKET, 'shop/unknown'], stage.ports);
    expect(publish).toHaveBeenCalledTimes(1);
    expect(typesAndIds(stage.sent)).toEqual([`Service Added ${CART}@1`, `Service Added ${BASKET}@1`]);
  });

  test('does not call the bus with nothing', async () => {
    const stage = setUp();
    const publish = jest.spyOn(stage.events, 'publish');
    expect(await publishChanges([CART], stage.ports)).toEqual([{ key: CART, result: 'unchanged' }]);
    expect(publish).not.toHaveBeenCalled();
  });

  describe('one key that fails harms no other', () => {
    const refused = new AppError('no', { code: 'Refused' });

    async function withTwo() {
      const stage = setUp();
      await hold(stage, v1);
      await hold(stage, basket);
      return stage;
    }

    const basketIsPublished = { key: BASKET, result: 'published', version: 1, type: 'Service Added' };

    test('when it cannot be read', async () => {
      const stage = await withTwo();
      const { catalog } = stage;
      const get = (key: ServiceKey) => (key === CART ? Promise.reject(refused) : catalog.get(key));
      expect(await publishChanges([CART, BASKET], { ...stage.ports, catalog: { get } })).toEqual([
        { key: CART, result: 'failed', transient: false, error: { code: 'Refused', message: 'no' } },
        basketIsPublished,
      ]);
    });

    test('when its history cannot be written: then its event is not sent', async () => {
      const stage = await withTwo();
      const { changes } = stage;
      const put: typeof changes.put = (change) => (change.key === CART ? Promise.reject(refused) : changes.put(change));
      expect(
        await publishChanges([CART, BASKET], {
          ...stage.ports,
          changes: { put, history: (key, options) => changes.history(key, options) },
        }),
      ).toEqual([
        { key: CART, result: 'failed', transient: false, error: { code: 'Refused', message: 'no' } },
        basketIsPublished,
      ]);
      expect(typesAndIds(stage.sent)).toEqual([`Service Added ${BASKET}@1`]);
    });

    test.each([true, false])('pitfall 26: when the bus does not take its event (transient: %s)', async (transient) => {
      const stage = await withTwo();
      const publish = (events: readonly PilotlessEvent[]): Promise<readonly PublishFailure[]> =>
        Promise.resolve(events.slice(0, 1).map((event) => ({ event, reason: 'ThrottlingException', transient })));
      expect(await publishChanges([CART, BASKET], { ...stage.ports, events: { publish } })).toEqual([
        {
          key: CART,
          result: 'failed',
          transient,
          error: {
            code: 'EventNotTakenError',
            message: `The bus did not take the event ${CART}@1: ThrottlingException`,
          },
        },
        basketIsPublished,
      ]);
      expect(await stage.published.get(CART)).toBeUndefined();
      expect(await stage.published.get(BASKET)).toEqual(basket);
      expect(stage.metrics.sum('ChangesPublished')).toBe(1);
    });

    test('when Published cannot be written: then its event may be sent again, with the same id', async () => {
      const stage = await withTwo();
      const { published } = stage;
      const put: typeof published.put = (record, expected) =>
        record.key === CART ? Promise.reject(refused) : published.put(record, expected);
      const ports = { ...stage.ports, published: { get: published.get.bind(published), put } };
      expect(await publishChanges([CART, BASKET], ports)).toMatchObject([
        { key: CART, result: 'failed' },
        basketIsPublished,
      ]);
      await publishChanges([CART], stage.ports);
      expect(typesAndIds(stage.sent)).toEqual([
        `Service Added ${CART}@1`,
        `Service Added ${BASKET}@1`,
        `Service Added ${CART}@1`,
      ]);
      expect(await collect(stage.changes.history(CART))).toHaveLength(1);
    });
  });

  test('when nothing can be said of what the bus took, all keys with a change fail and the others do not', async () => {
    const stage = setUp();
    await hold(stage, v1);
    await hold(stage, basket);
    const down = new AppError('no bus', { code: 'EventBridgeError' });
    const ports = { ...stage.ports, events: { publish: () => Promise.reject(down) } };
    const error = { code: 'EventBridgeError', message: 'no bus' };
    expect(await publishChanges([CART, 'shop/unknown', BASKET], ports)).toEqual([
      { key: CART, result: 'failed', transient: false, error },
      { key: BASKET, result: 'failed', transient: false, error },
      { key: 'shop/unknown', result: 'unchanged' },
    ]);
    expect(stage.metrics.sum('ChangesPublished')).toBe(0);
  });

  describe('when somebody else publishes meanwhile', () => {
    test('looks again, and tells what they have not told', async () => {
      const stage = setUp();
      await hold(stage, v1);
      const { published } = stage;
      let overtaken = false;
      const ports: PublicationPorts = {
        ...stage.ports,
        published: {
          get: (key) => published.get(key),
          put: async (record, expected) => {
            if (!overtaken) {
              overtaken = true;
              await publishChanges([CART], stage.ports);
              await hold(stage, v2);
            }
            return published.put(record, expected);
          },
        },
      };
      expect(await publishChanges([CART], ports)).toMatchObject([{ result: 'published', version: 2 }]);
      expect(typesAndIds(stage.sent)).toEqual([
        `Service Added ${CART}@1`,
        `Service Added ${CART}@1`,
        `Endpoints Changed ${CART}@2`,
      ]);
      expect(stage.metrics.sum('ChangesPublished')).toBe(3);
    });

    test('gives up after five looks, for a later delivery', async () => {
      const stage = setUp();
      await hold(stage, v1);
      const put = jest.fn(() => Promise.reject(new VersionConflictError('Published', CART, undefined)));
      const ports = { ...stage.ports, published: { get: () => Promise.resolve(undefined), put } };
      expect(await publishChanges([CART], ports)).toMatchObject([
        { result: 'failed', transient: true, error: { code: 'VersionConflictError' } },
      ]);
      expect(put).toHaveBeenCalledTimes(5);
    });
  });

  test('says what it did in one line and in metrics, zeros included', async () => {
    const stage = setUp();
    await hold(stage, v1);
    await publishChanges([CART, 'shop/unknown'], stage.ports);
    expect(linesOf(stage, 'info')).toEqual([
      { message: 'Changes published', keys: 2, published: 1, unchanged: 1, failed: 0 },
    ]);
    expect(linesOf(stage, 'debug')).toEqual([
      { message: 'Change published', key: CART, version: 1, type: 'Service Added', pollId: 'poll-1' },
    ]);
    expect(stage.metrics.sum('PublishRuns')).toBe(1);
    expect(stage.metrics.sum('PublishFailures')).toBe(0);
    expect(stage.metrics.sum('ChangesPublished')).toBe(1);
    expect(stage.metrics.last('PropagationSeconds')).toBe(2.5);
  });

  test('a change seen by a clock that runs ahead took no time', async () => {
    const stage = setUp();
    await hold(stage, { ...v1, cause: { ...v1.cause, observedAt: '2026-11-30T12:00:09.000Z' } });
    await publishChanges([CART], stage.ports);
    expect(stage.metrics.last('PropagationSeconds')).toBe(0);
  });

  test('logs each key that failed, once', async () => {
    const stage = setUp();
    await hold(stage, v1);
    const ports = { ...stage.ports, events: { publish: () => Promise.reject(new AppError('no bus', { code: 'X' })) } };
    await publishChanges([CART], ports);
    expect(linesOf(stage, 'error')).toEqual([
      { message: 'Change not published', key: CART, code: 'X', reason: 'no bus', transient: false },
    ]);
    expect(stage.metrics.sum('PublishFailures')).toBe(1);
    expect(linesOf(stage, 'info')).toMatchObject([{ keys: 1, published: 0, unchanged: 0, failed: 1 }]);
  });
});
