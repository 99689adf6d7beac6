import { formatProblem } from '../../../lib/registries/external/problem';
import { validateServiceEntry } from '../../../lib/registries/external/validate-service-entry';
import { HTTP_PORT, serviceEntry } from '../../support/external-entries';

const HOST = { hosts: ['cart.example.com'] };
const TCP_PORT = { name: 'tcp', number: 9000, protocol: 'TCP' };
const ONE = { address: '10.0.0.1' };
const TWO = { address: '10.0.0.2' };

function problemsOf(spec: Readonly<Record<string, unknown>>, metadata: Readonly<Record<string, unknown>> = {}) {
  return validateServiceEntry(serviceEntry('cart', spec, { metadata })).problems.map(formatProblem);
}

/** The rule's name, the spec, and its problems; none when it is accepted. */
type Case = readonly [rule: string, spec: Readonly<Record<string, unknown>>, problems: readonly string[]];

const NOT_A_LABEL = 'is no DNS label (1 to 63 letters, digits and "-", starting and ending with a letter or digit)';
const PROTOCOLS = 'HTTP, HTTP2, HTTPS, GRPC, GRPC-Web, HTTP_PROXY, TCP, TLS, UDP, Mongo, Redis, MySQL';
const PORT_NAME = 'must be a port name: 1 to 63 letters, digits and "-", starting and ending with a letter or digit';

const HOSTS: readonly Case[] = [
  ['one host is enough', HOST, []],
  ['no host is too few', { hosts: [] }, ['spec.hosts is [], must have at least one host']],
  ['short names are allowed', { hosts: ['cart'] }, []],
  ['a trailing dot is allowed', { hosts: ['cart.example.com.'] }, []],
  ['a wildcard as first label is allowed', { hosts: ['*.example.com'] }, []],
  ['a partial wildcard is allowed', { hosts: ['*cart.example.com'] }, []],
  [
    'a wildcard alone is not',
    { hosts: ['a.com', '*'] },
    ['spec.hosts[1] is "*", must not be a wildcard alone ("*.example.com" is allowed)'],
  ],
  [
    'a wildcard further on is not',
    { hosts: ['api.*.com'] },
    [`spec.hosts[0] is "api.*.com", must be a DNS name, but "*" ${NOT_A_LABEL}`],
  ],
  [
    'a wildcard at the end of a label is not',
    { hosts: ['foo*'] },
    [`spec.hosts[0] is "foo*", must be a DNS name, but "foo*" ${NOT_A_LABEL}`],
  ],
  [
    'an IP address is no host',
    { hosts: ['10.0.0.1'] },
    ['spec.hosts[0] is "10.0.0.1", must not end in a label of digits only'],
  ],
  ['an empty host is none', { hosts: [''] }, ['spec.hosts[0] is "", must not be empty']],
];

const ADDRESSES: readonly Case[] = [
  ['IPv4 and IPv6 addresses are allowed', { ...HOST, addresses: ['10.0.0.1', '2001:db8::1'] }, []],
  ['CIDR blocks go with NONE', { ...HOST, resolution: 'NONE', addresses: ['10.0.0.0/8', '2001:db8::/32'] }, []],
  ['CIDR blocks go with STATIC', { ...HOST, resolution: 'STATIC', addresses: ['10.0.0.0/8'] }, []],
  [
    'CIDR blocks do not go with DNS, not even of one address',
    { ...HOST, resolution: 'DNS', addresses: ['10.0.0.1', '10.0.0.1/32'] },
    [
      'spec.addresses[1] is "10.0.0.1/32", must be an IP address with resolution DNS (CIDR blocks go with NONE and STATIC only)',
    ],
  ],
  [
    'CIDR blocks do not go with DNS_ROUND_ROBIN',
    { ...HOST, resolution: 'DNS_ROUND_ROBIN', addresses: ['10.0.0.0/8'] },
    [
      'spec.addresses[0] is "10.0.0.0/8", must be an IP address with resolution DNS_ROUND_ROBIN (CIDR blocks go with NONE and STATIC only)',
    ],
  ],
  [
    'names are no addresses',
    { ...HOST, addresses: ['cart.example.com'] },
    ['spec.addresses[0] is "cart.example.com", must be an IP address or a CIDR block'],
  ],
  [
    'a CIDR block has to have a possible length',
    { ...HOST, addresses: ['10.0.0.1/33'] },
    ['spec.addresses[0] is "10.0.0.1/33", must be an IP address or a CIDR block'],
  ],
  [
    'a unix socket is no address of a service',
    { ...HOST, addresses: ['unix:///sock'] },
    ['spec.addresses[0] is "unix:///sock", must be an IP address or a CIDR block'],
  ],
];

const PORTS: readonly Case[] = [
  ['a service may have no ports', { ...HOST, ports: [] }, []],
  ['numbers go from 1', { ...HOST, ports: [{ name: 'a', number: 1 }] }, []],
  ['numbers go to 65535', { ...HOST, ports: [{ name: 'a', number: 65_535 }] }, []],
  [
    'number 0 is none',
    { ...HOST, ports: [{ name: 'a', number: 0 }] },
    ['spec.ports[0].number is 0, must be a port number from 1 to 65535'],
  ],
  [
    'number 65536 is none',
    { ...HOST, ports: [{ name: 'a', number: 65_536 }] },
    ['spec.ports[0].number is 65536, must be a port number from 1 to 65535'],
  ],
  ['a target port is a port number', { ...HOST, ports: [{ name: 'a', number: 1, targetPort: 65_535 }] }, []],
  ['target port 0 is none given', { ...HOST, ports: [{ name: 'a', number: 1, targetPort: 0 }] }, []],
  [
    'target port 65536 is none',
    { ...HOST, ports: [{ name: 'a', number: 1, targetPort: 65_536 }] },
    ['spec.ports[0].targetPort is 65536, must be a port number from 1 to 65535'],
  ],
  [
    'several ports may have one target',
    {
      ...HOST,
      ports: [
        { name: 'a', number: 1, targetPort: 80 },
        { name: 'b', number: 2, targetPort: 80 },
      ],
    },
    [],
  ],
  [
    'names are unique',
    {
      ...HOST,
      ports: [
        { name: 'a', number: 1 },
        { name: 'a', number: 2 },
      ],
    },
    ['spec.ports[1].name is "a", must be unique within the entry'],
  ],
  [
    'numbers are unique, also over transports',
    {
      ...HOST,
      ports: [
        { name: 'a', number: 53, protocol: 'TCP' },
        { name: 'b', number: 53, protocol: 'UDP' },
      ],
    },
    ['spec.ports[1].number is 53, must be unique within the entry'],
  ],
  ['a name is a DNS label', { ...HOST, ports: [{ name: 'http-web-2', number: 1 }] }, []],
  ['a name may have upper case letters', { ...HOST, ports: [{ name: 'HTTP', number: 1 }] }, []],
  [
    'a name without being a DNS label is refused',
    { ...HOST, ports: [{ name: 'http_web', number: 1 }] },
    [`spec.ports[0].name is "http_web", ${PORT_NAME}`],
  ],
  ['a port has to have a name', { ...HOST, ports: [{ number: 1 }] }, [`spec.ports[0].name is "", ${PORT_NAME}`]],
  ['a protocol may be missing', { ...HOST, ports: [{ name: 'a', number: 1 }] }, []],
  ['a protocol is known in any case', { ...HOST, ports: [{ name: 'a', number: 1, protocol: 'gRPC-wEb' }] }, []],
  [
    'an unknown protocol is refused',
    { ...HOST, ports: [{ name: 'a', number: 1, protocol: 'SCTP' }] },
    [`spec.ports[0].protocol is "SCTP", must be empty or one of ${PROTOCOLS}, in any case`],
  ],
  [
    'our own word for "sniff" is no protocol',
    { ...HOST, ports: [{ name: 'a', number: 1, protocol: 'Unsupported' }] },
    [`spec.ports[0].protocol is "Unsupported", must be empty or one of ${PROTOCOLS}, in any case`],
  ],
];

const SELECTORS: readonly Case[] = [
  [
    'a selector stands in place of endpoints',
    { ...HOST, resolution: 'STATIC', workloadSelector: { labels: { app: 'a' } } },
    [],
  ],
  ['an empty list of endpoints is none', { ...HOST, resolution: 'STATIC', endpoints: [], workloadSelector: {} }, []],
  [
    'both together are refused',
    { ...HOST, resolution: 'STATIC', endpoints: [ONE], workloadSelector: {} },
    ['spec.workloadSelector is {"labels":{}}, must not be given together with endpoints'],
  ],
  ['a selector without labels is allowed', { ...HOST, resolution: 'DNS', workloadSelector: {} }, []],
  ['a selector with NONE is allowed', { ...HOST, workloadSelector: { labels: { app: 'a' } } }, []],
  [
    'a label of a selector has a name',
    { ...HOST, workloadSelector: { labels: { '': 'a' } } },
    ['spec.workloadSelector.labels[""] is "a", must have a name'],
  ],
  [
    'a selector has no wildcard in a name',
    { ...HOST, workloadSelector: { labels: { 'a*': 'b' } } },
    ['spec.workloadSelector.labels["a*"] is "b", must not hold a wildcard'],
  ],
  [
    'a selector has no wildcard in a value',
    { ...HOST, workloadSelector: { labels: { a: '*' } } },
    ['spec.workloadSelector.labels.a is "*", must not hold a wildcard'],
  ],
];

const NONE: readonly Case[] = [
  ['NONE has no endpoints', { ...HOST, resolution: 'NONE', ports: [HTTP_PORT] }, []],
  [
    'NONE with endpoints is refused',
    { ...HOST, resolution: 'NONE', endpoints: [ONE] },
    [
      'spec.endpoints is [{"address":"10.0.0.1","ports":{},"labels":{},"network":"","locality":"","weight…, must not be given with resolution NONE',
    ],
  ],
];

const STATIC: readonly Case[] = [
  ['STATIC may have no endpoints yet', { ...HOST, resolution: 'STATIC' }, []],
  ['STATIC endpoints are IPs', { ...HOST, resolution: 'STATIC', endpoints: [ONE, { address: '2001:db8::1' }] }, []],
  [
    'STATIC endpoints are no names',
    { ...HOST, resolution: 'STATIC', endpoints: [ONE, { address: 'a.example.com' }] },
    ['spec.endpoints[1].address is "a.example.com", must be an IP address or a unix:// socket with resolution STATIC'],
  ],
  [
    'a unix socket goes with exactly one port',
    { ...HOST, resolution: 'STATIC', ports: [HTTP_PORT], endpoints: [{ address: 'unix:///a/b' }] },
    [],
  ],
  [
    'a unix socket does not go with no port',
    { ...HOST, resolution: 'STATIC', endpoints: [{ address: 'unix://@a' }] },
    [
      'spec.endpoints[0].address is "unix://@a", must not be a unix socket: that takes exactly one service port, and there are 0',
    ],
  ],
  [
    'a unix socket does not go with two ports',
    { ...HOST, resolution: 'STATIC', ports: [HTTP_PORT, TCP_PORT], endpoints: [{ address: 'unix:///a' }] },
    [
      'spec.endpoints[0].address is "unix:///a", must not be a unix socket: that takes exactly one service port, and there are 2',
    ],
  ],
  [
    'ports of endpoints have the names of ports of the service',
    {
      ...HOST,
      resolution: 'STATIC',
      ports: [HTTP_PORT, TCP_PORT],
      endpoints: [{ ...ONE, ports: { http: 1, tcp: 2 } }],
    },
    [],
  ],
  [
    'other ports of endpoints are refused',
    { ...HOST, resolution: 'STATIC', ports: [HTTP_PORT, TCP_PORT], endpoints: [{ ...ONE, ports: { grpc: 80 } }] },
    ['spec.endpoints[0].ports.grpc is 80, must have the name of a port of the service: http, tcp'],
  ],
  [
    'an endpoint needs an address',
    { ...HOST, resolution: 'STATIC', endpoints: [{}] },
    ['spec.endpoints[0].address is missing, must be given unless a network is'],
  ],
  ['or a network', { ...HOST, resolution: 'STATIC', endpoints: [{ network: 'n' }] }, []],
];

const DNS: readonly Case[] = [
  ['DNS without endpoints resolves its hosts', { ...HOST, resolution: 'DNS' }, []],
  [
    'DNS without endpoints cannot resolve wildcards',
    { hosts: ['a.com', '*.example.com'], resolution: 'DNS' },
    ['spec.hosts[1] is "*.example.com", must be a full domain name with resolution DNS and no endpoints'],
  ],
  [
    'nor can DNS_ROUND_ROBIN',
    { hosts: ['*.example.com'], resolution: 'DNS_ROUND_ROBIN' },
    ['spec.hosts[0] is "*.example.com", must be a full domain name with resolution DNS_ROUND_ROBIN and no endpoints'],
  ],
  [
    'nor names of digits',
    { hosts: ['123'], resolution: 'DNS' },
    ['spec.hosts[0] is "123", must be a full domain name with resolution DNS and no endpoints'],
  ],
  ['with endpoints hosts may be wildcards', { hosts: ['*.example.com'], resolution: 'DNS', endpoints: [ONE] }, []],
  [
    'DNS endpoints are IPs and names',
    { ...HOST, resolution: 'DNS', endpoints: [ONE, { address: 'a.example.com' }] },
    [],
  ],
  [
    'DNS endpoints are no wildcards',
    { ...HOST, resolution: 'DNS', endpoints: [{ address: '*.example.com' }] },
    ['spec.endpoints[0].address is "*.example.com", must be an IP address or a domain name'],
  ],
  [
    'DNS endpoints are no sockets',
    { ...HOST, resolution: 'DNS', ports: [HTTP_PORT], endpoints: [{ address: 'unix:///a' }] },
    ['spec.endpoints[0].address is "unix:///a", must be an IP address or a domain name'],
  ],
  [
    'DNS endpoints need an address even with a network',
    { ...HOST, resolution: 'DNS', endpoints: [{ network: 'n' }] },
    ['spec.endpoints[0].address is "", must be an IP address or a domain name'],
  ],
  [
    'a port of an endpoint is checked as with STATIC',
    { ...HOST, resolution: 'DNS', endpoints: [{ ...ONE, ports: { a_b: 0 } }] },
    [
      'spec.endpoints[0].ports.a_b is 0, must have the name of a port of the service: it has none',
      `spec.endpoints[0].ports.a_b is 0, ${PORT_NAME.replace('be', 'have')}`,
      'spec.endpoints[0].ports.a_b is 0, must be a port number from 1 to 65535',
    ],
  ],
  ['a round robin may have one endpoint', { ...HOST, resolution: 'DNS_ROUND_ROBIN', endpoints: [ONE] }, []],
  [
    'a round robin may not have two endpoints',
    { ...HOST, resolution: 'DNS_ROUND_ROBIN', endpoints: [ONE, TWO] },
    [
      'spec.endpoints is [{"address":"10.0.0.1","ports":{},"labels":{},"network":"","locality":"","weight…, must have at most one endpoint with resolution DNS_ROUND_ROBIN',
    ],
  ],
  ['DNS may have two endpoints', { ...HOST, resolution: 'DNS', endpoints: [ONE, TWO] }, []],
];

const WILDCARD = { hosts: ['*.example.com'], resolution: 'DYNAMIC_DNS' };

const DYNAMIC: readonly Case[] = [
  ['DYNAMIC_DNS takes wildcards', WILDCARD, []],
  ['partial ones too', { ...WILDCARD, hosts: ['*example.com'] }, []],
  [
    'DYNAMIC_DNS takes nothing but wildcards',
    { ...WILDCARD, hosts: ['*.a.com', 'b.com'] },
    ['spec.hosts[1] is "b.com", must be a wildcard with resolution DYNAMIC_DNS'],
  ],
  [
    'DYNAMIC_DNS has no addresses',
    { ...WILDCARD, addresses: ['10.0.0.1'] },
    ['spec.addresses is ["10.0.0.1"], must not be given with resolution DYNAMIC_DNS'],
  ],
  [
    'DYNAMIC_DNS has no endpoints',
    { ...WILDCARD, endpoints: [{}] },
    [
      'spec.endpoints is [{"address":"","ports":{},"labels":{},"network":"","locality":"","weight":0,"ser…, must not be given with resolution DYNAMIC_DNS',
    ],
  ],
  ...['HTTP', 'HTTP2', 'GRPC', 'TLS', 'grpc'].map((protocol): Case => [
    `DYNAMIC_DNS takes ${protocol}`,
    { ...WILDCARD, ports: [{ name: 'a', number: 1, protocol }] },
    [],
  ]),
  ...['HTTPS', 'TCP', 'GRPC-Web', ''].map((protocol): Case => [
    `DYNAMIC_DNS does not take protocol "${protocol}"`,
    { ...WILDCARD, ports: [{ name: 'a', number: 1, protocol }] },
    [`spec.ports[0].protocol is "${protocol}", must be one of HTTP, HTTP2, GRPC, TLS with resolution DYNAMIC_DNS`],
  ]),
  ['DYNAMIC_DNS may be within the mesh', { ...WILDCARD, location: 'MESH_INTERNAL' }, []],
];

const SEVERAL_HOSTS: readonly Case[] = [
  ...['HTTP', 'HTTP2', 'GRPC', 'GRPC-Web', 'HTTP_PROXY', 'HTTPS', 'TLS'].map((protocol): Case => [
    `several hosts share a port of ${protocol}`,
    { hosts: ['a.com', 'b.com'], resolution: 'STATIC', ports: [{ name: 'a', number: 1, protocol }] },
    [],
  ]),
  ...['TCP', 'UDP', 'Mongo', 'Redis', 'MySQL', ''].map((protocol): Case => [
    `several hosts cannot share a port of protocol "${protocol}"`,
    { hosts: ['a.com', 'b.com'], resolution: 'STATIC', ports: [HTTP_PORT, { name: 'a', number: 1, protocol }] },
    [`spec.ports[1].protocol is "${protocol}", must be an HTTP or TLS protocol, since there are 2 hosts`],
  ]),
  ['one host has any protocol', { ...HOST, resolution: 'STATIC', ports: [TCP_PORT] }, []],
  ['with NONE several hosts share any port', { hosts: ['a.com', 'b.com'], ports: [TCP_PORT] }, []],
];

const EXPORT_TO: readonly Case[] = [
  ['namespaces and the own one are allowed', { ...HOST, exportTo: ['default', '.'] }, []],
  ['everywhere alone is allowed', { ...HOST, exportTo: ['*'] }, []],
  ['nowhere alone is allowed', { ...HOST, exportTo: ['~'] }, []],
  [
    'other marks are not',
    { ...HOST, exportTo: ['a', 'b.c'] },
    ['spec.exportTo[1] is "b.c", must be a namespace, ".", "*" or "~"'],
  ],
  [
    'a namespace stands once',
    { ...HOST, exportTo: ['a', 'b', 'a'] },
    ['spec.exportTo[2] is "a", must not name a namespace twice ("." is the own one)'],
  ],
  [
    'the own namespace is not named twice',
    { ...HOST, exportTo: ['shop', '.'] },
    ['spec.exportTo[1] is ".", must not name a namespace twice ("." is the own one)'],
  ],
  [
    'everywhere is not combined',
    { ...HOST, exportTo: ['*', 'a'] },
    ['spec.exportTo is ["*","a"], must hold "*" alone'],
  ],
  ['nowhere is not combined', { ...HOST, exportTo: ['.', '~'] }, ['spec.exportTo is [".","~"], must hold "~" alone']],
];

describe.each([
  ['hosts', HOSTS],
  ['addresses', ADDRESSES],
  ['ports', PORTS],
  ['selectors', SELECTORS],
  ['resolution NONE', NONE],
  ['resolution STATIC', STATIC],
  ['resolution DNS', DNS],
  ['resolution DYNAMIC_DNS', DYNAMIC],
  ['several hosts', SEVERAL_HOSTS],
  ['exportTo', EXPORT_TO],
])('the rules for %s', (_field, cases) => {
  test.each(cases)('%s', (_rule, spec, problems) => {
    expect(problemsOf(spec)).toEqual(problems);
  });
});

test.each([
  ['my-waypoint', 'MESH_INTERNAL', 1],
  ['None', 'MESH_INTERNAL', 0],
  ['', 'MESH_INTERNAL', 0],
  ['my-waypoint', 'MESH_EXTERNAL', 0],
])('DYNAMIC_DNS with waypoint %p and location %s has %p problems', (waypoint, location, count) => {
  const problem =
    'metadata.labels["istio.io/use-waypoint"] is "my-waypoint", must not be given with resolution DYNAMIC_DNS and location MESH_INTERNAL';
  const labels = { 'istio.io/use-waypoint': waypoint };
  expect(problemsOf({ ...WILDCARD, location }, { labels })).toEqual(count === 0 ? [] : [problem]);
});

test('a waypoint and location MESH_INTERNAL go with the other resolutions', () => {
  const labels = { 'istio.io/use-waypoint': 'my-waypoint' };
  expect(problemsOf({ ...HOST, resolution: 'STATIC', location: 'MESH_INTERNAL' }, { labels })).toEqual([]);
});

test('all problems are reported at once', () => {
  expect(
    problemsOf({
      hosts: ['*', 'a.com'],
      addresses: ['x'],
      ports: [{ name: 'a', number: 0 }],
      resolution: 'STATIC',
      endpoints: [{ address: 'b' }],
      exportTo: ['~', '*'],
    }),
  ).toHaveLength(7);
});

test('notes of the entry and of its endpoints come along', () => {
  const { notes } = validateServiceEntry(
    serviceEntry('cart', { hosts: ['*cart.com'], resolution: 'STATIC', endpoints: [{ network: 'n' }] }),
  );
  expect(notes.map(({ code }) => code)).toEqual(['PartialWildcardHost', 'EndpointWithoutAddress']);
});
