import * as fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import {
  canonicalAddress,
  canonicalCidr,
  canonicalIp,
  formatAddress,
  isIp,
  singleIpOfCidr,
} from '../../lib/model/ip-address';

describe('canonicalIp', () => {
  test.each(['0.0.0.0', '1.2.3.4', '10.20.30.40', '99.100.199.200', '249.250.255.255'])('%s stays as it is', (text) => {
    expect(canonicalIp(text)).toBe(text);
  });

  test.each([
    '256.0.0.1',
    '1.2.3.260',
    '300.1.1.1',
    '01.2.3.4',
    '1.2.3.04',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.4.',
    '.1.2.3.4',
    ' 1.2.3.4',
    '1.2.3.4\n',
    '0x7f.0.0.1',
    '1,2,3,4',
    'a.b.c.d',
    '',
  ])('%p is no address', (text) => {
    expect(canonicalIp(text)).toBeUndefined();
  });

  test.each([
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::FFFF:10.0.0.1', '::ffff:10.0.0.1'],
  ])('%s is spelt %s', (text, spelling) => {
    expect(canonicalIp(text)).toBe(spelling);
  });

  test('takes the IPv4 addresses that a parser takes in four decimal parts', () => {
    const part = fc.oneof(fc.nat({ max: 300 }).map(String), fc.constantFrom('00', '08', '1e1', ''));
    fc.assert(
      fc.property(fc.array(part, { minLength: 3, maxLength: 5 }), (parts) => {
        const text = parts.join('.');
        expect(canonicalIp(text)).toBe(ipaddr.IPv4.isValidFourPartDecimal(text) ? text : undefined);
      }),
    );
  });
});

test.each([
  [true, '10.0.0.1'],
  [true, 'fd00::1'],
  [false, 'fe80::1%eth0'],
  [false, 'cart.shop'],
  [false, '10.0.0.0/8'],
  [false, 'fd00:::1'],
])('an IP address %p: %s', (is, text) => {
  expect(isIp(text)).toBe(is);
});

describe('CIDR blocks', () => {
  test.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.1.2.3/0', '10.1.2.3/0'],
    ['10.0.0.1/32', '10.0.0.1/32'],
    ['FD00::0:1/64', 'fd00::1/64'],
    ['fd00::1/128', 'fd00::1/128'],
    ['10.0.0.0/33', undefined],
    ['fd00::1/129', undefined],
    ['10.0.0.0/08', undefined],
    ['10.0.0.0/1000', undefined],
    ['10.0.0.0/8/8', undefined],
    ['10.0.0.0/ 8', undefined],
    ['10.0.0.0/8x', undefined],
    ['10.0.0.0/', undefined],
    ['10.0.0.0', undefined],
    ['10.0.0/8', undefined],
    ['cart/8', undefined],
    ['/8', undefined],
  ])('%j is written %s', (text, written) => {
    expect(canonicalCidr(text)).toBe(written);
  });

  test.each([
    ['10.0.0.1/32', '10.0.0.1'],
    ['FD00::0:1/128', 'fd00::1'],
    ['10.0.0.1/31', undefined],
    ['fd00::1/32', undefined],
    ['fd00::1/127', undefined],
    ['10.0.0.1', undefined],
  ])('%s holds just one address: %s', (text, ip) => {
    expect(singleIpOfCidr(text)).toBe(ip);
  });
});

test.each([
  ['10.0.0.1', '10.0.0.1:80'],
  ['fd00::1', '[fd00::1]:80'],
  ['db.example.com', 'db.example.com:80'],
  ['/run/app.sock', '/run/app.sock'],
  ['@app', '@app'],
])('%s with a port is shown as %s', (address, shown) => {
  expect(formatAddress(address, 80)).toBe(shown);
});

test.each([
  ['/run/App.sock.', '/run/App.sock.'],
  ['@App.', '@App.'],
  ['FD00::0:1', 'fd00::1'],
  ['DB.Example.com.', 'db.example.com'],
  ['db.example.com', 'db.example.com'],
])('the address %s is spelt %s', (address, spelt) => {
  expect(canonicalAddress(address)).toBe(spelt);
});
