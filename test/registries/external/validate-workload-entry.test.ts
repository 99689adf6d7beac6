import { formatProblem } from '../../../lib/registries/external/problem';
import { validateWorkloadEntry } from '../../../lib/registries/external/validate-workload-entry';
import { workloadEntry } from '../../support/external-entries';

const IP = { address: '10.0.0.1' };
const PORT_NAME = 'must have a port name: 1 to 63 letters, digits and "-", starting and ending with a letter or digit';
const NO_SOCKET = 'must be unix:// and the absolute path of a socket, or unix://@ and a name';

const problemsOf = (spec: Readonly<Record<string, unknown>>) =>
  validateWorkloadEntry(workloadEntry('vm', spec)).problems.map(formatProblem);

test.each([
  ['an IPv4 address', IP],
  ['an IPv6 address', { address: '2001:db8::1' }],
  ['a domain name', { address: 'vm-1.example.com' }],
  ['a short name', { address: 'vm-1' }],
  ['an absolute socket', { address: 'unix:///var/run/app.sock' }],
  ['an abstract socket', { address: 'unix://@app' }],
  ['an abstract socket of any name', { address: 'unix://@app/' }],
  ['a network alone', { network: 'vpc-1' }],
  ['ports of any name', { ...IP, ports: { http: 1, 'x-2': 65_535, 7777: 7777 } }],
  ['labels', { ...IP, labels: { app: 'cart', 'istio.io/rev': '' } }],
])('%s is allowed', (_rule, spec) => {
  expect(problemsOf(spec)).toEqual([]);
});

test.each([
  ['neither address nor network', {}, ['spec.address is missing, must be given unless a network is']],
  [
    'an address with a port',
    { address: 'vm:9443' },
    ['spec.address is "vm:9443", must be an IP address, a domain name or a unix:// socket'],
  ],
  [
    'a wildcard',
    { address: '*.example.com' },
    ['spec.address is "*.example.com", must be an IP address, a domain name or a unix:// socket'],
  ],
  [
    'an impossible IP',
    { address: '10.0.0.256' },
    ['spec.address is "10.0.0.256", must be an IP address, a domain name or a unix:// socket'],
  ],
  ['a relative socket', { address: 'unix://app.sock' }, [`spec.address is "unix://app.sock", ${NO_SOCKET}`]],
  ['a folder as a socket', { address: 'unix:///var/run/' }, [`spec.address is "unix:///var/run/", ${NO_SOCKET}`]],
  ['an empty socket', { address: 'unix://' }, [`spec.address is "unix://", ${NO_SOCKET}`]],
  [
    'ports of a socket',
    { address: 'unix://@app', ports: { http: 80 } },
    ['spec.ports is {"http":80}, must not be given: a unix socket has no ports'],
  ],
  ['port 0', { ...IP, ports: { http: 0 } }, ['spec.ports.http is 0, must be a port number from 1 to 65535']],
  [
    'port 65536',
    { ...IP, ports: { http: 65_536 } },
    ['spec.ports.http is 65536, must be a port number from 1 to 65535'],
  ],
  ['a port without a proper name', { ...IP, ports: { '@': 80 } }, [`spec.ports["@"] is 80, ${PORT_NAME}`]],
  [
    'a label without a proper name',
    { ...IP, labels: { 'a b': 'c' } },
    [
      'spec.labels["a b"] is "c", must have a key of letters, digits, "-", "_" and ".", at most 63, with an optional DNS prefix and "/"',
    ],
  ],
  [
    'a label without a proper value',
    { ...IP, labels: { a: 'b c' } },
    [
      'spec.labels.a is "b c", must have a value of letters, digits, "-", "_" and ".", starting and ending with a letter or digit, or none',
    ],
  ],
])('%s is refused', (_rule, spec, problems) => {
  expect(problemsOf(spec)).toEqual(problems);
});

test('a workload behind the gateway of a network has a note', () => {
  expect(validateWorkloadEntry(workloadEntry('vm', { network: 'vpc-1' })).notes).toEqual([
    {
      code: 'EndpointWithoutAddress',
      message: 'spec.address is missing: only the gateway of network "vpc-1" reaches it',
    },
  ]);
  expect(validateWorkloadEntry(workloadEntry('vm', { ...IP, network: 'vpc-1' })).notes).toEqual([]);
  expect(validateWorkloadEntry(workloadEntry('vm', {})).notes).toEqual([]);
});
