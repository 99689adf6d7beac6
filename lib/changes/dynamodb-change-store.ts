import * as z from 'zod';
import type { ServiceKey } from '../model/service-key';
import { serviceKeySchema } from '../model/value-schemas';
import { BY_TIME, CHANGES_TABLE } from '../runtime/table-definitions';
import { attributeBetween, attributeEquals } from '../storage/dynamodb-expression';
import { BATCH_GET_KEYS, DynamoDbTable, type TableAccess } from '../storage/dynamodb-table';
import { isExpired } from '../storage/expiry';
import { inChunks } from '../storage/in-chunks';
import type { StoredItem } from '../storage/item-reading';
import { decodeChange, encodeChange } from './change-codec';
import type { ChangeRecord, ChangeStore } from './change-store';
import { publicationRange } from './publication-time';

/** The key attributes of a change, which the index holds too. */
const changeKey = z.object({ service: serviceKeySchema, version: z.number() });

/** The Changes table in DynamoDB. */
export class DynamoDbChangeStore implements ChangeStore {
  readonly #table: DynamoDbTable;
  readonly #now: () => number;

  constructor(access: TableAccess) {
    this.#table = new DynamoDbTable(CHANGES_TABLE, access);
    this.#now = () => access.clock.now();
  }

  async put(record: ChangeRecord): Promise<void> {
    await this.#table.put(encodeChange(record));
  }

  async *history(key: ServiceKey, options: { readonly limit?: number } = {}): AsyncIterable<ChangeRecord> {
    const { limit = Infinity } = options;
    const pageSize = Number.isFinite(limit) ? { pageSize: limit } : {};
    let left = limit;
    for await (const item of this.#table.query({
      keys: [attributeEquals('service', key)],
      descending: true,
      ...pageSize,
    })) {
      if (isExpired(item, this.#now())) continue;
      yield decodeChange(item);
      left -= 1;
      if (left === 0) return;
    }
  }

  async *since(since: string, until: string): AsyncIterable<ChangeRecord> {
    const { hours, first, last } = publicationRange(since, until, this.#now());
    for (const hour of hours) {
      const keys = [attributeEquals('publishedHour', hour), attributeBetween('publishedOrder', first, last)];
      yield* this.#fetch(this.#table.query({ index: BY_TIME, keys }));
    }
  }

  /** The changes behind the keys of the index, in its order. One that is gone by now is left out. */
  async *#fetch(found: AsyncIterable<StoredItem>): AsyncIterable<ChangeRecord> {
    for await (const chunk of inChunks(found, BATCH_GET_KEYS)) {
      const keys = chunk.map((item) => changeKey.parse(item));
      const items = await this.#table.batchGet(keys);
      const current = items.filter((item) => !isExpired(item, this.#now())).map(decodeChange);
      const byKey = new Map(current.map((change) => [`${change.key}@${change.version}`, change]));
      yield* keys.flatMap(({ service, version }) => byKey.get(`${service}@${version}`) ?? []);
    }
  }
}
