import { uniquePortNames } from '../../lib/model/port-names';

const named = (...ports: readonly (readonly [string, number])[]) =>
  uniquePortNames(ports.map(([name, number]) => ({ name, number })));

describe('names of ports', () => {
  test.each([
    ['are kept while nobody shares them', [['http', 80] as const, ['grpc', 90] as const], ['http', 'grpc']],
    [
      'go to the first of several; the next gets its number',
      [
        ['http', 80],
        ['http', 81],
      ] as const,
      ['http', 'http-81'],
    ],
    [
      'that were made up do not take the own name of a later port',
      [
        ['http', 80],
        ['http', 81],
        ['http-81', 90],
      ] as const,
      ['http', 'http-81-81', 'http-81'],
    ],
    [
      'get the number again while they are taken',
      [
        ['a', 1],
        ['a', 2],
        ['a', 2],
      ] as const,
      ['a', 'a-2', 'a-2-2'],
    ],
    [
      'that are empty become "port" when they collide',
      [
        ['', 80],
        ['', 81],
      ] as const,
      ['', 'port-81'],
    ],
    ['of no ports are none', [], []],
  ])('%s', (_rule, ports, expected) => {
    expect(named(...ports)).toEqual(expected);
  });
});
