import type { ServiceChangeDetail } from '../../lib/changes/pilotless-event';
import { pushRequestOf, pushRequestOfAll } from '../../lib/push/push-request-of';

function detail(push: 'full' | 'incremental'): Pick<ServiceChangeDetail, 'metadata' | 'service' | 'change'> {
  return {
    metadata: {
      schema: 1,
      id: 'shop/cart.example.com@7',
      at: '2026-01-01T00:00:00.000Z',
      correlationId: 'poll-1',
      cause: { registry: 'Mock/demo', observedAt: '2026-01-01T00:00:00.000Z' },
    },
    service: { key: 'shop/cart.example.com', hostname: 'cart.example.com', namespace: 'shop', version: 7 },
    change: {
      type: push === 'full' ? 'Service Updated' : 'Endpoints Changed',
      fields: ['endpoints'],
      push,
      endpoints: {
        before: 1,
        after: 2,
        added: [],
        removed: [],
        changed: [],
        truncated: false,
        counts: { added: 1, removed: 0, changed: 0 },
      },
    },
  };
}

test('endpoints alone are an incremental push of the service', () => {
  expect(pushRequestOf(detail('incremental'), 'push-1')).toEqual({
    full: false,
    all: false,
    configsUpdated: [{ kind: 'Endpoints', name: 'cart.example.com', namespace: 'shop' }],
    reason: { endpoint: 1 },
    start: '2026-01-01T00:00:00.000Z',
    pushId: 'push-1',
  });
});

test('pitfall 27: any other change is a full push that names host and namespace as they are', () => {
  expect(pushRequestOf(detail('full'), 'push-1')).toEqual({
    full: true,
    all: false,
    configsUpdated: [{ kind: 'ServiceEntry', name: 'cart.example.com', namespace: 'shop' }],
    reason: { service: 1 },
    start: '2026-01-01T00:00:00.000Z',
    pushId: 'push-1',
  });
});

test('pitfall 23: a push of everything says so and names nothing', () => {
  expect(pushRequestOfAll('global', '2026-01-01T00:00:00.000Z', 'push-1')).toEqual({
    full: true,
    all: true,
    configsUpdated: [],
    reason: { global: 1 },
    start: '2026-01-01T00:00:00.000Z',
    pushId: 'push-1',
  });
});
