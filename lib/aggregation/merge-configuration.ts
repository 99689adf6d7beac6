import { sortedRecord, sortedUnique } from '../model/compare';
import type { Conflict, ConflictType, ConflictValue } from '../model/conflict';
import { NO_ADDRESS } from '../model/ip-address';
import { parseRegistryId } from '../model/registry-id';
import { sameValue } from '../model/same-value';
import type { AddressesByCluster, Service } from '../model/service';
import { conflictWith } from './conflict-with';
import { isKubernetes, type OrderedSnapshots } from './order-snapshots';

/** Everything of a service but its ports; those are merged one by one. */
export type MergedConfiguration = Omit<Service, 'creationTime' | 'ports'>;

/**
 * Merges what is said of a service as a whole. The first snapshot's word counts (Istio `mergeService`,
 * `pilot/pkg/serviceregistry/aggregate/controller.go`); what others say differently becomes a conflict. Lists by cluster
 * and accounts are united.
 */
export function mergeConfiguration(ordered: OrderedSnapshots): {
  readonly configuration: MergedConfiguration;
  readonly conflicts: readonly Conflict[];
} {
  const [{ service }] = ordered;
  return {
    configuration: {
      hostname: service.hostname,
      namespace: service.namespace,
      name: service.name,
      address: service.address,
      addresses: service.addresses,
      autoAddresses: service.autoAddresses,
      resolution: service.resolution,
      meshExternal: service.meshExternal,
      serviceAccounts: uniteAccounts(ordered),
      exportTo: service.exportTo,
      labels: service.labels,
      clusterVips: uniteByCluster(ordered, (each) => each.clusterVips),
      externalAddresses: uniteByCluster(ordered, (each) => each.externalAddresses),
      attributes: service.attributes,
    },
    conflicts: [...RULES.flatMap((rule) => conflictsOf(rule, ordered)), ...headlessConflicts(ordered)],
  };
}

/** A member on which snapshots can disagree. */
type Rule = {
  readonly type: ConflictType;
  readonly field: string;
  readonly valueOf: (service: Service) => ConflictValue;
  /** An empty value says nothing, so that it loses nothing. */
  readonly emptyIsSilent?: true;
  /** Clusters of Kubernetes have a value of their own each, which the entry keeps by cluster. */
  readonly ownOfEachCluster?: true;
};

const RULES: readonly Rule[] = [
  { type: 'ResolutionConflict', field: 'resolution', valueOf: (service) => service.resolution },
  { type: 'LocationConflict', field: 'meshExternal', valueOf: (service) => String(service.meshExternal) },
  { type: 'ExportToConflict', field: 'exportTo', valueOf: (service) => service.exportTo },
  { type: 'LabelsConflict', field: 'labels', valueOf: (service) => service.labels, emptyIsSilent: true },
  { type: 'AddressConflict', field: 'address', valueOf: virtualIps, emptyIsSilent: true, ownOfEachCluster: true },
  { type: 'AddressConflict', field: 'autoAddresses', valueOf: (service) => service.autoAddresses, emptyIsSilent: true },
];

function conflictsOf(rule: Rule, [first, ...others]: OrderedSnapshots): readonly Conflict[] {
  const winning = rule.valueOf(first.service);
  const losers = others
    .filter(
      ({ registry }) => !(rule.ownOfEachCluster === true && isKubernetes(first.registry) && isKubernetes(registry)),
    )
    .map(({ registry, service }) => ({ registry, value: rule.valueOf(service) }))
    .filter(
      ({ value }) => !sameValue(value, winning) && !(rule.emptyIsSilent === true && Object.keys(value).length === 0),
    );
  return conflictWith(losers, {
    type: rule.type,
    field: rule.field,
    winner: { registry: first.registry, value: winning },
  });
}

/** All virtual IPs of the service, in its registry's order. */
function virtualIps(service: Service): readonly string[] {
  return [...new Set([service.address, ...service.addresses])].filter((address) => address !== NO_ADDRESS);
}

/**
 * One cluster has a virtual IP for the service and the other has none (headless): what clients there resolve is not what
 * the entry says. Names the cluster whose virtual IP, or lack of one, is not the entry's address.
 */
function headlessConflicts([first, ...others]: OrderedSnapshots): readonly Conflict[] {
  if (!isKubernetes(first.registry)) return [];
  const { address } = first.service;
  return others
    .filter(({ registry, service }) => isKubernetes(registry) && hasVip(service.address) !== hasVip(address))
    .map(({ registry, service }) => ({
      type: 'ResolutionConflict',
      field: `clusterVips/${parseRegistryId(registry).cluster}`,
      winner: { registry: first.registry, value: address },
      losers: [{ registry, value: service.address }],
    }));
}

function hasVip(address: string): boolean {
  return address !== NO_ADDRESS;
}

/** Compared as one union and never a registry at a time, since one registry's list comes and goes with its Pods (istio 14605). */
function uniteAccounts(ordered: OrderedSnapshots): readonly string[] {
  return sortedUnique(
    ordered.flatMap(({ service, endpointAccounts }) => [...service.serviceAccounts, ...endpointAccounts]),
  );
}

function uniteByCluster(
  ordered: OrderedSnapshots,
  listsOf: (service: Service) => AddressesByCluster,
): AddressesByCluster {
  const lists = ordered
    .filter(({ registry }) => isKubernetes(registry))
    .flatMap(({ service }) => Object.entries(listsOf(service)));
  // Of two lists of one cluster the first shall count, and the last entry is the one that stays.
  return sortedRecord(Object.fromEntries(lists.reverse()));
}
