import { parseServerAddress } from '../../../lib/registries/mcp/server-address';

test.each([
  ['xds://127.0.0.1:15010', '127.0.0.1:15010', false],
  ['xdss://istiod.istio-system.svc:15012', 'istiod.istio-system.svc:15012', true],
  ['xdss://[fd00::1]:15012', '[fd00::1]:15012', true],
  ['xdss://istiod:15012/', 'istiod:15012', true],
])('%s is an address', (address, target, secure) => {
  expect(parseServerAddress(address)).toEqual({ address, target, secure });
});

test.each([
  'istiod:15012',
  'https://istiod:15012',
  'xds://istiod',
  'xds://istiod:0',
  'xds://istiod:15010/path',
  'xds://',
])('%s is none', (address) => {
  expect(parseServerAddress(address)).toBeUndefined();
});

test('the name to look for in the certificate goes with the address', () => {
  expect(parseServerAddress('xdss://10.0.0.1:15012', 'istiod.istio-system.svc')).toMatchObject({
    serverName: 'istiod.istio-system.svc',
  });
});
