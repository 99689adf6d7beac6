import { decodeServiceEntry, decodeWorkloadEntry } from '../../../lib/registries/external/decode-entry';
import { formatProblem } from '../../../lib/registries/external/problem';

const METADATA = { name: 'cart', namespace: 'shop' };

function decodedSpec(spec: unknown) {
  const decoded = decodeServiceEntry({ metadata: METADATA, spec }, 'cart.yaml');
  return 'problems' in decoded ? decoded.problems.map(formatProblem) : decoded.value.spec;
}

function decodedWorkload(spec: unknown) {
  const decoded = decodeWorkloadEntry({ metadata: METADATA, spec }, 'vm.yaml');
  return 'problems' in decoded ? decoded.problems.map(formatProblem) : decoded.value.spec;
}

function problemsOf(object: Parameters<typeof decodeServiceEntry>[0]) {
  const decoded = decodeServiceEntry(object, 'cart.yaml');
  return 'problems' in decoded ? decoded.problems.map(formatProblem) : [];
}

const NO_TEXT = 'must be text (in quotes if it looks like a number or a truth value)';
const NO_UINT32 = 'must be a whole number from 0 to 4294967295';

describe('a ServiceEntry', () => {
  test('has a value for every field, as in the protobuf message', () => {
    expect(decodeServiceEntry({ metadata: { name: 'cart' }, spec: {} }, 'cart.yaml')).toEqual({
      value: {
        name: 'cart',
        namespace: 'default',
        labels: {},
        annotations: {},
        source: 'cart.yaml',
        spec: {
          hosts: [],
          addresses: [],
          ports: [],
          location: 'MESH_EXTERNAL',
          resolution: 'NONE',
          endpoints: [],
          exportTo: [],
          subjectAltNames: [],
        },
        allocatedAddresses: [],
      },
    });
  });

  test('is decoded with everything that it can have', () => {
    const spec = {
      hosts: ['cart.example.com'],
      addresses: ['10.0.0.1'],
      ports: [{ number: 80, name: 'http', protocol: 'HTTP', targetPort: 8080 }],
      location: 'MESH_INTERNAL',
      resolution: 'STATIC',
      endpoints: [
        {
          address: '10.0.0.2',
          ports: { http: 81 },
          labels: { app: 'cart' },
          network: 'n',
          locality: 'r/z',
          weight: 3,
          serviceAccount: 'cart',
        },
      ],
      workloadSelector: { labels: { app: 'cart' } },
      exportTo: ['.'],
      subjectAltNames: ['spiffe://x'],
    };
    const object = {
      metadata: {
        ...METADATA,
        labels: { a: 'b' },
        annotations: { c: 'd' },
        creationTimestamp: '2026-01-31T10:00:00+02:00',
        uid: 'ignored',
        managedFields: [{}],
      },
      spec,
      status: { addresses: [{ value: '240.240.0.1', host: 'cart.example.com', more: 1 }], conditions: [{}], other: 1 },
    };
    expect(decodeServiceEntry(object, 'cart.yaml')).toEqual({
      value: {
        name: 'cart',
        namespace: 'shop',
        labels: { a: 'b' },
        annotations: { c: 'd' },
        creationTime: '2026-01-31T08:00:00.000Z',
        source: 'cart.yaml',
        spec,
        allocatedAddresses: [{ host: 'cart.example.com', value: '240.240.0.1' }],
      },
    });
  });

  test.each([
    ['workload_selector', { workload_selector: { labels: { a: 'b' } } }, { workloadSelector: { labels: { a: 'b' } } }],
    ['export_to', { export_to: ['.'] }, { exportTo: ['.'] }],
    ['subject_alt_names', { subject_alt_names: ['a'] }, { subjectAltNames: ['a'] }],
    [
      'target_port',
      { ports: [{ name: 'a', target_port: 8080 }] },
      { ports: [{ name: 'a', number: 0, protocol: '', targetPort: 8080 }] },
    ],
  ])('may be written with the names of the .proto file: %s', (_name, given, expected) => {
    expect(decodedSpec(given)).toMatchObject(expected);
  });

  test('is refused when a field is given under both of its names', () => {
    expect(decodedSpec({ export_to: ['.'], exportTo: ['*'] })).toEqual([
      'spec.export_to is ["."], must be one of the known fields: hosts, addresses, ports, location, resolution, endpoints, workloadSelector, exportTo, subjectAltNames',
    ]);
  });

  test('takes null, and undefined, for "not given" in any field', () => {
    expect(
      decodedSpec({
        hosts: null,
        addresses: undefined,
        resolution: null,
        workloadSelector: null,
        ports: [{ number: null, name: null }],
      }),
    ).toEqual({
      hosts: [],
      addresses: [],
      ports: [{ number: 0, name: '', protocol: '', targetPort: 0 }],
      location: 'MESH_EXTERNAL',
      resolution: 'NONE',
      endpoints: [],
      exportTo: [],
      subjectAltNames: [],
    });
    expect(
      problemsOf({ metadata: { ...METADATA, creationTimestamp: null, labels: null }, spec: {}, status: null }),
    ).toEqual([]);
  });

  test.each([
    [0, 'NONE'],
    [1, 'STATIC'],
    [2, 'DNS'],
    [3, 'DNS_ROUND_ROBIN'],
    [4, 'DYNAMIC_DNS'],
  ])('takes the number %p for resolution %s', (number, name) => {
    expect(decodedSpec({ resolution: number })).toMatchObject({ resolution: name });
    expect(decodedSpec({ resolution: name })).toMatchObject({ resolution: name });
  });

  test.each([
    [0, 'MESH_EXTERNAL'],
    [1, 'MESH_INTERNAL'],
  ])('takes the number %p for location %s', (number, name) => {
    expect(decodedSpec({ location: number })).toMatchObject({ location: name });
    expect(decodedSpec({ location: name })).toMatchObject({ location: name });
  });

  test.each([['static'], ['Static'], [5], [-1], [1.5], ['1'], [true], [{}]])('has no resolution %p', (resolution) => {
    expect(decodedSpec({ resolution })).toEqual([
      `spec.resolution is ${JSON.stringify(resolution)}, must be one of NONE, STATIC, DNS, DNS_ROUND_ROBIN, DYNAMIC_DNS`,
    ]);
  });

  test('has no location outside of the two', () => {
    expect(decodedSpec({ location: 'EXTERNAL' })).toEqual([
      'spec.location is "EXTERNAL", must be one of MESH_EXTERNAL, MESH_INTERNAL',
    ]);
  });

  test.each([
    [80, 80],
    ['80', 80],
    ['8e1', 80],
    ['80.0', 80],
    [80.0, 80],
    [0, 0],
    [4_294_967_295, 4_294_967_295],
  ])('takes %p for the number %p', (given, number) => {
    expect(decodedSpec({ ports: [{ number: given }] })).toMatchObject({ ports: [{ number }] });
  });

  test.each([
    [80.5],
    ['80.5'],
    [' 80'],
    ['80 '],
    ['0x50'],
    ['1e-1'],
    [''],
    ['a'],
    [-1],
    ['-1'],
    [4_294_967_296],
    [true],
    [[80]],
  ])('does not take %p for a number', (given) => {
    expect(decodedSpec({ ports: [{ number: given }] })).toEqual([
      `spec.ports[0].number is ${JSON.stringify(given)}, ${NO_UINT32}`,
    ]);
  });

  test('does not take numbers that JSON lacks', () => {
    expect(decodedSpec({ ports: [{ number: Number.NaN }] })).toEqual([`spec.ports[0].number is NaN, ${NO_UINT32}`]);
  });

  test.each([
    [
      'an unknown field of the spec',
      { host: ['a'] },
      'spec.host is ["a"], must be one of the known fields: hosts, addresses, ports, location, resolution, endpoints, workloadSelector, exportTo, subjectAltNames',
    ],
    [
      'an unknown field of a port',
      { ports: [{ nr: 80 }] },
      'spec.ports[0].nr is 80, must be one of the known fields: number, name, protocol, targetPort',
    ],
    [
      'an unknown field of an endpoint',
      { endpoints: [{ addresses: [] }] },
      'spec.endpoints[0].addresses is [], must be one of the known fields: address, ports, labels, network, locality, weight, serviceAccount',
    ],
    [
      'an unknown field of the selector',
      { workloadSelector: { matchLabels: {} } },
      'spec.workloadSelector.matchLabels is {}, must be one of the known fields: labels',
    ],
    ['a host that is no text', { hosts: ['a', 8] }, `spec.hosts[1] is 8, ${NO_TEXT}`],
    ['a list that is none', { hosts: 'a' }, 'spec.hosts is "a", must be a list'],
    ['null within a list', { ports: [null] }, 'spec.ports[0] is null, must be an object'],
    ['null among hosts', { hosts: [null] }, `spec.hosts[0] is null, ${NO_TEXT}`],
    [
      'a map that is none',
      { workloadSelector: { labels: ['a'] } },
      'spec.workloadSelector.labels is ["a"], must be a map',
    ],
    [
      'a label that is no text',
      { workloadSelector: { labels: { v: 1.5 } } },
      `spec.workloadSelector.labels.v is 1.5, ${NO_TEXT}`,
    ],
    [
      'an endpoint port that is no number',
      { endpoints: [{ ports: { http: 'x' } }] },
      `spec.endpoints[0].ports.http is "x", ${NO_UINT32}`,
    ],
    [
      'null within a map',
      { endpoints: [{ ports: { http: null } }] },
      `spec.endpoints[0].ports.http is null, ${NO_UINT32}`,
    ],
    ['a port name that YAML reads as a number', { ports: [{ name: 80 }] }, `spec.ports[0].name is 80, ${NO_TEXT}`],
  ])('is refused for %s', (_rule, spec, problem) => {
    expect(decodedSpec(spec)).toEqual([problem]);
  });

  test('reports all its problems at once', () => {
    expect(
      problemsOf({
        metadata: {
          name: 'Cart',
          namespace: 'a.b',
          creationTimestamp: 'yesterday',
          labels: { a: true },
          annotations: [],
        },
        spec: { hosts: 1, ports: [{ number: -1, name: 2 }], resolution: 'X' },
        status: { addresses: 'x', conditions: [{ type: 1 }] },
      }),
    ).toEqual([
      'metadata.name is "Cart", must be a lower case DNS name (letters, digits, "-", ".")',
      'metadata.namespace is "a.b", must be a lower case DNS label (letters, digits, "-")',
      `metadata.labels.a is true, ${NO_TEXT}`,
      'metadata.annotations is [], must be a map',
      'metadata.creationTimestamp is "yesterday", must be a time such as 2026-01-31T10:00:00Z',
      'spec.hosts is 1, must be a list',
      `spec.ports[0].number is -1, ${NO_UINT32}`,
      `spec.ports[0].name is 2, ${NO_TEXT}`,
      'spec.resolution is "X", must be one of NONE, STATIC, DNS, DNS_ROUND_ROBIN, DYNAMIC_DNS',
      'status.addresses is "x", must be a list',
      `status.conditions[0].type is 1, ${NO_TEXT}`,
    ]);
  });

  test.each([
    [
      'metadata and spec',
      {},
      ['metadata is missing, must be an object with a name', 'spec is missing, must be an object'],
    ],
    ['a name', { metadata: {}, spec: {} }, ['metadata.name is missing, must be given']],
    ['a spec that is an object', { metadata: METADATA, spec: [] }, ['spec is [], must be an object']],
    [
      'a status that is an object, if any',
      { metadata: METADATA, spec: {}, status: 1 },
      ['status is 1, must be an object'],
    ],
    [
      'addresses that are objects',
      { metadata: METADATA, spec: {}, status: { addresses: [1] } },
      ['status.addresses[0] is 1, must be an object'],
    ],
    [
      'conditions that are a list',
      { metadata: METADATA, spec: {}, status: { conditions: {} } },
      ['status.conditions is {}, must be a list'],
    ],
    [
      'conditions that are objects',
      { metadata: METADATA, spec: {}, status: { conditions: [''] } },
      ['status.conditions[0] is "", must be an object'],
    ],
  ])('needs %s', (_rule, object, problems) => {
    expect(problemsOf(object)).toEqual(problems);
  });

  test.each([
    ['a'.repeat(253), []],
    ['a'.repeat(254), [`metadata.name is "${'a'.repeat(79)}…, must have at most 253 characters`]],
    ['a-1.b', []],
    ['a..b', ['metadata.name is "a..b", must be a lower case DNS name (letters, digits, "-", ".")']],
    ['shop/cart', ['metadata.name is "shop/cart", must be a lower case DNS name (letters, digits, "-", ".")']],
  ])('named %p has the problems %p', (name, problems) => {
    expect(problemsOf({ metadata: { name }, spec: {} })).toEqual(problems);
  });

  test.each([
    ['a'.repeat(63), []],
    ['a'.repeat(64), [`metadata.namespace is "${'a'.repeat(64)}", must have at most 63 characters`]],
    ['', ['metadata.namespace is "", must be a lower case DNS label (letters, digits, "-")']],
  ])('of namespace %p has the problems %p', (namespace, problems) => {
    expect(problemsOf({ metadata: { name: 'a', namespace }, spec: {} })).toEqual(problems);
  });

  test('keeps labels that are called like members of every object', () => {
    expect(decodedSpec({ workloadSelector: { labels: { constructor: 'a', toString: 'b' } } })).toMatchObject({
      workloadSelector: { labels: { constructor: 'a', toString: 'b' } },
    });
  });
});

describe('a WorkloadEntry', () => {
  test('has a value for every field', () => {
    expect(decodedWorkload({})).toEqual({
      address: '',
      ports: {},
      labels: {},
      network: '',
      locality: '',
      weight: 0,
      serviceAccount: '',
    });
  });

  test('keeps what controllers say of its health', () => {
    const status = { conditions: [{ type: 'Healthy', status: 'True', message: 'x' }, {}] };
    expect(decodeWorkloadEntry({ metadata: METADATA, spec: { address: '10.0.0.1' }, status }, 'vm.yaml')).toMatchObject(
      {
        value: {
          source: 'vm.yaml',
          conditions: [
            { type: 'Healthy', status: 'True' },
            { type: '', status: '' },
          ],
        },
      },
    );
  });

  test('may be written with the names of the .proto file', () => {
    expect(decodedWorkload({ service_account: 'cart', weight: '7', ports: { http: '80' } })).toMatchObject({
      serviceAccount: 'cart',
      weight: 7,
      ports: { http: 80 },
    });
  });

  test('reports all its problems at once', () => {
    expect(decodedWorkload({ address: 1, weight: 'heavy', adress: 'x' })).toEqual([
      `spec.address is 1, ${NO_TEXT}`,
      `spec.weight is "heavy", ${NO_UINT32}`,
      'spec.adress is "x", must be one of the known fields: address, ports, labels, network, locality, weight, serviceAccount',
    ]);
  });
});
