import * as fc from 'fast-check';
import { TRIGGER_REASONS, type ConfigKey, type PushRequest } from '../../lib/push/push-request';

export const START = '2026-01-01T00:00:00.000Z';

export function configKey(name: string, kind: ConfigKey['kind'] = 'Endpoints', namespace = 'shop'): ConfigKey {
  return { kind, name, namespace };
}

/** An incremental push of the endpoints of `a`; members can be given. */
export function pushRequest(request: Partial<PushRequest> = {}): PushRequest {
  return {
    full: false,
    all: false,
    configsUpdated: [configKey('a')],
    reason: { endpoint: 1 },
    start: START,
    pushId: 'push-1',
    ...request,
  };
}

const arbitraryKey: fc.Arbitrary<ConfigKey> = fc.record({
  kind: fc.constantFrom('ServiceEntry', 'Endpoints'),
  name: fc.constantFrom('a', 'b', 'c.example.com'),
  namespace: fc.constantFrom('default', 'shop'),
});

/** Requests as changes make them: one key, one reason; or everything. */
export const arbitraryPushRequest: fc.Arbitrary<PushRequest> = fc
  .record({
    full: fc.boolean(),
    all: fc.boolean(),
    key: arbitraryKey,
    reason: fc.constantFrom(...TRIGGER_REASONS),
    startMs: fc.integer({ min: 0, max: 5000 }),
    pushId: fc.uuid(),
  })
  .map(({ full, all, key, reason, startMs, pushId }) => ({
    full,
    all,
    configsUpdated: all ? [] : [key],
    reason: { [reason]: 1 },
    start: new Date(Date.parse(START) + startMs).toISOString(),
    pushId,
  }));
