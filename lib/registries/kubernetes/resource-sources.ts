import type { Collection } from './api-server';
import type { Resource } from './kube-objects';

/** Namespaces to read: none named = all. */
export type NamespaceFilter = { readonly include: readonly string[]; readonly exclude: readonly string[] };

export type Selection = {
  readonly namespaces: NamespaceFilter;
  /** Of services only. */
  readonly labelSelector?: string;
  readonly workloads: boolean;
  readonly serviceEntries: boolean;
  /** Which services are made: those of Kubernetes, or those of ServiceEntries. */
  readonly services: 'kubernetes' | 'entries';
};

/** One list-and-watch: a resource, in one namespace or in all. */
export type ResourceSource = {
  readonly resource: Resource;
  /** Absent = the whole cluster. */
  readonly namespace?: string;
  /** As readings name it: `pods/shop`, or `pods/` for everything below it. */
  readonly name: string;
  readonly collection: Collection;
  /** Resource as permissions name it, such as `endpointslices.discovery.k8s.io`. */
  readonly permission: string;
  /**
   * What it means when it may not be read. `essential`: services cannot be judged without it. `optional`: endpoints go
   * without what it tells.
   */
  readonly need: 'essential' | 'optional';
  /** Custom resources: not every cluster serves them. */
  readonly mayBeAbsent: boolean;
  /** Read only after the others: a Pod that a slice names is then there, unless it is gone since. */
  readonly last: boolean;
};

type ResourceKind = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly need: 'essential' | 'optional';
  readonly last: boolean;
  readonly metadataOnly: boolean;
};

const core = { group: '', version: 'v1' };

export const RESOURCE_KINDS: Readonly<Record<Resource, ResourceKind>> = {
  services: { ...core, kind: 'Service', namespaced: true, need: 'essential', last: false, metadataOnly: false },
  endpointslices: {
    group: 'discovery.k8s.io',
    version: 'v1',
    kind: 'EndpointSlice',
    namespaced: true,
    need: 'essential',
    last: false,
    metadataOnly: false,
  },
  pods: { ...core, kind: 'Pod', namespaced: true, need: 'optional', last: true, metadataOnly: false },
  nodes: { ...core, kind: 'Node', namespaced: false, need: 'optional', last: true, metadataOnly: true },
  namespaces: { ...core, kind: 'Namespace', namespaced: false, need: 'optional', last: true, metadataOnly: true },
  workloadentries: {
    group: 'networking.istio.io',
    version: 'v1',
    kind: 'WorkloadEntry',
    namespaced: true,
    need: 'essential',
    last: false,
    metadataOnly: false,
  },
  serviceentries: {
    group: 'networking.istio.io',
    version: 'v1',
    kind: 'ServiceEntry',
    namespaced: true,
    need: 'essential',
    last: false,
    metadataOnly: false,
  },
};

/** Failed Pods are gone for good and would fill the memory (Istio lists with the same selector). */
const NOT_FAILED = 'status.phase!=Failed';

/** What has to be listed and watched, in the order of reading. */
export function resourceSources(selection: Selection): readonly ResourceSource[] {
  return resourcesOf(selection).flatMap((resource) =>
    RESOURCE_KINDS[resource].namespaced
      ? namespacesOf(selection.namespaces).map((namespace) => makeSource(resource, namespace, selection))
      : [makeSource(resource, undefined, selection)],
  );
}

export function resourcesOf({
  services,
  workloads,
  serviceEntries,
}: Pick<Selection, 'services' | 'workloads' | 'serviceEntries'>): readonly Resource[] {
  return [
    ...(services === 'entries' ? (['serviceentries'] as const) : (['endpointslices', 'services'] as const)),
    ...(serviceEntries ? (['workloadentries'] as const) : []),
    ...(workloads ? (['pods', 'nodes', 'namespaces'] as const) : []),
  ];
}

function namespacesOf({ include, exclude }: NamespaceFilter): readonly (string | undefined)[] {
  return include.length === 0 ? [undefined] : include.filter((namespace) => !exclude.includes(namespace));
}

function makeSource(resource: Resource, namespace: string | undefined, selection: Selection): ResourceSource {
  const { group, version, kind, need, last, metadataOnly } = RESOURCE_KINDS[resource];
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const fieldSelector = fieldSelectorOf(resource, namespace, selection.namespaces);
  return {
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    name: `${resource}/${namespace ?? ''}`,
    collection: {
      path: namespace === undefined ? `${root}/${resource}` : `${root}/namespaces/${namespace}/${resource}`,
      listKind: metadataOnly ? 'PartialObjectMetadataList' : `${kind}List`,
      ...(fieldSelector === '' ? {} : { fieldSelector }),
      ...(resource === 'services' && selection.labelSelector !== undefined
        ? { labelSelector: selection.labelSelector }
        : {}),
      metadataOnly,
    },
    permission: group === '' ? resource : `${resource}.${group}`,
    // Pods are endpoints of their own where selectors of ServiceEntries choose them.
    need: resource === 'pods' && selection.services === 'entries' ? 'essential' : need,
    mayBeAbsent: resource === 'workloadentries' || resource === 'serviceentries',
    last,
  };
}

function fieldSelectorOf(resource: Resource, namespace: string | undefined, { exclude }: NamespaceFilter): string {
  const excluded =
    RESOURCE_KINDS[resource].namespaced && namespace === undefined
      ? exclude.map((name) => `metadata.namespace!=${name}`)
      : [];
  return [...(resource === 'pods' ? [NOT_FAILED] : []), ...excluded].join(',');
}
