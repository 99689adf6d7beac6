import { formatAge } from '../../lib/cli/format-age';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

test.each([
  [0, '0s'],
  [999, '0s'],
  [8 * S, '8s'],
  [119 * S, '119s'],
  [2 * M, '2m'],
  [3 * M + 20 * S, '3m20s'],
  [10 * M, '10m'],
  [179 * M, '179m'],
  [3 * H, '3h'],
  [7 * H + 59 * M, '7h59m'],
  [8 * H, '8h'],
  [47 * H, '47h'],
  [2 * D, '2d'],
  [2 * D + 4 * H, '2d4h'],
  [8 * D, '8d'],
  [400 * D, '400d'],
])('%d ms is %s', (ms, text) => {
  expect(formatAge(ms)).toBe(text);
});
