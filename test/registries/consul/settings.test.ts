import * as z from 'zod';
import { consulSettings } from '../../../lib/registries/consul/settings';

const schema = z.strictObject(consulSettings);
const address = 'http://127.0.0.1:8500';

test('an address is all that is needed', () => {
  expect(schema.parse({ address })).toEqual({
    address,
    hostname: 'service',
    domain: 'consul',
    publishUnhealthy: false,
    tags: [],
    proxies: false,
    consulService: false,
    aclFiltered: 'partial',
    maxStale: 10_000,
    fullReadEvery: 300_000,
    wait: 300_000,
    requestTimeout: 10_000,
    maxConcurrency: 16,
    requestsPerSecond: 1_000,
  });
});

test('everything can be said', () => {
  const all = {
    address: 'https://consul.internal:8501/consul/',
    token: 't',
    caFile: 'ca.pem',
    serverName: 'server.dc1.consul',
    datacenter: 'dc1',
    namespace: 'team-a',
    partition: 'p1',
    hostname: 'datacenter',
    domain: 'corp.example',
    servicePort: 80,
    addressTag: 'wan',
    publishUnhealthy: true,
    filter: 'Service.Meta.env == "prod"',
    tags: ['a=b'],
    proxies: true,
    consulService: true,
    aclFiltered: 'accept',
    maxConcurrency: 1,
    requestsPerSecond: 1,
  };
  const durations = { maxStale: '100ms', fullReadEvery: '10s', wait: '1s', requestTimeout: '1m' };
  expect(schema.parse({ ...all, ...durations })).toEqual({
    ...all,
    maxStale: 100,
    fullReadEvery: 10_000,
    wait: 1_000,
    requestTimeout: 60_000,
  });
});

test.each([
  ['address', 'consul:8500'],
  ['address', 'ftp://consul'],
  ['address', ''],
  ['datacenter', 'dc/1'],
  ['namespace', '*'],
  ['partition', ''],
  ['hostname', 'short'],
  ['domain', '.consul'],
  ['servicePort', 0],
  ['servicePort', 65_536],
  ['addressTag', ''],
  ['filter', ''],
  ['tags', ['a"b']],
  ['aclFiltered', 'ignore'],
  ['maxStale', '50ms'],
  ['fullReadEvery', '5s'],
  ['wait', '11m'],
  ['wait', 300],
  ['maxConcurrency', 0],
  ['maxConcurrency', 101],
  ['requestsPerSecond', 0],
  ['publishUnhealty', true],
])('pitfall 5: %s %j is refused', (name, value) => {
  expect(schema.safeParse({ address, [name]: value }).success).toBe(false);
});
