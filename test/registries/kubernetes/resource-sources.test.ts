import { resourceSources, resourcesOf } from '../../../lib/registries/kubernetes/resource-sources';

const everything = {
  namespaces: { include: [], exclude: [] },
  workloads: true,
  serviceEntries: true,
  services: 'kubernetes',
} as const;

test('what is read of a whole cluster', () => {
  expect(
    resourceSources(everything).map(({ name, collection, permission, need, mayBeAbsent, last }) => ({
      name,
      ...collection,
      permission,
      traits: [need, ...(mayBeAbsent ? ['mayBeAbsent'] : []), ...(last ? ['last'] : [])].join(' '),
    })),
  ).toEqual([
    {
      name: 'endpointslices/',
      path: '/apis/discovery.k8s.io/v1/endpointslices',
      listKind: 'EndpointSliceList',
      metadataOnly: false,
      permission: 'endpointslices.discovery.k8s.io',
      traits: 'essential',
    },
    {
      name: 'services/',
      path: '/api/v1/services',
      listKind: 'ServiceList',
      metadataOnly: false,
      permission: 'services',
      traits: 'essential',
    },
    {
      name: 'workloadentries/',
      path: '/apis/networking.istio.io/v1/workloadentries',
      listKind: 'WorkloadEntryList',
      metadataOnly: false,
      permission: 'workloadentries.networking.istio.io',
      traits: 'essential mayBeAbsent',
    },
    {
      name: 'pods/',
      path: '/api/v1/pods',
      listKind: 'PodList',
      fieldSelector: 'status.phase!=Failed',
      metadataOnly: false,
      permission: 'pods',
      traits: 'optional last',
    },
    {
      name: 'nodes/',
      path: '/api/v1/nodes',
      listKind: 'PartialObjectMetadataList',
      metadataOnly: true,
      permission: 'nodes',
      traits: 'optional last',
    },
    {
      name: 'namespaces/',
      path: '/api/v1/namespaces',
      listKind: 'PartialObjectMetadataList',
      metadataOnly: true,
      permission: 'namespaces',
      traits: 'optional last',
    },
  ]);
});

test.each([
  { workloads: false, serviceEntries: false, is: ['endpointslices', 'services'] },
  { workloads: true, serviceEntries: false, is: ['endpointslices', 'services', 'pods', 'nodes', 'namespaces'] },
  { workloads: false, serviceEntries: true, is: ['endpointslices', 'services', 'workloadentries'] },
])('workloads $workloads, custom resources $serviceEntries', ({ workloads, serviceEntries, is }) => {
  expect(resourcesOf({ workloads, serviceEntries, services: 'kubernetes' })).toEqual(is);
});

test('namespaces that are included are read one by one; what has none stays whole', () => {
  const namespaces = { include: ['a', 'b', 'c'], exclude: ['b'] };
  expect(
    resourceSources({ ...everything, serviceEntries: false, namespaces }).map(({ name, namespace, collection }) => [
      name,
      namespace,
      collection.path,
    ]),
  ).toEqual([
    ['endpointslices/a', 'a', '/apis/discovery.k8s.io/v1/namespaces/a/endpointslices'],
    ['endpointslices/c', 'c', '/apis/discovery.k8s.io/v1/namespaces/c/endpointslices'],
    ['services/a', 'a', '/api/v1/namespaces/a/services'],
    ['services/c', 'c', '/api/v1/namespaces/c/services'],
    ['pods/a', 'a', '/api/v1/namespaces/a/pods'],
    ['pods/c', 'c', '/api/v1/namespaces/c/pods'],
    ['nodes/', undefined, '/api/v1/nodes'],
    ['namespaces/', undefined, '/api/v1/namespaces'],
  ]);
});

test('selectors: namespaces that are excluded, and labels of services alone', () => {
  const sources = resourceSources({
    ...everything,
    namespaces: { include: [], exclude: ['a', 'b'] },
    labelSelector: 'x=y',
  });
  expect(
    Object.fromEntries(
      sources.map(({ resource, collection }) => [resource, [collection.fieldSelector, collection.labelSelector]]),
    ),
  ).toEqual({
    endpointslices: ['metadata.namespace!=a,metadata.namespace!=b', undefined],
    services: ['metadata.namespace!=a,metadata.namespace!=b', 'x=y'],
    workloadentries: ['metadata.namespace!=a,metadata.namespace!=b', undefined],
    pods: ['status.phase!=Failed,metadata.namespace!=a,metadata.namespace!=b', undefined],
    nodes: [undefined, undefined],
    namespaces: [undefined, undefined],
  });
});

test('for the services of ServiceEntries: Pods are essential, since selectors choose them', () => {
  const sources = resourceSources({ ...everything, services: 'entries' });
  expect(sources.map(({ name, need, mayBeAbsent }) => [name, need, mayBeAbsent])).toEqual([
    ['serviceentries/', 'essential', true],
    ['workloadentries/', 'essential', true],
    ['pods/', 'essential', false],
    ['nodes/', 'optional', false],
    ['namespaces/', 'optional', false],
  ]);
});
