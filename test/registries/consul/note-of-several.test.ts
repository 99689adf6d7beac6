import { noteOfSeveral } from '../../../lib/registries/consul/note-of-several';

test.each([
  [[], []],
  [['b'], [{ code: 'C', message: 'Sum (b)' }]],
  [['c', 'b', 'a'], [{ code: 'C', message: 'Sum (a; b; c)' }]],
  [['d', 'c', 'b', 'a'], [{ code: 'C', message: 'Sum (a; b; c; and 1 more)' }]],
])('%j is one note at most', (problems, notes) => {
  expect(noteOfSeveral('C', 'Sum', problems)).toEqual(notes);
});
