import type { TableDefinition } from '../runtime/table-definitions';
import type { StoredItem } from './item-reading';
import type { AttributeValue, Item } from './item-size';

/**
 * The items of one table in memory. It keeps copies, without absent members as DynamoDB would, so that nobody who
 * wrote an item can change it afterwards. What a condition means is the business of the stores above.
 */
export class MemoryTable {
  readonly definition: TableDefinition;
  readonly #items = new Map<string, StoredItem>();

  constructor(definition: TableDefinition) {
    this.definition = definition;
  }

  /** The item with the key attributes of the given one. */
  get(key: StoredItem): StoredItem | undefined {
    return this.#items.get(this.#address(key));
  }

  /** Writes the item in place of what stood there. @returns the item as it now stands. */
  put(item: Item): StoredItem {
    const copy = copyOf(item);
    this.#items.set(this.#address(copy), copy);
    return copy;
  }

  /** Every item, in the order of first writing. */
  items(): readonly StoredItem[] {
    return [...this.#items.values()];
  }

  #address(item: StoredItem): string {
    const { partitionKey, sortKey } = this.definition;
    return JSON.stringify([item[partitionKey.name], sortKey === undefined ? undefined : item[sortKey.name]]);
  }
}

function copyOf(members: Item): Item {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, copyOfValue(value)]])),
  );
}

function copyOfValue(value: AttributeValue): AttributeValue {
  if (typeof value !== 'object') return value;
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  return isList(value) ? value.map(copyOfValue) : copyOf(value);
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(value: object): value is readonly AttributeValue[] {
  return Array.isArray(value);
}
