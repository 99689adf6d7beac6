import { diffEntry } from '../../lib/changes/diff-entry';
import { EVENT_LIMIT_BYTES, eventBytes } from '../../lib/changes/event-size';
import { makeChangeEvent } from '../../lib/changes/make-change-event';
import { isServiceChange, type ServiceChangeEvent } from '../../lib/changes/pilotless-event';
import type { CatalogEntry } from '../../lib/model/catalog-entry';
import { compareCatalogEndpoints } from '../../lib/model/endpoint';
import { catalogEndpoint, catalogEntry } from '../support/catalog-entries';
import { schemaErrors } from '../support/event-schema-validator';

const AT = '2026-11-30T12:00:05.000Z';

function eventOf(before: CatalogEntry | undefined, after: CatalogEntry | undefined): ServiceChangeEvent {
  const change = diffEntry(before, after);
  const { key, version, cause } = after ?? catalogEntry();
  if (change === undefined) throw new Error('no change');
  const event = makeChangeEvent({ key, version, cause, change, at: AT });
  expect(eventBytes(event)).toBeLessThan(EVENT_LIMIT_BYTES);
  expect(schemaErrors(event.type, event.detail)).toEqual([]);
  expect(isServiceChange(event)).toBe(true);
  return event;
}

function endpoints(count: number, more: Partial<ReturnType<typeof catalogEndpoint>> = {}, net = 0) {
  return Array.from({ length: count }, (_, index) =>
    catalogEndpoint(`10.${net}.${Math.floor(index / 250)}.${index % 250}`, more),
  );
}

describe('makeChangeEvent', () => {
  test('says what changed, of which service, why and when', () => {
    const [one, two, three] = [catalogEndpoint('10.0.0.1'), catalogEndpoint('10.0.0.2'), catalogEndpoint('10.0.0.3')];
    const before = catalogEntry({ endpoints: [one, two] });
    const after = catalogEntry({ endpoints: [{ ...one, health: 'Draining' }, three], version: 1_796_004_621_758 });
    const summary = { port: 8080, servicePort: 'http', registry: 'Kubernetes/a', health: 'Healthy' };
    expect(eventOf(before, after)).toEqual({
      type: 'Endpoints Changed',
      detail: {
        metadata: {
          schema: 1,
          id: 'shop/cart.shop.svc.cluster.local@1796004621758',
          at: AT,
          correlationId: 'poll-1',
          cause: { registry: 'Kubernetes/a', observedAt: '2026-11-30T12:00:00.000Z' },
        },
        service: {
          key: 'shop/cart.shop.svc.cluster.local',
          hostname: 'cart.shop.svc.cluster.local',
          namespace: 'shop',
          version: 1_796_004_621_758,
        },
        change: {
          type: 'Endpoints Changed',
          fields: ['endpoints'],
          push: 'incremental',
          endpoints: {
            before: 2,
            after: 2,
            added: [{ ...summary, address: '10.0.0.3', workload: 'shop/pod-10.0.0.3' }],
            removed: [{ ...summary, address: '10.0.0.2', workload: 'shop/pod-10.0.0.2' }],
            changed: [{ ...summary, address: '10.0.0.1', workload: 'shop/pod-10.0.0.1', health: 'Draining' }],
            truncated: false,
            counts: { added: 1, removed: 1, changed: 1 },
          },
        },
        state: {
          hostname: 'cart.shop.svc.cluster.local',
          namespace: 'shop',
          name: 'cart',
          address: '0.0.0.0',
          addresses: [],
          autoAddresses: [],
          ports: [{ name: 'http', number: 80, protocol: 'HTTP', transport: 'TCP' }],
          resolution: 'ClientSideLB',
          meshExternal: false,
          serviceAccounts: [],
          exportTo: [],
          labels: {},
          clusterVips: {},
          externalAddresses: {},
          attributes: {},
          conflicts: [],
        },
        stateTruncated: false,
      },
    });
  });

  test('pitfall 27: a deletion names the real key and carries the last state', () => {
    const { detail } = eventOf(catalogEntry({ endpoints: endpoints(2), labels: { team: 'a' } }), undefined);
    expect(detail.service).toMatchObject({ namespace: 'shop', hostname: 'cart.shop.svc.cluster.local' });
    expect(detail.state.labels).toEqual({ team: 'a' });
    expect(detail.change.endpoints).toMatchObject({ before: 2, after: 0, counts: { removed: 2 } });
  });

  test('a state that fits is whole', () => {
    const members = {
      address: '10.0.0.1',
      addresses: ['10.0.0.1', 'fd00::1'],
      autoAddresses: ['240.240.0.1'],
      serviceAccounts: ['spiffe://a', 'spiffe://b'],
      exportTo: ['.', 'shop'],
      labels: { a: '1', b: '2' },
      clusterVips: { a: ['10.0.0.1', 'fd00::1'], b: ['10.0.0.2'] },
      externalAddresses: { a: ['203.0.113.1'] },
      attributes: {
        type: 'NodePort',
        externalName: 'x.example.com',
        selector: { app: 'cart' },
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Local',
        trafficDistribution: 'PreferClose',
        publishNotReadyAddresses: true,
        nodePorts: { 'TCP/80': 30_080 },
      },
      conflicts: [
        {
          type: 'LabelsConflict',
          field: 'labels',
          winner: { registry: 'Kubernetes/a', value: { a: '1' } },
          losers: [
            { registry: 'External/x', source: 'a.yaml', value: ['1', '2'] },
            { registry: 'External/x', value: 'text' },
          ],
        },
      ],
    } as const satisfies Partial<CatalogEntry>;
    const { state, stateTruncated } = eventOf(undefined, catalogEntry(members)).detail;
    expect(state).toMatchObject(members);
    expect(stateTruncated).toBe(false);
  });

  describe('with more endpoints than fit', () => {
    test('lists the first of each kind in turn, and counts all', () => {
      const before = catalogEntry({ endpoints: [...endpoints(400), ...endpoints(400, {}, 1)] });
      const after = catalogEntry({ endpoints: [...endpoints(400, { weight: 2 }), ...endpoints(400, {}, 2)] });
      const { endpoints: change } = eventOf(before, after).detail.change;
      expect(change).toMatchObject({
        before: 800,
        after: 800,
        truncated: true,
        counts: { added: 400, removed: 400, changed: 400 },
      });
      expect(change.added.length).toBeGreaterThan(100);
      expect(change.removed.length - change.added.length).toBeLessThanOrEqual(1);
      expect(change.added.length - change.changed.length).toBeLessThanOrEqual(1);
      expect(change.removed.map(({ address }) => address)).toEqual(
        endpoints(400, {}, 1)
          .sort(compareCatalogEndpoints)
          .slice(0, change.removed.length)
          .map(({ addresses }) => addresses[0]),
      );
    });

    test('fills the event: one more would not have fitted', () => {
      const event = eventOf(undefined, catalogEntry({ endpoints: endpoints(1000) }));
      const { added } = event.detail.change.endpoints;
      const oneMore = Buffer.byteLength(JSON.stringify(added[0])) + 30;
      expect(eventBytes(event)).toBeGreaterThan(EVENT_LIMIT_BYTES - oneMore);
      expect(event.detail.stateTruncated).toBe(false);
    });

    test('a short list is whole beside a long one', () => {
      const before = catalogEntry({ endpoints: endpoints(3, {}, 1) });
      const { removed, added } = eventOf(before, catalogEntry({ endpoints: endpoints(1000) })).detail.change.endpoints;
      expect(removed).toHaveLength(3);
      expect(added.length).toBeGreaterThan(300);
    });
  });

  describe('with a larger state than fits', () => {
    const labels = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`label-${index}`, 'v'.repeat(900)]));

    test('the state is cut, and has all the room when there are few endpoints', () => {
      const event = eventOf(undefined, catalogEntry({ labels, endpoints: endpoints(1) }));
      expect(event.detail.stateTruncated).toBe(true);
      expect(event.detail.change.endpoints).toMatchObject({ truncated: false, counts: { added: 1 } });
      const kept = Object.keys(event.detail.state.labels);
      expect(kept).toEqual(Object.keys(labels).slice(0, kept.length));
      expect(eventBytes(event)).toBeGreaterThan(EVENT_LIMIT_BYTES - 1000);
    });

    test('state and endpoints have half of the room each when both are too large', () => {
      const { state, change } = eventOf(undefined, catalogEntry({ labels, endpoints: endpoints(1000) })).detail;
      const stateBytes = Buffer.byteLength(JSON.stringify(state));
      expect(stateBytes).toBeGreaterThan(31_000);
      expect(stateBytes).toBeLessThanOrEqual(32_768);
      expect(Buffer.byteLength(JSON.stringify(change.endpoints))).toBeGreaterThan(31_000);
    });

    test('ports and addresses come before labels, and conflicts last', () => {
      const text = 'x'.repeat(900);
      const conflicts: CatalogEntry['conflicts'] = Array.from({ length: 100 }, (_, index) => ({
        type: 'LabelsConflict',
        field: `labels-${index}`,
        winner: { registry: 'Kubernetes/a', value: text },
        losers: [{ registry: 'Consul/dc1', value: text }],
      }));
      const first = { addresses: ['10.0.0.1'], clusterVips: { a: ['10.0.0.1'] }, serviceAccounts: ['spiffe://a'] };
      const { state } = eventOf(undefined, catalogEntry({ ...first, labels: { a: text }, conflicts })).detail;
      expect(state).toMatchObject({ ...first, labels: { a: text } });
      expect(state.conflicts).toEqual(conflicts.slice(0, state.conflicts.length));
      expect(state.conflicts.length).toBeGreaterThan(20);

      const crowded = eventOf(undefined, catalogEntry({ ...first, labels, conflicts })).detail.state;
      expect(crowded).toMatchObject({ ...first, ports: [{ name: 'http' }], conflicts: [] });
    });

    test('the list of a cluster is there as a whole or not at all', () => {
      const list = Array.from({ length: 3000 }, (_, index) => `10.0.${Math.floor(index / 250)}.${index % 250}`);
      const { state } = eventOf(undefined, catalogEntry({ clusterVips: { a: list, b: list } })).detail;
      expect(state.clusterVips).toEqual({ a: list });
    });
  });

  test('texts over 1 KB are cut wherever they are', () => {
    const long = 'ä'.repeat(2000);
    const cut = 'ä'.repeat(512);
    const { state, change, stateTruncated } = eventOf(
      undefined,
      catalogEntry({
        name: long,
        address: long,
        addresses: [long],
        ports: [{ name: long, number: 80, protocol: 'HTTP', transport: 'TCP' }],
        labels: { [long]: long },
        clusterVips: { a: [long] },
        attributes: { externalName: long, selector: { app: long } },
        conflicts: [
          {
            type: 'PortConflict',
            field: long,
            winner: { registry: 'Kubernetes/a', source: long, value: long },
            losers: [
              { registry: 'Consul/dc1', value: [long] },
              { registry: 'Consul/dc2', value: { [long]: long } },
            ],
          },
        ],
        endpoints: [catalogEndpoint(long, { servicePort: long, workload: { namespace: 'shop', name: long } })],
      }),
    ).detail;
    expect(stateTruncated).toBe(true);
    expect(state).toMatchObject({
      name: cut,
      address: cut,
      addresses: [cut],
      ports: [{ name: cut }],
      labels: { [cut]: cut },
      clusterVips: { a: [cut] },
      attributes: { externalName: cut, selector: { app: cut } },
      conflicts: [
        {
          field: cut,
          winner: { registry: 'Kubernetes/a', source: cut, value: cut },
          losers: [
            { registry: 'Consul/dc1', value: [cut] },
            { registry: 'Consul/dc2', value: { [cut]: cut } },
          ],
        },
      ],
    });
    expect(change.endpoints).toMatchObject({
      truncated: true,
      added: [{ address: cut, servicePort: cut, workload: `shop/${'ä'.repeat(509)}` }],
    });
  });

  test('stays under the limit even if everything that cannot be left out is as long as can be', () => {
    const worst = '\u0001'.repeat(5000);
    const key = `${'n'.repeat(400)}/${'\u0001'.repeat(600)}` as const;
    const entry = catalogEntry({
      key,
      namespace: 'n'.repeat(400),
      hostname: '\u0001'.repeat(600),
      name: worst,
      address: worst,
      attributes: {
        type: worst,
        externalName: worst,
        sessionAffinity: worst,
        internalTrafficPolicy: worst,
        trafficDistribution: worst,
        selector: { [worst]: worst },
      },
      endpoints: endpoints(100, { servicePort: worst }),
    });
    expect(eventOf(undefined, entry).detail.service.key).toBe(key);
  });
});
