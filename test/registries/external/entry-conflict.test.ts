import { conflictsOfClaims, entrySource } from '../../../lib/registries/external/entry-conflict';
import { serviceEntry } from '../../support/external-entries';

const A = serviceEntry('a', {}, { source: 'x.yaml' });
const B = serviceEntry('b', {}, { source: 'x.yaml' });
const C = serviceEntry('c', {}, { source: 'y.yaml' });

const conflicts = (...claims: Parameters<typeof conflictsOfClaims>[3]) =>
  conflictsOfClaims('External/shared', 'LabelsConflict', 'labels', claims);

test('an entry is named by its source and name, since one manifest may hold several', () => {
  expect(entrySource(A)).toBe('x.yaml#a');
});

test('the first claim wins; those that differ lose, with their sources', () => {
  const claims = [
    { entry: A, value: { x: '1' } },
    { entry: B, value: { x: '2' } },
    { entry: C, value: { x: '3' } },
  ];
  expect(conflicts(...claims)).toEqual([
    {
      type: 'LabelsConflict',
      field: 'labels',
      winner: { registry: 'External/shared', source: 'x.yaml#a', value: { x: '1' } },
      losers: [
        { registry: 'External/shared', source: 'x.yaml#b', value: { x: '2' } },
        { registry: 'External/shared', source: 'y.yaml#c', value: { x: '3' } },
      ],
    },
  ]);
});

test.each([
  ['nobody says anything', []],
  ['one speaks alone', [{ entry: A, value: 'x' }]],
  [
    'all agree',
    [
      { entry: A, value: ['x'] },
      { entry: B, value: ['x'] },
    ],
  ],
  [
    'an entry differs from itself only',
    [
      { entry: A, value: 'x' },
      { entry: A, value: 'y' },
    ],
  ],
])('there is no conflict when %s', (_rule, claims) => {
  expect(conflicts(...claims)).toEqual([]);
});
