import {
  isServiceChange,
  PUSH_EVENT_TYPE,
  REGISTRY_EVENT_TYPES,
  SERVICE_CHANGE_TYPES,
  type PilotlessEvent,
} from '../../lib/changes/pilotless-event';
import { pushRequest } from '../support/push-requests';

const METADATA = { schema: 1, id: 'x', at: '2026-01-01T00:00:00.000Z', correlationId: 'p' };

const REGISTRY: PilotlessEvent = {
  type: 'Registry Failed',
  detail: { metadata: METADATA, registry: { id: 'Mock/demo', state: 'failed' } },
};
const PUSH: PilotlessEvent = { type: PUSH_EVENT_TYPE, detail: { metadata: METADATA, push: pushRequest() } };

test('only changes of services are such', () => {
  expect([REGISTRY, PUSH].map(isServiceChange)).toEqual([false, false]);
});

test('no type of event is of two kinds', () => {
  const all = [...SERVICE_CHANGE_TYPES, ...REGISTRY_EVENT_TYPES, PUSH_EVENT_TYPE];
  expect(new Set(all).size).toBe(all.length);
});
