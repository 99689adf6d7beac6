import { parseManifest, unreadableManifest } from '../../../lib/registries/external/parse-manifest';

const SERVICE = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: cart, namespace: shop }
spec: { hosts: [cart.example.com] }
`;

const WORKLOAD = `
apiVersion: networking.istio.io/v1beta1
kind: WorkloadEntry
metadata: { name: vm }
spec: { address: 10.0.0.1 }
`;

const SERVICE_JSON = JSON.stringify({
  apiVersion: 'networking.istio.io/v1alpha3',
  kind: 'ServiceEntry',
  metadata: { name: 'cart' },
  spec: { hosts: ['a.com'] },
});

function namesIn(text: string) {
  const { serviceEntries, workloadEntries, problems } = parseManifest('shop.yaml', text);
  expect(problems).toEqual([]);
  return {
    services: serviceEntries.map(({ namespace, name }) => `${namespace}/${name}`),
    workloads: workloadEntries.map(({ namespace, name }) => `${namespace}/${name}`),
  };
}

const problemsIn = (text: string) => parseManifest('shop.yaml', text).problems;

describe('a manifest', () => {
  test.each([
    ['one document', SERVICE, ['shop/cart'], []],
    ['several documents', `${SERVICE}---${WORKLOAD}---${SERVICE}`, ['shop/cart', 'shop/cart'], ['default/vm']],
    ['JSON', SERVICE_JSON, ['default/cart'], []],
    [
      'a List',
      `{"apiVersion": "v1", "kind": "List", "items": [${SERVICE_JSON}, ${SERVICE_JSON}]}`,
      ['default/cart', 'default/cart'],
      [],
    ],
    [
      'a List within a List',
      `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "List", "items": [${SERVICE_JSON}]}]}`,
      ['default/cart'],
      [],
    ],
    ['a List without items', 'apiVersion: v1\nkind: List\n', [], []],
    ['a List with null for items', 'apiVersion: v1\nkind: List\nitems: null\n', [], []],
    [
      'a typed list whose items do not repeat the kind',
      'apiVersion: networking.istio.io/v1\nkind: ServiceEntryList\nitems: [{metadata: {name: a}, spec: {hosts: [a.com]}}]',
      ['default/a'],
      [],
    ],
    [
      'a typed list of WorkloadEntries',
      'apiVersion: networking.istio.io/v1\nkind: WorkloadEntryList\nmetadata: {resourceVersion: "7"}\nitems: [{metadata: {name: a}, spec: {network: n}}]',
      [],
      ['default/a'],
    ],
    ['nothing but comments', '# to come\n---\n', [], []],
    ['empty documents between others', `---\n---${SERVICE}---\n`, ['shop/cart'], []],
  ])('may be %s', (_rule, text, services, workloads) => {
    expect(namesIn(text)).toEqual({ services, workloads });
  });

  test.each(['v1', 'v1beta1', 'v1alpha3'])('may be of version %s', (version) => {
    expect(namesIn(SERVICE.replace('/v1', `/${version}`)).services).toEqual(['shop/cart']);
    expect(namesIn(WORKLOAD.replace('/v1beta1', `/${version}`)).workloads).toEqual(['default/vm']);
  });

  test('tells each entry where it came from', () => {
    const { serviceEntries, workloadEntries } = parseManifest('a/shop.yaml', `${SERVICE}---${WORKLOAD}`);
    expect(serviceEntries[0]?.source).toBe('a/shop.yaml');
    expect(workloadEntries[0]?.source).toBe('a/shop.yaml');
  });

  test('skips other kinds with a note', () => {
    const text = `${SERVICE}---\napiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: x}\n---\napiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Service}]`;
    expect(parseManifest('shop.yaml', text)).toMatchObject({
      serviceEntries: [{ name: 'cart' }],
      problems: [],
      notes: [
        {
          code: 'KindSkipped',
          message:
            'shop.yaml document 2 (line 7) is a VirtualService of networking.istio.io/v1 and was skipped: only ServiceEntry and WorkloadEntry are read',
        },
        {
          code: 'KindSkipped',
          message:
            'shop.yaml document 3 (line 11) is a Service of v1 and was skipped: only ServiceEntry and WorkloadEntry are read',
        },
      ],
    });
  });

  test('says in a note what is allowed but hardly meant, and where', () => {
    const text = SERVICE.replace('cart.example.com', '"*cart.com"');
    expect(parseManifest('shop.yaml', text).notes).toEqual([
      {
        code: 'PartialWildcardHost',
        message:
          'shop.yaml document 1 (line 2), ServiceEntry shop/cart: spec.hosts[0] is "*cart.com": Istio does not match partial wildcards, only "*." and a domain',
      },
    ]);
  });

  test('that is empty counts as half written', () => {
    const problem = 'it is empty, as if half written: delete it, or leave a comment in it, to have no services in it';
    expect(problemsIn('')).toEqual([problem]);
    expect(problemsIn('\n  \n')).toEqual([problem]);
    expect(unreadableManifest('it is late')).toEqual({
      serviceEntries: [],
      workloadEntries: [],
      notes: [],
      problems: ['it is late'],
    });
  });
});

describe('a problem of a manifest', () => {
  test.each([
    [
      'a document that is text',
      'hello',
      'document 1 (line 1): the document is "hello", must be an object with apiVersion and kind',
    ],
    [
      'a document that is a list',
      '- 1',
      'document 1 (line 1): the document is [1], must be an object with apiVersion and kind',
    ],
    ['no kind', 'apiVersion: v1', 'document 1 (line 1): kind is missing, must be given'],
    ['a kind that is no text', 'apiVersion: v1\nkind: 1', 'document 1 (line 1): kind is 1, must be given'],
    [
      'no apiVersion',
      'kind: ServiceEntry\nmetadata: {name: a}',
      'document 1 (line 1), ServiceEntry default/a: apiVersion is missing, must be given',
    ],
    [
      'a kind in other letters',
      'apiVersion: networking.istio.io/v1\nkind: serviceEntry',
      'document 1 (line 1): kind is "serviceEntry", must be ServiceEntry',
    ],
    [
      'a list kind in other letters',
      'apiVersion: networking.istio.io/v1\nkind: workloadentrylist',
      'document 1 (line 1): kind is "workloadentrylist", must be WorkloadEntryList',
    ],
    [
      'another version',
      'apiVersion: networking.istio.io/v2\nkind: ServiceEntry\nmetadata: {name: a, namespace: b}',
      'document 1 (line 1), ServiceEntry b/a: apiVersion is "networking.istio.io/v2", must be one of networking.istio.io/v1, networking.istio.io/v1beta1, networking.istio.io/v1alpha3',
    ],
    [
      'no group',
      'apiVersion: v1\nkind: WorkloadEntry',
      'document 1 (line 1): apiVersion is "v1", must be one of networking.istio.io/v1, networking.istio.io/v1beta1, networking.istio.io/v1alpha3',
    ],
    [
      'an item that is none',
      'apiVersion: v1\nkind: List\nitems: [null]',
      'document 1 (line 1): items[0] is null, must be an object with apiVersion and kind',
    ],
    [
      'items that are no list',
      'apiVersion: v1\nkind: List\nitems: {}',
      'document 1 (line 1): items is {}, must be a list',
    ],
    [
      'an unknown field of the object',
      `${SERVICE}specs: {}`,
      'document 1 (line 2), ServiceEntry shop/cart: specs is {}, must be one of the known fields: apiVersion, kind, metadata, spec, status',
    ],
    [
      'a namespace that is no text',
      'apiVersion: networking.istio.io/v1\nkind: WorkloadEntry\nmetadata: {name: a, namespace: 1}\nspec: {address: a}',
      'document 1 (line 1), WorkloadEntry default/a: metadata.namespace is 1, must be text (in quotes if it looks like a number or a truth value)',
    ],
    [
      'a broken rule',
      SERVICE.replace('cart.example.com', '"*"'),
      'document 1 (line 2), ServiceEntry shop/cart: spec.hosts[0] is "*", must not be a wildcard alone ("*.example.com" is allowed)',
    ],
  ])('is %s', (_rule, text, problem) => {
    expect(problemsIn(text)).toEqual([problem]);
  });

  test('names the item of a list by its path', () => {
    const item = {
      apiVersion: 'networking.istio.io/v1',
      kind: 'WorkloadEntry',
      metadata: { name: 'vm' },
      spec: { adress: 'x' },
    };
    const list = { apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'Pod' }, item] };
    expect(problemsIn(JSON.stringify(list))).toEqual([
      'document 1 (line 1), WorkloadEntry default/vm: items[1].spec.adress is "x", must be one of the known fields: address, ports, labels, network, locality, weight, serviceAccount',
    ]);
  });

  test('comes with all the others, of every document', () => {
    expect(
      problemsIn(`${SERVICE.replace('hosts', 'host')}---\na: [\n---${WORKLOAD.replace('10.0.0.1', '10.0.0')}`),
    ).toEqual([
      'document 1 (line 2), ServiceEntry shop/cart: spec.host is ["cart.example.com"], must be one of the known fields: hosts, addresses, ports, location, resolution, endpoints, workloadSelector, exportTo, subjectAltNames',
      expect.stringMatching(/^document 2 \(line 7\): .* at line 8, column 1$/),
      'document 3 (line 9), WorkloadEntry default/vm: spec.address is "10.0.0", must be an IP address, a domain name or a unix:// socket',
    ]);
  });

  test('comes with those of the rules and unknown fields of the same object', () => {
    expect(problemsIn(`${SERVICE.replace('cart.example.com', '"*"')}extra: 1`)).toHaveLength(2);
    expect(problemsIn(`${SERVICE.replace('hosts', 'host')}extra: 1`)).toHaveLength(2);
  });

  test('makes the whole manifest count for nothing but its problems', () => {
    const manifest = parseManifest('shop.yaml', `${SERVICE.replace('cart.example.com', '"*"')}---${WORKLOAD}`);
    expect(manifest.problems).toHaveLength(1);
    expect(manifest.serviceEntries).toEqual([]);
  });
});
