import { SERVICE_ENTRY, WORKLOAD_ENTRY } from '../../../lib/registries/mcp/object-kind';
import { readObject } from '../../../lib/registries/mcp/read-object';
import { decodedServiceEntry } from '../../support/decoded-entries';
import {
  anyMessage,
  serviceEntryResource,
  workloadEntryResource,
  type AnyMessage,
  type TestObject,
} from '../../support/mcp-messages';

function read({ typeUrl, value }: AnyMessage) {
  return readObject(SERVICE_ENTRY, { typeUrl, value });
}

const CART: TestObject = {
  name: 'shop/cart',
  spec: { hosts: ['cart.example.com'], ports: [{ number: 80, name: 'http', protocol: 'HTTP' }] },
};

describe('an entry', () => {
  test('is the value that its manifest gives', () => {
    const spec = {
      hosts: ['cart.example.com', 'www.example.com'],
      addresses: ['10.0.0.1'],
      ports: [{ number: 80, name: 'http', protocol: 'HTTP', targetPort: 8080 }],
      location: 'MESH_INTERNAL',
      resolution: 'STATIC',
      endpoints: [
        {
          address: '10.1.0.1',
          ports: { http: 8081 },
          labels: { app: 'cart' },
          network: 'vm',
          locality: 'a/b/c',
          weight: 7,
          serviceAccount: 'cart',
        },
      ],
      exportTo: ['.'],
      subjectAltNames: ['spiffe://cluster.local/ns/shop/sa/cart'],
    };
    const labels = { team: 'shop' };
    const annotations = { 'networking.istio.io/traffic-distribution': 'PreferClose' };

    expect(
      read(serviceEntryResource({ name: 'shop/cart', spec, labels, annotations, created: 1_796_004_621 })),
    ).toEqual({
      entry: decodedServiceEntry({
        metadata: { name: 'cart', namespace: 'shop', labels, annotations, creationTimestamp: '2026-11-30T02:10:21Z' },
        spec,
        source: 'ServiceEntry/shop/cart',
      }),
      notes: [],
    });
  });

  test.each(['NONE', 'STATIC', 'DNS', 'DNS_ROUND_ROBIN', 'DYNAMIC_DNS'])('can have resolution %s', (resolution) => {
    const object = {
      ...CART,
      spec: { hosts: ['*.example.com'], ports: [{ number: 80, name: 'http', protocol: 'HTTP' }], resolution },
    };
    expect(read(serviceEntryResource(object))).toMatchObject({ entry: { spec: { resolution } } });
  });

  test('has a selector only when one is given, empty or not', () => {
    const withSelector = (workloadSelector: object) =>
      read(serviceEntryResource({ ...CART, spec: { ...CART.spec, resolution: 'STATIC', workloadSelector } }));

    expect(read(serviceEntryResource(CART))).not.toHaveProperty('entry.spec.workloadSelector');
    expect(withSelector({ labels: { app: 'cart' } })).toHaveProperty('entry.spec.workloadSelector.labels', {
      app: 'cart',
    });
    expect(withSelector({})).toHaveProperty('entry.spec.workloadSelector.labels', {});
  });

  test.each([
    ['there is none', undefined],
    ['it is the zero of Go', -62_135_596_800],
  ])('has no time of creation when %s', (_case, created) => {
    const object = created === undefined ? CART : { ...CART, created };
    expect(read(serviceEntryResource(object))).not.toHaveProperty('entry.creationTime');
  });

  test('that breaks the rules is converted all the same, with a note', () => {
    const object = {
      ...CART,
      spec: { hosts: ['cart.example.com'], ports: [{ number: 80, name: 'http', protocol: 'SCTP' }] },
    };

    expect(read(serviceEntryResource(object))).toMatchObject({
      entry: { spec: { ports: [{ protocol: 'SCTP' }] } },
      notes: [
        {
          code: 'InvalidEntry',
          message: expect.stringMatching(
            /^ServiceEntry\/shop\/cart is invalid, and converted as far as that has a meaning: spec\.ports\[0\]\.protocol is "SCTP", must be/,
          ) as string,
        },
      ],
    });
  });

  test('that works but was hardly meant so gets the note of its manifest', () => {
    const object = {
      ...CART,
      spec: { hosts: ['cart.example.com'], ports: [{ number: 80, name: 'tcp', protocol: 'TCP' }] },
    };

    expect(read(serviceEntryResource(object))).toMatchObject({
      notes: [
        {
          code: 'TcpWithoutAddress',
          message: expect.stringMatching(/^ServiceEntry\/shop\/cart: spec\.addresses/) as string,
        },
      ],
    });
  });

  test('of a Kubernetes service is not held to the rules', () => {
    const object = {
      name: 'shop/synthetic-cart',
      spec: {
        hosts: ['cart.shop.svc.cluster.local'],
        addresses: ['0.0.0.0'],
        ports: [53, 53].map((number, index) => ({ number, name: `p${index}`, protocol: 'UnsupportedProtocol' })),
      },
    };
    expect(read(serviceEntryResource(object))).toMatchObject({ notes: [] });
  });
});

describe('a workload', () => {
  const spec = { address: '10.1.0.1', labels: { app: 'cart' } };

  function readWorkload(object: Omit<TestObject, 'name' | 'spec'>) {
    const { typeUrl, value } = workloadEntryResource({ name: 'shop/vm-1', spec, ...object });
    return readObject(WORKLOAD_ENTRY, { typeUrl, value });
  }

  test('is healthy without health checks', () => {
    expect(readWorkload({})).toMatchObject({ entry: { name: 'vm-1', spec }, notes: [] });
  });

  test('with health checks is taken for healthy, with a note, since their result does not come', () => {
    expect(readWorkload({ annotations: { 'proxy.istio.io/health-checks-enabled': 'true' } })).toMatchObject({
      entry: { conditions: [{ type: 'Healthy', status: 'True' }] },
      notes: [
        { code: 'WorkloadHealthUnknown', message: expect.stringContaining('WorkloadEntry/shop/vm-1: ') as string },
      ],
    });
  });

  test('that breaks the rules is noted', () => {
    const { typeUrl, value } = workloadEntryResource({ name: 'shop/vm-1', spec: { address: 'not an address' } });
    expect(readObject(WORKLOAD_ENTRY, { typeUrl, value })).toMatchObject({
      notes: [{ code: 'InvalidEntry' }],
    });
  });

  test('that cannot be decoded is unreadable', () => {
    expect(
      readObject(WORKLOAD_ENTRY, wrapped('shop/vm-1', anyMessage('istio.networking.v1alpha3.ServiceEntry', {}))),
    ).toEqual({
      unreadable: {
        source: 'WorkloadEntry/shop/vm-1',
        reason:
          'It cannot be decoded: it is of type "type.googleapis.com/istio.networking.v1alpha3.ServiceEntry", and not istio.networking.v1alpha3.WorkloadEntry',
      },
    });
  });
});

function wrapped(name: string, body: AnyMessage | null) {
  const { typeUrl, value } = anyMessage('istio.mcp.v1alpha1.Resource', { metadata: { name }, body });
  return { typeUrl, value };
}

const SPEC_TYPE = 'type.googleapis.com/istio.networking.v1alpha3.ServiceEntry';

describe('pitfall 3: an object that cannot be decoded is unreadable by its own name', () => {
  test.each([
    [
      'its spec breaks off',
      { typeUrl: SPEC_TYPE, value: Buffer.from([0x0a, 9, 0x61]) },
      'the message: field 1 is cut off',
    ],
    ['its spec is not UTF-8', { typeUrl: SPEC_TYPE, value: Buffer.from([0x0a, 2, 0xc3, 0x28]) }, 'hosts: not UTF-8'],
    [
      'its resolution is not known',
      { typeUrl: SPEC_TYPE, value: Buffer.from([0x28, 9]) },
      'spec.resolution is 9, must be one of NONE',
    ],
    [
      'its spec is of another type',
      { typeUrl: 'x/y', value: Buffer.from('') },
      'it is of type "x/y", and not istio.networking.v1alpha3.ServiceEntry',
    ],
    ['it has no spec', null, 'it has no body'],
  ])('when %s', (_case, body, reason) => {
    const result = readObject(SERVICE_ENTRY, wrapped('shop/cart', body));

    expect(result).toMatchObject({ unreadable: { source: 'ServiceEntry/shop/cart' } });
    expect(result).toHaveProperty('unreadable.reason', expect.stringContaining(`It cannot be decoded: ${reason}`));
    expect(result).not.toHaveProperty('unreadable.seenInPart');
  });

  test('when its wrapping breaks off behind the name', () => {
    const { typeUrl, value } = serviceEntryResource(CART);
    expect(read({ typeUrl, value: value.subarray(0, value.length - 3) })).toMatchObject({
      unreadable: { source: 'ServiceEntry/shop/cart' },
    });
  });
});

describe('an object that does not say which it is may be any of its kind', () => {
  test.each([
    [
      'is empty',
      { typeUrl: 'type.googleapis.com/istio.mcp.v1alpha1.Resource', value: Buffer.from('') },
      'it has no metadata',
    ],
    ['has no name', wrapped('', { typeUrl: SPEC_TYPE, value: Buffer.from('') }), 'metadata.name is "", must be'],
    [
      'has a name without a namespace',
      wrapped('cart', { typeUrl: SPEC_TYPE, value: Buffer.from('') }),
      'metadata.namespace is "", must be',
    ],
    [
      'has a name of other bytes',
      wrapped('shop/c\u{1F6D2}rt', { typeUrl: SPEC_TYPE, value: Buffer.from('') }),
      'metadata.name is',
    ],
    [
      'is of another type',
      { typeUrl: 'x/y', value: Buffer.from([0x0a, 1]) },
      'it is of type "x/y", and not istio.mcp.v1alpha1.Resource',
    ],
  ])('when it %s', (_case, message, reason) => {
    expect(readObject(SERVICE_ENTRY, message)).toEqual({
      unreadable: {
        source: 'ServiceEntry/',
        reason: expect.stringContaining(
          `A ServiceEntry cannot be decoded, and it does not say which it is: ${reason}`,
        ) as string,
        seenInPart: true,
      },
    });
  });
});
