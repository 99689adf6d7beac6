import { CHANGES_TABLE, PUBLISHED_TABLE } from '../../lib/runtime/table-definitions';
import { attributeEquals } from '../../lib/storage/dynamodb-expression';
import { BATCH_GET_KEYS, DynamoDbTable } from '../../lib/storage/dynamodb-table';
import { ManualClock } from '../support/manual-clock';
import { ScriptedDynamoDb, type ScriptedAnswer } from '../support/scripted-dynamodb';
import { collect } from '../support/store-under-test';

const servers: ScriptedDynamoDb[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function tableThatAnswers(...answers: readonly ScriptedAnswer[]): Promise<{
  readonly table: DynamoDbTable;
  readonly server: ScriptedDynamoDb;
  readonly clock: ManualClock;
}> {
  const server = await ScriptedDynamoDb.start(answers);
  servers.push(server);
  const clock = new ManualClock();
  const access = { client: server.client, tableName: 'table-1', clock, timeoutMs: 200 };
  return { table: new DynamoDbTable(PUBLISHED_TABLE, access), server, clock };
}

function failure(type: string, status = 400): ScriptedAnswer {
  return { status, body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'because' } };
}

function batch(found: readonly string[], unprocessed: readonly string[]): ScriptedAnswer {
  const keys = (services: readonly string[]): readonly object[] =>
    services.map((service) => ({ service: { S: service } }));
  return {
    status: 200,
    body: {
      Responses: { 'table-1': keys(found) },
      UnprocessedKeys: unprocessed.length === 0 ? {} : { 'table-1': { Keys: keys(unprocessed), ConsistentRead: true } },
    },
  };
}

describe('failures of calls', () => {
  test.each([
    ['throttling', failure('ProvisionedThroughputExceededException'), true],
    ['throttling of the account', failure('RequestLimitExceeded'), true],
    ['throttling of the control plane', failure('ThrottlingException'), true],
    ['a fault of the server', failure('InternalServerError', 500), true],
    ['a fault without a name', { status: 503 }, true],
    ['expired credentials', failure('ExpiredTokenException'), true],
    ['a wrong request', failure('ValidationException'), false],
    ['a missing table', failure('ResourceNotFoundException'), false],
    ['a missing permission', failure('AccessDeniedException'), false],
  ])('%s: may pass by itself or not', async (_case, answer, transient) => {
    const { table } = await tableThatAnswers(answer);
    await expect(table.get({ service: 'a' })).rejects.toMatchObject({ code: 'DynamoDbError', transient });
  });

  test('name the operation, the table and what DynamoDB said', async () => {
    const { table } = await tableThatAnswers(failure('ValidationException'));
    await expect(table.put({ service: 'a' })).rejects.toMatchObject({
      message: 'DynamoDB PutItem on Published failed: ValidationException: because',
      details: { operation: 'PutItem', table: 'Published', reason: 'ValidationException', status: 400 },
    });
  });

  test('a call without an answer ends after its time, and may be repeated', async () => {
    const { table } = await tableThatAnswers({});
    await expect(table.get({ service: 'a' })).rejects.toMatchObject({
      code: 'DynamoDbError',
      transient: true,
      details: { operation: 'GetItem', table: 'Published' },
    });
  });

  test('a connection that is refused may come back', async () => {
    const { table, server } = await tableThatAnswers({});
    await server.close();
    await expect(table.get({ service: 'a' })).rejects.toMatchObject({ code: 'DynamoDbError', transient: true });
    await expect(table.get({ service: 'a' })).rejects.toThrow(/^DynamoDB GetItem on Published failed: .*ECONNREFUSED/);
  });

  test('an item that cannot be written as such does not get better', async () => {
    const { table } = await tableThatAnswers({ status: 200 });
    await expect(table.put({ service: 'a', n: NaN })).rejects.toMatchObject({
      code: 'DynamoDbError',
      transient: false,
      details: { operation: 'PutItem', table: 'Published', reason: 'Error' },
    });
  });
});

describe('conditions', () => {
  test.each([
    ['holds', { status: 200 }, true],
    ['does not hold', failure('ConditionalCheckFailedException'), false],
  ])('a put and a delete say whether the condition %s', async (_case, answer, written) => {
    const { table } = await tableThatAnswers(answer);
    await expect(table.put({ service: 'a' }, attributeEquals('version', 1))).resolves.toBe(written);
    await expect(table.delete({ service: 'a' }, attributeEquals('version', 1))).resolves.toBe(written);
  });

  test('an update answers with the item, or with nothing when the condition does not hold', async () => {
    const { table } = await tableThatAnswers(
      { status: 200, body: { Attributes: { service: { S: 'a' } } } },
      failure('ConditionalCheckFailedException'),
    );
    const update = { set: [attributeEquals('x', 1)], remove: [] };
    await expect(table.update({ service: 'a' }, update, attributeEquals('version', 1))).resolves.toEqual({
      service: 'a',
    });
    await expect(table.update({ service: 'a' }, update, attributeEquals('version', 1))).resolves.toBeUndefined();
  });
});

describe('reads', () => {
  test('are consistent, but for those of an index', async () => {
    const { table, server } = await tableThatAnswers({ status: 200 });
    await table.get({ service: 'a' });
    await collect(table.query({ keys: [attributeEquals('service', 'a')] }));
    await collect(table.query({ keys: [attributeEquals('namespace', 'a')], index: 'byNamespace' }));
    await collect(table.scan({ consistent: false }));
    await collect(table.scan({ consistent: true }));
    await table.batchGet([{ service: 'a' }]);
    expect(server.requests).toMatchObject([
      { ConsistentRead: true },
      { ConsistentRead: true, KeyConditionExpression: '(#service = :v0)' },
      { IndexName: 'byNamespace' },
      { ConsistentRead: false },
      { ConsistentRead: true },
      { RequestItems: { 'table-1': { ConsistentRead: true } } },
    ]);
    expect(server.requests[2]).not.toHaveProperty('ConsistentRead');
  });

  test('follow every page, also an empty one in between', async () => {
    const page = (service: string | undefined, next: string | undefined): ScriptedAnswer => ({
      status: 200,
      body: {
        Items: service === undefined ? [] : [{ service: { S: service } }],
        ...(next === undefined ? {} : { LastEvaluatedKey: { service: { S: next } } }),
      },
    });
    const { table, server } = await tableThatAnswers(page('a', 'a'), page(undefined, 'b'), page('c', undefined));
    await expect(collect(table.scan({ consistent: true }))).resolves.toEqual([{ service: 'a' }, { service: 'c' }]);
    expect(server.requests).toMatchObject([
      {},
      { ExclusiveStartKey: { service: { S: 'a' } } },
      { ExclusiveStartKey: { service: { S: 'b' } } },
    ]);
  });

  test('of a page that fails throw, instead of ending early', async () => {
    const { table } = await tableThatAnswers(
      { status: 200, body: { Items: [], LastEvaluatedKey: { service: { S: 'a' } } } },
      failure('InternalServerError', 500),
    );
    await expect(collect(table.scan({ consistent: true }))).rejects.toMatchObject({ code: 'DynamoDbError' });
  });
});

describe('batches', () => {
  test('ask for unprocessed keys again after a wait that doubles while nothing comes', async () => {
    const { table, server, clock } = await tableThatAnswers(
      batch(['a'], ['b', 'c']),
      batch([], ['b', 'c']),
      batch([], ['b', 'c']),
      batch(['b'], ['c']),
      batch(['c'], []),
    );
    const items = await table.batchGet([{ service: 'a' }, { service: 'b' }, { service: 'c' }]);
    expect(items).toEqual([{ service: 'a' }, { service: 'b' }, { service: 'c' }]);
    expect(clock.delays).toEqual([50, 50, 100, 200]);
    expect(server.requests[4]).toEqual({
      RequestItems: { 'table-1': { Keys: [{ service: { S: 'c' } }], ConsistentRead: true } },
    });
  });

  test('give up, for the time being, when nothing comes at all', async () => {
    const { table, server, clock } = await tableThatAnswers(batch([], ['a']));
    await expect(table.batchGet([{ service: 'a' }])).rejects.toMatchObject({
      code: 'DynamoDbError',
      transient: true,
      message: 'DynamoDB BatchGetItem on Published left 1 keys unprocessed in 8 answers',
      details: { table: 'Published', unprocessed: 1 },
    });
    expect(server.requests).toHaveLength(8);
    expect(clock.delays).toEqual([50, 100, 200, 400, 800, 1600, 1600, 1600]);
  });

  test.each([
    [0, []],
    [1, [1]],
    [BATCH_GET_KEYS, [100]],
    [BATCH_GET_KEYS + 1, [100, 1]],
  ])('of %i keys are cut to what one call may hold', async (count, sizes) => {
    const { table, server } = await tableThatAnswers(batch([], []));
    await table.batchGet(Array.from({ length: count }, (_, n) => ({ service: `s${n}` })));
    const keys = server.requests.map((request) => JSON.stringify(request).split('"service"').length - 1);
    expect(keys).toEqual(sizes);
  });

  test('ask for a doubled key once', async () => {
    const server = await ScriptedDynamoDb.start([batch([], [])]);
    servers.push(server);
    const access = { client: server.client, tableName: 'table-1', clock: new ManualClock() };
    const table = new DynamoDbTable(CHANGES_TABLE, access);
    const keys = [1, 2, 1].map((version) => ({ service: 'a', version }));
    await table.batchGet(keys);
    expect(server.requests).toEqual([
      {
        RequestItems: {
          'table-1': {
            Keys: [1, 2].map((version) => ({ service: { S: 'a' }, version: { N: String(version) } })),
            ConsistentRead: true,
          },
        },
      },
    ]);
  });
});
