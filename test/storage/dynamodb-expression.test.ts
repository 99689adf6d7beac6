import {
  allOf,
  anyOf,
  assign,
  assignIfAbsent,
  attributeAtMost,
  attributeBetween,
  attributeEquals,
  attributeExists,
  attributeIsAbsent,
  countUp,
  ExpressionBinder,
  itemHasExpired,
  itemIsCurrent,
  updateExpression,
  type ExpressionPart,
} from '../../lib/storage/dynamodb-expression';

describe('parts of expressions', () => {
  test.each<[string, ExpressionPart, string, readonly unknown[]]>([
    ['absence', attributeIsAbsent('registry'), 'attribute_not_exists(#registry)', []],
    ['presence', attributeExists('registry'), 'attribute_exists(#registry)', []],
    ['equality', attributeEquals('version', 7), '#version = :v0', [7]],
    ['a limit', attributeAtMost('generation', 3), '#generation <= :v0', [3]],
    ['a range', attributeBetween('order', 'a', 'b'), '#order BETWEEN :v0 AND :v1', ['a', 'b']],
    ['expiry, in whole seconds', itemHasExpired(1999), '#expiresAt <= :v0', [1]],
    ['being current', itemIsCurrent(1999), '(attribute_not_exists(#expiresAt) OR #expiresAt > :v0)', [1]],
    ['any', anyOf(attributeExists('a'), attributeEquals('b', 1)), '(attribute_exists(#a) OR #b = :v0)', [1]],
    ['all', allOf(attributeEquals('a', 1), attributeEquals('a', 2)), '(#a = :v0 AND #a = :v1)', [1, 2]],
    ['an assignment', assign('state', 'synced'), '#state = :v0', ['synced']],
    ['a first value', assignIfAbsent('state', 'x'), '#state = if_not_exists(#state, :v0)', ['x']],
    ['a counter', countUp('n', 5), '#n = if_not_exists(#n, :v0) + :v1', [4, 1]],
  ])('write %s', (_what, part, text, values) => {
    const binder = new ExpressionBinder();
    expect(part(binder)).toBe(text);
    expect(Object.values(binder.members().ExpressionAttributeValues ?? {})).toEqual(values);
  });

  test('of one request share a binder, which explains every placeholder', () => {
    const binder = new ExpressionBinder();
    const update = updateExpression(binder, { set: [assign('a', 1), assign('b', 2)], remove: ['c', 'd'] });
    const condition = attributeEquals('a', 3)(binder);
    expect([update, condition]).toEqual(['SET #a = :v0, #b = :v1 REMOVE #c, #d', '#a = :v2']);
    expect(binder.members()).toEqual({
      ExpressionAttributeNames: { '#a': 'a', '#b': 'b', '#c': 'c', '#d': 'd' },
      ExpressionAttributeValues: { ':v0': 1, ':v1': 2, ':v2': 3 },
    });
  });

  test.each([
    [{ set: [assign('a', 1)], remove: [] }, 'SET #a = :v0'],
    [{ set: [], remove: ['a'] }, 'REMOVE #a'],
  ])('an update has only the clauses that it needs', (update, text) => {
    expect(updateExpression(new ExpressionBinder(), update)).toBe(text);
  });

  test('a request without placeholders explains none', () => {
    expect(new ExpressionBinder().members()).toEqual({});
  });
});
