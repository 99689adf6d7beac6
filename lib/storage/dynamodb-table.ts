import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { AppError } from '../model/app-error';
import type { Clock } from '../runtime/clock';
import type { TableDefinition } from '../runtime/table-definitions';
import { dynamoDbError } from './dynamodb-error';
import {
  allOf,
  ExpressionBinder,
  updateExpression,
  type ExpressionPart,
  type UpdateParts,
} from './dynamodb-expression';
import { inChunks } from './in-chunks';
import type { StoredItem } from './item-reading';
import type { Item } from './item-size';

/** How long one call may take, the SDK's own repetitions included. A consistent page of 1 MB takes well under a second. */
export const CALL_TIMEOUT_MS = 10_000;

/** Keys of one BatchGetItem (AWS "Quotas in Amazon DynamoDB"). */
export const BATCH_GET_KEYS = 100;

/** Waits between repetitions for unprocessed keys: doubled from the first to the longest (AWS advises exponential ones). */
const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 1600;

/** Answers in a row without a single item before the call counts as failed: about 5 s of waiting. */
const FRUITLESS_ANSWERS = 8;

/**
 * Absent members are not stored. Without the second option the SDK takes a map with a member `constructor`, as any label
 * may be called, for the instance of a class and refuses it.
 */
const MARSHALL_OPTIONS = { removeUndefinedValues: true, convertClassInstanceToMap: true } as const;

export type TableAccess = {
  readonly client: DynamoDBClient;
  /** Physical name of the table. */
  readonly tableName: string;
  readonly clock: Clock;
  /** Instead of {@link CALL_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
};

export type ItemKey = Readonly<Record<string, string | number>>;

/** Which items of a partition, and what of them. Reads of the table are consistent; those of an index cannot be. */
export type QueryRequest = {
  readonly index?: string;
  readonly keys: readonly ExpressionPart[];
  readonly filter?: ExpressionPart;
  /** Only these attributes. */
  readonly attributes?: readonly string[];
  readonly descending?: boolean;
  /** Items per page, for readers that stop early. */
  readonly pageSize?: number;
};

export type ScanRequest = Pick<QueryRequest, 'filter' | 'attributes'> & { readonly consistent: boolean };

type Page = {
  readonly Items?: readonly Record<string, unknown>[] | undefined;
  readonly LastEvaluatedKey?: Record<string, unknown> | undefined;
};

/**
 * One table over the SDK's document client: pages followed, batches cut, conditions answered with a value instead of an
 * exception, every call limited in time, every other failure an `AppError` that says whether it may pass (`dynamoDbError`).
 */
export class DynamoDbTable {
  readonly definition: TableDefinition;
  readonly #client: DynamoDBDocumentClient;
  readonly #access: TableAccess;

  constructor(definition: TableDefinition, access: TableAccess) {
    this.definition = definition;
    this.#client = DynamoDBDocumentClient.from(access.client, { marshallOptions: MARSHALL_OPTIONS });
    this.#access = access;
  }

  async get(key: ItemKey): Promise<StoredItem | undefined> {
    const command = new GetCommand({ ...this.#table(), Key: key, ConsistentRead: true });
    const { Item: item } = await this.#call('GetItem', (abortSignal) => this.#client.send(command, { abortSignal }));
    return item;
  }

  /** Whether the item was written; `false` when the condition did not hold. */
  async put(item: Item, condition?: ExpressionPart): Promise<boolean> {
    const binder = new ExpressionBinder();
    const command = new PutCommand({ ...this.#table(), Item: item, ...conditionOf(condition, binder) });
    const answer = await this.#conditional('PutItem', (abortSignal) => this.#client.send(command, { abortSignal }));
    return answer !== undefined;
  }

  /** The item as it then stands; `undefined` when the condition did not hold. */
  async update(key: ItemKey, update: UpdateParts, condition: ExpressionPart): Promise<StoredItem | undefined> {
    const binder = new ExpressionBinder();
    const command = new UpdateCommand({
      ...this.#table(),
      Key: key,
      UpdateExpression: updateExpression(binder, update),
      ReturnValues: 'ALL_NEW',
      ...conditionOf(condition, binder),
    });
    const answer = await this.#conditional('UpdateItem', (abortSignal) => this.#client.send(command, { abortSignal }));
    return answer?.Attributes;
  }

  /** Whether the item was there, held the condition and is now gone. */
  async delete(key: ItemKey, condition: ExpressionPart): Promise<boolean> {
    const binder = new ExpressionBinder();
    const command = new DeleteCommand({ ...this.#table(), Key: key, ...conditionOf(condition, binder) });
    const answer = await this.#conditional('DeleteItem', (abortSignal) => this.#client.send(command, { abortSignal }));
    return answer !== undefined;
  }

  async *query(request: QueryRequest): AsyncIterable<StoredItem> {
    const binder = new ExpressionBinder();
    const input = {
      ...this.#table(),
      ...(request.index === undefined ? { ConsistentRead: true } : { IndexName: request.index }),
      KeyConditionExpression: allOf(...request.keys)(binder),
      ...selectionOf(request, binder),
      ScanIndexForward: request.descending !== true,
      ...(request.pageSize === undefined ? {} : { Limit: request.pageSize }),
      ...binder.members(),
    };
    yield* this.#pages('Query', (start, abortSignal) =>
      this.#client.send(new QueryCommand({ ...input, ...start }), { abortSignal }),
    );
  }

  async *scan(request: ScanRequest): AsyncIterable<StoredItem> {
    const binder = new ExpressionBinder();
    const selection = selectionOf(request, binder);
    const input = { ...this.#table(), ConsistentRead: request.consistent, ...selection, ...binder.members() };
    yield* this.#pages('Scan', (start, abortSignal) =>
      this.#client.send(new ScanCommand({ ...input, ...start }), { abortSignal }),
    );
  }

  /** Those of the items that exist, in no particular order. Doubled keys are asked for once. */
  async batchGet(keys: readonly ItemKey[]): Promise<readonly StoredItem[]> {
    const distinct = new Map(keys.map((key) => [JSON.stringify(key), key]));
    const items: StoredItem[] = [];
    for await (const chunk of inChunks(distinct.values(), BATCH_GET_KEYS)) items.push(...(await this.#batch(chunk)));
    return items;
  }

  /** An answer may leave keys out: over 16 MB, or when the table is throttled. They are asked for again, after a while. */
  async #batch(keys: readonly StoredItem[]): Promise<readonly StoredItem[]> {
    const items: StoredItem[] = [];
    let pending = keys;
    for (let fruitless = 0; fruitless < FRUITLESS_ANSWERS;) {
      const { found, unprocessed } = await this.#batchOnce(pending);
      items.push(...found);
      if (unprocessed.length === 0) return items;
      await this.#access.clock.delay(Math.min(FIRST_BACKOFF_MS * 2 ** fruitless, LONGEST_BACKOFF_MS));
      fruitless = unprocessed.length < pending.length ? 0 : fruitless + 1;
      pending = unprocessed;
    }
    throw new AppError(
      `DynamoDB BatchGetItem on ${this.definition.name} left ${pending.length} keys unprocessed in ${FRUITLESS_ANSWERS} answers`,
      { code: 'DynamoDbError', transient: true, details: { table: this.definition.name, unprocessed: pending.length } },
    );
  }

  async #batchOnce(
    keys: readonly StoredItem[],
  ): Promise<{ readonly found: readonly StoredItem[]; readonly unprocessed: readonly StoredItem[] }> {
    const { tableName } = this.#access;
    const command = new BatchGetCommand({ RequestItems: { [tableName]: { Keys: [...keys], ConsistentRead: true } } });
    const answer = await this.#call('BatchGetItem', (abortSignal) => this.#client.send(command, { abortSignal }));
    return {
      found: answer.Responses?.[tableName] ?? [],
      unprocessed: answer.UnprocessedKeys?.[tableName]?.Keys ?? [],
    };
  }

  async *#pages(
    operation: string,
    fetch: (start: { ExclusiveStartKey?: Record<string, unknown> }, signal: AbortSignal) => Promise<Page>,
  ): AsyncIterable<StoredItem> {
    let start: Page['LastEvaluatedKey'];
    do {
      const from = start === undefined ? {} : { ExclusiveStartKey: start };
      const page = await this.#call(operation, (signal) => fetch(from, signal));
      yield* page.Items ?? [];
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
  }

  async #conditional<T>(operation: string, call: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    return this.#call(operation, async (signal) => {
      try {
        return await call(signal);
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return undefined;
        throw error;
      }
    });
  }

  async #call<T>(operation: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await call(AbortSignal.timeout(this.#access.timeoutMs ?? CALL_TIMEOUT_MS));
    } catch (error) {
      throw dynamoDbError(operation, this.definition.name, error);
    }
  }

  #table(): { readonly TableName: string } {
    return { TableName: this.#access.tableName };
  }
}

function conditionOf(condition: ExpressionPart | undefined, binder: ExpressionBinder): object {
  return condition === undefined ? binder.members() : { ConditionExpression: condition(binder), ...binder.members() };
}

function selectionOf(request: Pick<QueryRequest, 'filter' | 'attributes'>, binder: ExpressionBinder): object {
  const { attributes, filter } = request;
  return {
    ...(attributes === undefined
      ? {}
      : { ProjectionExpression: attributes.map((name) => binder.name(name)).join(', ') }),
    ...(filter === undefined ? {} : { FilterExpression: filter(binder) }),
  };
}
