import { ItemTooLargeError, NewerSchemaError, VersionConflictError } from '../../lib/model/store-errors';

test.each([
  [undefined, 'none'],
  [7, '7'],
])('an item that is not at version %s any more may be tried again', (expected, told) => {
  expect(new VersionConflictError('Catalog', 'shop/cart', expected)).toMatchObject({
    code: 'VersionConflictError',
    transient: true,
    message: `Catalog item shop/cart is no longer at version ${told}`,
    details: { table: 'Catalog', key: 'shop/cart', expected },
  });
});

test('an item too large says what DynamoDB allows, and what to do', () => {
  expect(new ItemTooLargeError('Catalog', 'shop/cart', 500_000)).toMatchObject({
    code: 'ItemTooLargeError',
    transient: false,
    message:
      'Catalog item shop/cart would be 500000 bytes; DynamoDB allows 409600. The last good item stays. Split the service, or leave out labels it does not need',
    details: { table: 'Catalog', key: 'shop/cart', bytes: 500_000, allowed: 409_600 },
  });
});

test('an item of newer code says which versions meet', () => {
  expect(new NewerSchemaError('Catalog', 'shop/cart', 3, 2)).toMatchObject({
    code: 'NewerSchemaError',
    transient: false,
    message: 'Catalog item shop/cart has schema 3, this version reads up to 2. Upgrade, or roll the writer back',
    details: { table: 'Catalog', key: 'shop/cart', found: 3, supported: 2 },
  });
});
