import type { Located } from '../../../lib/registries/consul/instance-address';
import { servicePorts } from '../../../lib/registries/consul/service-ports';
import { consulInstance, type InstanceChange } from '../../support/consul-instance';

function at(port: number, change: InstanceChange = {}): Located {
  return { instance: consulInstance(change), location: { kind: 'ip', address: '10.0.0.1', port } };
}

const SOCKET: Located = {
  instance: consulInstance({ id: 'sock' }),
  location: { kind: 'unix', address: '/s', port: 0 },
};

const http = { meta: { protocol: 'http' } };

test.each<[string, readonly Located[], number | undefined, readonly string[]]>([
  ['none without instances', [], undefined, []],
  ['the distinct ports of the instances', [at(81), at(80), at(81)], undefined, ['tcp-80 TCP', 'tcp-81 TCP']],
  ['the configured one alone', [at(81), at(80)], 9000, ['tcp-9000 TCP']],
  ['the one of the meta', [at(81, { meta: { 'service-port': '80' } }), at(82)], undefined, ['tcp-80 TCP']],
  ['the configured one before the meta', [at(81, { meta: { 'service-port': '80' } })], 9000, ['tcp-9000 TCP']],
  ['none of an empty meta', [at(81, { meta: { 'service-port': '' } })], undefined, ['tcp-81 TCP']],
  ['the protocol of the meta', [at(80, http)], undefined, ['http-80 HTTP']],
  ['the protocol of a tag', [at(80, { tags: ['protocol=grpc'] })], undefined, ['grpc-80 GRPC']],
  [
    'the protocol of the meta before that of a tag',
    [at(80, { ...http, tags: ['protocol=grpc'] })],
    undefined,
    ['http-80 HTTP'],
  ],
  [
    'the protocol of a tag when the meta is empty',
    [at(80, { meta: { protocol: '' }, tags: ['protocol=grpc'] })],
    undefined,
    ['grpc-80 GRPC'],
  ],
  [
    'a word that is a DNS label',
    [at(80, { meta: { protocol: 'http_proxy' } })],
    undefined,
    ['http-proxy-80 HTTP_PROXY'],
  ],
  ['any case of protocols', [at(80, { meta: { protocol: 'GrPc-WeB' } })], undefined, ['grpc-web-80 GRPC-Web']],
  ['no port of a socket', [SOCKET], undefined, []],
  ['the configured port for a socket', [SOCKET], 80, ['tcp-80 TCP']],
])('the ports are %s', (_rule, instances, servicePort, expected) => {
  const { ports, notes } = servicePorts('web', instances, servicePort === undefined ? {} : { servicePort });
  expect(ports.map(({ name, protocol }) => `${name} ${protocol}`)).toEqual(expected);
  expect(notes).toEqual([]);
});

test('UDP is a transport of its own', () => {
  const { ports } = servicePorts('dns', [at(53, { meta: { protocol: 'udp' } })], {});
  expect(ports).toEqual([{ name: 'udp-53', number: 53, protocol: 'UDP', transport: 'UDP' }]);
});

test('same port, other protocol: the one of most instances wins, with a note', () => {
  const { ports, notes } = servicePorts('web', [at(80), at(80, http), at(80, http)], {});
  expect(ports.map(({ name }) => name)).toEqual(['http-80']);
  expect(notes).toEqual([
    {
      code: 'ConsulProtocolsDiffer',
      message: 'Consul service web: instances give port 80 the protocols HTTP, TCP; HTTP was taken',
    },
  ]);
});

test('of as many instances the protocol that is first by name wins, in any order', () => {
  for (const instances of [
    [at(80), at(80, http)],
    [at(80, http), at(80)],
  ]) {
    expect(servicePorts('web', instances, {}).ports.map(({ name }) => name)).toEqual(['http-80']);
  }
});

test('protocols of other ports have no say', () => {
  const { ports, notes } = servicePorts('web', [at(80, http), at(81), at(81)], {});
  expect(ports.map(({ name }) => name)).toEqual(['http-80', 'tcp-81']);
  expect(notes).toEqual([]);
});

test('an unknown protocol is TCP, with a note', () => {
  const { ports, notes } = servicePorts('web', [at(80, { meta: { protocol: 'quic' } })], {});
  expect(ports.map(({ name }) => name)).toEqual(['tcp-80']);
  expect(notes).toEqual([
    {
      code: 'ConsulProtocolUnknown',
      message: 'Consul service web: taken as TCP (web-1 on node m1 has protocol "quic")',
    },
  ]);
});

test.each(['abc', '0', '65536', '-1', '8e1', '080000'])('meta service-port %s is ignored, with a note', (text) => {
  const { ports, notes } = servicePorts('web', [at(81, { meta: { 'service-port': text } })], {});
  expect(ports.map(({ number }) => number)).toEqual([81]);
  expect(notes).toEqual([
    {
      code: 'ConsulServicePortInvalid',
      message: `Consul service web: meta service-port was ignored where it is no number from 1 to 65535 (web-1 on node m1 has ${text})`,
    },
  ]);
});

test('different service ports: that of most instances, then the lowest, with a note', () => {
  const named = (port: string) => at(81, { meta: { 'service-port': port } });
  const { ports, notes } = servicePorts('web', [named('90'), named('80'), named('100'), named('100')], {});
  expect(ports.map(({ number }) => number)).toEqual([100]);
  expect(notes).toEqual([
    {
      code: 'ConsulServicePortsDiffer',
      message: 'Consul service web: instances name the service ports 100, 80, 90; 100 was taken',
    },
  ]);
});

test.each([
  [8, []],
  [
    9,
    [
      {
        code: 'ConsulManyPorts',
        message:
          'Consul service web has 9 ports; where they are chosen at random, each deployment changes the service: set servicePort or the meta service-port',
      },
    ],
  ],
])('%d ports', (count, expected) => {
  const instances = Array.from({ length: count }, (_, index) => at(8000 + index));
  expect(servicePorts('web', instances, {}).notes).toEqual(expected);
});

test('an instance belongs to the port of its number, or to the only one', () => {
  const several = servicePorts('web', [at(80), at(81)], {});
  expect(several.portOf(at(81))?.name).toBe('tcp-81');
  expect(several.portOf(SOCKET)).toBeUndefined();
  expect(servicePorts('web', [at(80), SOCKET], {}).portOf(SOCKET)?.name).toBe('tcp-80');
  expect(servicePorts('web', [at(80), at(81)], { servicePort: 9000 }).portOf(at(81))?.name).toBe('tcp-9000');
});
