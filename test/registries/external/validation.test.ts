import {
  portNumberProblems,
  problemIf,
  problemOfFault,
  repetitions,
} from '../../../lib/registries/external/validation';

const AT = ['spec', 'x'];

test.each([
  [0, 1],
  [1, 0],
  [65_535, 0],
  [65_536, 1],
])('port number %p has %p problems', (number, count) => {
  const rule = 'must be a port number from 1 to 65535';
  expect(portNumberProblems(AT, number)).toEqual(count === 0 ? [] : [{ path: AT, value: number, rule }]);
});

test('a condition or a fault makes a problem', () => {
  expect(problemIf(false, AT, 1, 'must')).toEqual([]);
  expect(problemIf(true, AT, 1, 'must')).toEqual([{ path: AT, value: 1, rule: 'must' }]);
  expect(problemOfFault(undefined, AT, 1)).toEqual([]);
  expect(problemOfFault('must', AT, 1)).toEqual([{ path: AT, value: 1, rule: 'must' }]);
});

test('repetitions are what has stood before, at each place where it stands again', () => {
  expect(repetitions(['a', 'b', 'a', 'c', 'a', 'b'])).toEqual([
    { index: 2, value: 'a' },
    { index: 4, value: 'a' },
    { index: 5, value: 'b' },
  ]);
});
