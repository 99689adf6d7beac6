import type { CatalogEndpoint } from '../model/endpoint';
import type { ServiceChange } from './diff-entry';
import { EventRoom } from './event-room';
import { jsonBytes } from './event-size';
import type { Fitted } from './fit-state';
import type { EndpointsChange, EndpointSummary } from './pilotless-event';

type Lists = Readonly<Record<'added' | 'removed' | 'changed', readonly CatalogEndpoint[]>>;

/**
 * What has become of the endpoints, with as many of them as fit into that many bytes: the first of each list in turn, so
 * that no list crowds the others out. The counts are always those of the whole.
 */
export function fitEndpoints(endpoints: ServiceChange['endpoints'], bytes: number): Fitted<EndpointsChange> {
  const { before, after, added, removed, changed } = endpoints;
  const counts = { added: added.length, removed: removed.length, changed: changed.length };
  const bare: EndpointsChange = { before, after, added: [], removed: [], changed: [], truncated: false, counts };
  const room = new EventRoom(bytes);
  room.reserve(jsonBytes(bare));
  const lists = fitLists({ added, removed, changed: changed.map((pair) => pair.after) }, room);
  return {
    value: { ...bare, ...lists, truncated: room.isCut },
    bytes: bytes - room.bytes,
    isCut: room.isCut,
  };
}

function fitLists({ added, removed, changed }: Lists, room: EventRoom) {
  const fitted: Record<keyof Lists, EndpointSummary[]> = { added: [], removed: [], changed: [] };
  const take = (endpoint: CatalogEndpoint | undefined, list: EndpointSummary[]): boolean => {
    if (endpoint === undefined) return true;
    const summary = summarise(endpoint, room);
    const fits = room.takes(summary);
    if (fits) list.push(summary);
    return fits;
  };
  const longest = Math.max(added.length, removed.length, changed.length);
  for (let index = 0; index < longest; index += 1) {
    const fits =
      take(removed[index], fitted.removed) && take(added[index], fitted.added) && take(changed[index], fitted.changed);
    if (!fits) break;
  }
  return fitted;
}

function summarise(endpoint: CatalogEndpoint, room: EventRoom): EndpointSummary {
  const { addresses, port, servicePort, workload, registry, health } = endpoint;
  return {
    address: room.text(addresses[0] ?? ''),
    port,
    servicePort: room.text(servicePort),
    workload: room.text(`${workload.namespace}/${workload.name}`),
    registry,
    health,
  };
}
