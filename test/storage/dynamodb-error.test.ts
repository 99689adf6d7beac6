import { AppError } from '../../lib/model/app-error';
import { dynamoDbError } from '../../lib/storage/dynamodb-error';

describe('dynamoDbError', () => {
  test.each([new TypeError('bug'), new RangeError('bug'), new AppError('ours', { code: 'Ours' })])(
    'leaves %p as it is',
    (error) => {
      expect(dynamoDbError('GetItem', 'Catalog', error)).toBe(error);
    },
  );

  test.each([
    ['AbortError', true],
    ['TimeoutError', true],
    ['Error', false],
  ])('takes a %s for transient or not', (name, transient) => {
    const cause = Object.assign(new Error('because'), { name });
    expect(dynamoDbError('Query', 'Catalog', cause)).toMatchObject({
      code: 'DynamoDbError',
      message: `DynamoDB Query on Catalog failed: ${name}: because`,
      details: { operation: 'Query', table: 'Catalog', reason: name },
      transient,
      cause,
    });
  });

  test('describes what is no error', () => {
    expect(dynamoDbError('Query', 'Catalog', 'odd')).toMatchObject({
      message: 'DynamoDB Query on Catalog failed: UnknownError: odd',
      transient: false,
    });
  });
});
