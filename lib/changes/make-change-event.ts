import type { Cause } from '../model/catalog-entry';
import { parseServiceKey, type ServiceKey } from '../model/service-key';
import type { ServiceChange } from './diff-entry';
import { entryBytes, EVENT_LIMIT_BYTES, jsonBytes } from './event-size';
import { fitEndpoints } from './fit-endpoints';
import { fitState } from './fit-state';
import { EVENT_SCHEMA, type ServiceChangeEvent } from './pilotless-event';

export type ChangeEventInput = {
  readonly key: ServiceKey;
  /** The version that the change led to. */
  readonly version: number;
  readonly cause: Cause;
  readonly change: ServiceChange;
  /** When the event is made, ISO 8601. */
  readonly at: string;
};

/**
 * The event of a change, smaller than {@link EVENT_LIMIT_BYTES} as an entry on the bus. Lists are shortened and texts cut
 * where they have to be, and the event says so. The same change of the same version always has the same id.
 *
 * State and endpoints share the room: each has half of it for certain, and what the other one leaves.
 */
export function makeChangeEvent(input: ChangeEventInput): ServiceChangeEvent {
  const { change } = input;
  const frame = frameOf(input);
  // An event may fill one byte less than the limit.
  const room = EVENT_LIMIT_BYTES - 1 - entryBytes(change.type, jsonBytes(frame));
  const half = fitState(change.state, Math.floor(room / 2));
  const endpoints = fitEndpoints(change.endpoints, room - half.bytes);
  const state = half.isCut ? fitState(change.state, room - endpoints.bytes) : half;
  const { metadata, service } = frame;
  return {
    type: change.type,
    detail: {
      metadata,
      service,
      change: { ...frame.change, endpoints: endpoints.value },
      state: state.value,
      stateTruncated: state.isCut,
    },
  };
}

/** All of the detail but endpoints and state, with a character in place of each. */
function frameOf({ key, version, cause, change, at }: ChangeEventInput) {
  const { hostname, namespace } = parseServiceKey(key);
  return {
    metadata: {
      schema: EVENT_SCHEMA,
      id: `${key}@${version}`,
      at,
      correlationId: cause.pollId,
      cause: { registry: cause.registry, observedAt: cause.observedAt },
    },
    service: { key, hostname, namespace, version },
    change: { type: change.type, fields: change.fields, push: change.push, endpoints: 0 },
    state: 0,
    stateTruncated: false,
  };
}
