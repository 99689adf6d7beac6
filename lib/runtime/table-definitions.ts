/**
 * The five tables (DESIGN "Tables"), once: the stack makes them of this, the embedded server too, and the adapters take
 * their key and index names from it. Import-free.
 */
export type TableName = 'Registries' | 'Snapshots' | 'Catalog' | 'Published' | 'Changes';

/** `S` = string, `N` = number. */
export type KeyAttribute = { readonly name: string; readonly type: 'S' | 'N' };

/** A global secondary index. Each holds keys only: items are fetched from the table, whole and consistent. */
export type IndexDefinition = {
  readonly name: string;
  readonly partitionKey: KeyAttribute;
  readonly sortKey: KeyAttribute;
  readonly projection: 'KEYS_ONLY';
};

export type TableDefinition = {
  readonly name: TableName;
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  readonly indexes: readonly IndexDefinition[];
  /** Items may carry {@link EXPIRES_AT}. */
  readonly expires: boolean;
  /** A stream says only which item to look at again. */
  readonly stream?: 'KEYS_ONLY';
};

/** The tables' names in an account or an embedded database. */
export type TableNames = Readonly<Record<TableName, string>>;

/** Time-to-live attribute of every table that has one: seconds since the epoch. */
export const EXPIRES_AT = 'expiresAt';

/** Catalog entries of a namespace, by host name. */
export const BY_NAMESPACE = 'byNamespace';

/** Catalog entries of a host name, by namespace. */
export const BY_HOSTNAME = 'byHostname';

/** Changes of one hour (UTC), by `publishedAt#service#version`. */
export const BY_TIME = 'byTime';

const REGISTRY: KeyAttribute = { name: 'registry', type: 'S' };
const SERVICE: KeyAttribute = { name: 'service', type: 'S' };
const NAMESPACE: KeyAttribute = { name: 'namespace', type: 'S' };
const HOSTNAME: KeyAttribute = { name: 'hostname', type: 'S' };

export const REGISTRIES_TABLE: TableDefinition = {
  name: 'Registries',
  partitionKey: REGISTRY,
  indexes: [],
  expires: false,
};

export const SNAPSHOTS_TABLE: TableDefinition = {
  name: 'Snapshots',
  partitionKey: REGISTRY,
  sortKey: SERVICE,
  indexes: [],
  expires: true,
  stream: 'KEYS_ONLY',
};

export const CATALOG_TABLE: TableDefinition = {
  name: 'Catalog',
  partitionKey: SERVICE,
  indexes: [
    { name: BY_NAMESPACE, partitionKey: NAMESPACE, sortKey: HOSTNAME, projection: 'KEYS_ONLY' },
    { name: BY_HOSTNAME, partitionKey: HOSTNAME, sortKey: NAMESPACE, projection: 'KEYS_ONLY' },
  ],
  expires: true,
  stream: 'KEYS_ONLY',
};

export const PUBLISHED_TABLE: TableDefinition = {
  name: 'Published',
  partitionKey: SERVICE,
  indexes: [],
  expires: true,
};

export const CHANGES_TABLE: TableDefinition = {
  name: 'Changes',
  partitionKey: SERVICE,
  sortKey: { name: 'version', type: 'N' },
  indexes: [
    {
      name: BY_TIME,
      partitionKey: { name: 'publishedHour', type: 'S' },
      sortKey: { name: 'publishedOrder', type: 'S' },
      projection: 'KEYS_ONLY',
    },
  ],
  expires: true,
};

/** In the order of the life of a service. */
export const TABLE_DEFINITIONS: readonly TableDefinition[] = [
  REGISTRIES_TABLE,
  SNAPSHOTS_TABLE,
  CATALOG_TABLE,
  PUBLISHED_TABLE,
  CHANGES_TABLE,
];
