import { isLocated, isPort, locateInstance } from '../../../lib/registries/consul/instance-address';
import { consulInstance, type InstanceChange } from '../../support/consul-instance';

const ip = (address: string, port: number) => ({ kind: 'ip', address, port });

test.each<[string, InstanceChange, string | undefined, unknown]>([
  ['the node address without one of the service', {}, undefined, ip('10.0.0.1', 80)],
  ['the service address before that of the node', { address: '10.1.0.1' }, undefined, ip('10.1.0.1', 80)],
  ['an IPv6 address', { address: 'fd00::1' }, undefined, ip('fd00::1', 80)],
  ['a host name', { address: 'db.example.com' }, undefined, { kind: 'name', address: 'db.example.com', port: 80 }],
  ['a host name with a dot at the end', { address: 'db.' }, undefined, { kind: 'name', address: 'db.', port: 80 }],
  ['a host name with underscores', { address: 'a_b' }, undefined, { kind: 'name', address: 'a_b', port: 80 }],
  ['the lowest port', { port: 1 }, undefined, ip('10.0.0.1', 1)],
  ['the highest port', { port: 65_535 }, undefined, ip('10.0.0.1', 65_535)],
  [
    'a unix socket, whatever the port',
    { socketPath: '/run/web.sock', port: undefined },
    undefined,
    { kind: 'unix', address: '/run/web.sock', port: 0 },
  ],
  ['an abstract socket', { socketPath: '@web' }, undefined, { kind: 'unix', address: '@web', port: 0 }],
  [
    'the tagged address with its port',
    { address: '10.1.0.1', taggedAddresses: { wan: { address: '1.2.3.4', port: 8080 } } },
    'wan',
    ip('1.2.3.4', 8080),
  ],
  [
    'the tagged address with the port of the service when it has none',
    { taggedAddresses: { wan: { address: '1.2.3.4', port: undefined } } },
    'wan',
    ip('1.2.3.4', 80),
  ],
  [
    'no tagged address that is not asked for',
    { taggedAddresses: { wan: { address: '1.2.3.4', port: 8080 } } },
    undefined,
    ip('10.0.0.1', 80),
  ],
  [
    'the service address when the tag is missing',
    { address: '10.1.0.1', node: { taggedAddresses: { wan: '5.6.7.8' } } },
    'wan',
    ip('10.1.0.1', 80),
  ],
  [
    'the tagged address of the node when the service has no address',
    { node: { taggedAddresses: { wan: '5.6.7.8' } } },
    'wan',
    ip('5.6.7.8', 80),
  ],
  [
    'the plain address of the node when neither has the tag',
    { node: { taggedAddresses: { wan: '' } }, taggedAddresses: { wan: { address: '', port: 1 } } },
    'wan',
    ip('10.0.0.1', 80),
  ],
])('an instance is at %s', (_rule, change, addressTag, location) => {
  const rules = addressTag === undefined ? {} : { addressTag };
  expect(locateInstance(consulInstance(change), rules)).toEqual({ instance: consulInstance(change), location });
});

test.each<[InstanceChange, string]>([
  [{ port: undefined }, 'web-1 on node m1 has no port'],
  [{ port: 0 }, 'web-1 on node m1 has port 0'],
  [{ port: 70_000 }, 'web-1 on node m1 has port 70000'],
  [{ port: 65_536 }, 'web-1 on node m1 has port 65536'],
  [{ port: -5 }, 'web-1 on node m1 has port -5'],
  [{ port: 80.5 }, 'web-1 on node m1 has port 80.5'],
  [{ node: { address: '' } }, 'web-1 on node m1 has address ""'],
  [{ address: '0.0.0.0' }, 'web-1 on node m1 has address "0.0.0.0"'],
  [{ address: '::' }, 'web-1 on node m1 has address "::"'],
  [{ address: '10.0.0.01' }, 'web-1 on node m1 has address "10.0.0.01"'],
  [{ address: '10.0.0' }, 'web-1 on node m1 has address "10.0.0"'],
  [{ address: 'fe80::1%eth0' }, 'web-1 on node m1 has address "fe80::1%eth0"'],
  [{ address: 'a b' }, 'web-1 on node m1 has address "a b"'],
  [{ address: 'a..b' }, 'web-1 on node m1 has address "a..b"'],
  [{ address: 'a'.repeat(64) }, `web-1 on node m1 has address "${'a'.repeat(64)}"`],
  [{ address: 'a.'.repeat(127) }, `web-1 on node m1 has address "${'a.'.repeat(127)}"`],
  [{ socketPath: 'run/web.sock' }, 'web-1 on node m1 has socket "run/web.sock", which is no absolute path'],
])('%j cannot be reached', (change, problem) => {
  const result = locateInstance(consulInstance(change), {});
  expect(result).toEqual({ instance: consulInstance(change), problem });
  expect(isLocated(result)).toBe(false);
});

test.each([
  [1, true],
  [65_535, true],
  [0, false],
  [65_536, false],
  [NaN, false],
  [1.5, false],
])('%d is a port: %s', (port, expected) => {
  expect(isPort(port)).toBe(expected);
});
