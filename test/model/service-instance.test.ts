import { instancesOf } from '../../lib/model/service-instance';
import type { CatalogEntry } from '../../lib/model/catalog-entry';
import { mergeService } from '../../lib/aggregation/merge-service';
import { endpoint, port, storedSnapshot } from '../support/stored-snapshots';

function entry(): CatalogEntry {
  const merged = mergeService([
    storedSnapshot('Mock/demo', {
      service: { ports: [port('admin', 9090), port('http', 80)] },
      endpoints: [
        endpoint('10.0.0.1'),
        endpoint('10.0.0.2'),
        endpoint('10.0.0.1', { servicePort: 'admin', port: 9090 }),
      ],
    }),
  ]);
  if (merged === undefined) throw new Error('a snapshot makes an entry');
  const cause = { registry: 'Mock/demo', pollId: 'p', observedAt: '2026-01-01T00:00:00.000Z' } as const;
  return { ...merged.service, version: 1, cause, updatedAt: '2026-01-01T00:00:00.000Z' };
}

test.each([
  [undefined, ['http 10.0.0.1', 'http 10.0.0.2', 'admin 10.0.0.1']],
  [80, ['http 10.0.0.1', 'http 10.0.0.2']],
  [9090, ['admin 10.0.0.1']],
  [81, []],
])('the instances of port %s: ports in order, then endpoints', (portNumber, instances) => {
  const service = entry();
  const found = instancesOf(service, portNumber);
  expect(found.map(({ servicePort, endpoint: { addresses } }) => `${servicePort.name} ${addresses[0]}`)).toEqual(
    instances,
  );
  expect(found.every((instance) => instance.service === service)).toBe(true);
});
