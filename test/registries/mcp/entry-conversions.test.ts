import fc from 'fast-check';
import { convertServiceEntries } from '../../../lib/registries/external/convert-service-entries';
import type { ServiceEntry, WorkloadEntry } from '../../../lib/registries/external/entries';
import { workloadOfEntry } from '../../../lib/registries/external/selectable-workload';
import { indexWorkloads } from '../../../lib/registries/external/workload-index';
import { EntryConversions } from '../../../lib/registries/mcp/entry-conversions';
import { decodedServiceEntry, decodedWorkloadEntry } from '../../support/decoded-entries';

const REGISTRY = 'MCP/test';

function entry(name: string, spec: object): ServiceEntry {
  return decodedServiceEntry({ metadata: { name, namespace: 'shop' }, spec, source: `ServiceEntry/shop/${name}` });
}

function workload(name: string, app: string, address = '10.0.0.1'): WorkloadEntry {
  return decodedWorkloadEntry({
    metadata: { name, namespace: 'shop' },
    spec: { address, labels: { app } },
    source: `WorkloadEntry/shop/${name}`,
  });
}

const ports = [{ number: 80, name: 'http', protocol: 'HTTP' }];
const selecting = (name: string, app: string) =>
  entry(name, { hosts: [`${name}.example.com`], ports, resolution: 'STATIC', workloadSelector: { labels: { app } } });

test('converts as a whole and by parts to the same, whatever comes and goes', () => {
  const entries = [
    selecting('cart', 'cart'),
    selecting('stock', 'stock'),
    entry('web', { hosts: ['web.example.com', 'www.example.com'], ports, resolution: 'DNS' }),
    entry('web-2', { hosts: ['web.example.com'], ports: [{ ...ports[0], number: 8080 }], resolution: 'DNS' }),
  ];
  const workloads = ['cart', 'stock', 'other'].flatMap((app) => [
    workload(`${app}-1`, app),
    workload(`${app}-2`, app, '10.0.0.2'),
  ]);
  const step = fc.record({ entries: fc.shuffledSubarray(entries), workloads: fc.shuffledSubarray(workloads) });

  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      const conversions = new EntryConversions(REGISTRY, 'cluster.local');
      for (const { entries: present, workloads: running } of steps) {
        const index = indexWorkloads(running.flatMap((one) => workloadOfEntry(one, 'cluster.local') ?? []));
        expect(conversions.convert(present, running)).toEqual(
          convertServiceEntries(present, { registry: REGISTRY, trustDomain: 'cluster.local', workloads: index }),
        );
      }
    }),
  );
});

test('what has not changed is the same value as before', () => {
  const conversions = new EntryConversions(REGISTRY, 'cluster.local');
  const [cart, stock] = [selecting('cart', 'cart'), selecting('stock', 'stock')];
  const running = [workload('cart-1', 'cart'), workload('stock-1', 'stock')];
  const before = conversions.convert([cart, stock], running).snapshots;

  const after = conversions.convert([cart, stock], [...running, workload('stock-2', 'stock')]).snapshots;

  expect(after[0]).toBe(before[0]);
  expect(after[1]!.endpoints).toHaveLength(2);
});

test('an entry that is another value is converted again', () => {
  const conversions = new EntryConversions(REGISTRY, 'cluster.local');
  const before = conversions.convert([selecting('cart', 'cart')], []).snapshots;
  const after = conversions.convert([selecting('cart', 'cart')], []).snapshots;
  expect(after).toEqual(before);
  expect(after[0]).not.toBe(before[0]);
});
