import { groupBy } from '../../../lib/registries/external/group-by';

test('groups keep the order of the items, among each other and within', () => {
  expect([...groupBy([5, 2, 3, 4, 1], (number) => number % 2)]).toEqual([
    [1, [5, 3, 1]],
    [0, [2, 4]],
  ]);
});

test('of nothing there are no groups', () => {
  expect([...groupBy([], String)]).toEqual([]);
});
