import type { Conflict, ConflictSide, ConflictValue } from '../model/conflict';
import type { Labels } from '../model/labels';
import type { AddressesByCluster, ServiceAttributes } from '../model/service';
import { EventRoom } from './event-room';
import { jsonBytes } from './event-size';
import type { ServiceState } from './pilotless-event';

/** A part of an event that was made to fit, the bytes that it takes at most, and whether anything was cut for it. */
export type Fitted<T> = { readonly value: T; readonly bytes: number; readonly isCut: boolean };

/**
 * The state with its texts cut and with as much of its lists as fits into that many bytes, those first that consumers need
 * most. What is no list stands there even if it does not fit; with its texts cut that is a few kilobytes at the most.
 */
export function fitState(state: ServiceState, bytes: number): Fitted<ServiceState> {
  const room = new EventRoom(bytes);
  const bare = bareState(state, room);
  room.reserve(jsonBytes(bare));
  const value: ServiceState = {
    ...bare,
    ports: room.list(state.ports.map((port) => ({ ...port, name: room.text(port.name) }))),
    addresses: room.texts(state.addresses),
    autoAddresses: room.texts(state.autoAddresses),
    exportTo: room.texts(state.exportTo),
    clusterVips: fitAddresses(state.clusterVips, room),
    externalAddresses: fitAddresses(state.externalAddresses, room),
    labels: room.record(cutLabels(state.labels, room)),
    serviceAccounts: room.texts(state.serviceAccounts),
    attributes: { ...bare.attributes, ...fitAttributeLists(state.attributes, room) },
    conflicts: room.list(state.conflicts.map((conflict) => cutConflict(conflict, room))),
  };
  return { value, bytes: bytes - room.bytes, isCut: room.isCut };
}

/** The state with every list empty. */
function bareState(state: ServiceState, room: EventRoom): ServiceState {
  return {
    hostname: room.text(state.hostname),
    namespace: room.text(state.namespace),
    name: room.text(state.name),
    address: room.text(state.address),
    addresses: [],
    autoAddresses: [],
    ports: [],
    resolution: state.resolution,
    meshExternal: state.meshExternal,
    serviceAccounts: [],
    exportTo: [],
    labels: {},
    clusterVips: {},
    externalAddresses: {},
    attributes: bareAttributes(state.attributes, room),
    conflicts: [],
  };
}

function bareAttributes({ selector, nodePorts, ...words }: ServiceAttributes, room: EventRoom): ServiceAttributes {
  const cut = Object.entries(words).map(
    ([name, value]) => [name, typeof value === 'string' ? room.text(value) : value] as const,
  );
  return {
    ...Object.fromEntries(cut),
    ...(selector === undefined ? {} : { selector: {} }),
    ...(nodePorts === undefined ? {} : { nodePorts: {} }),
  };
}

function fitAttributeLists({ selector, nodePorts }: ServiceAttributes, room: EventRoom): ServiceAttributes {
  return {
    ...(selector === undefined ? {} : { selector: room.record(cutLabels(selector, room)) }),
    ...(nodePorts === undefined ? {} : { nodePorts: room.record(nodePorts) }),
  };
}

/** A cluster's list is there as a whole or not at all: half of it would look like all of it. */
function fitAddresses(byCluster: AddressesByCluster, room: EventRoom): AddressesByCluster {
  return room.record(
    Object.fromEntries(
      Object.entries(byCluster).map(([cluster, list]) => [cluster, list.map((address) => room.text(address))]),
    ),
  );
}

function cutLabels(labels: Labels, room: EventRoom): Labels {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [room.text(name), room.text(value)]));
}

function cutConflict(conflict: Conflict, room: EventRoom): Conflict {
  return {
    type: conflict.type,
    field: room.text(conflict.field),
    winner: cutSide(conflict.winner, room),
    losers: conflict.losers.map((side) => cutSide(side, room)),
  };
}

function cutSide({ registry, source, value }: ConflictSide, room: EventRoom): ConflictSide {
  return {
    registry,
    ...(source === undefined ? {} : { source: room.text(source) }),
    value: cutValue(value, room),
  };
}

function cutValue(value: ConflictValue, room: EventRoom): ConflictValue {
  if (typeof value === 'string') return room.text(value);
  return isList(value) ? value.map((item) => room.text(item)) : cutLabels(value, room);
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(value: readonly string[] | Labels): value is readonly string[] {
  return Array.isArray(value);
}
