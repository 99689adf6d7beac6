import * as fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { canonicalIp } from '../../lib/model/ip-address';

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
