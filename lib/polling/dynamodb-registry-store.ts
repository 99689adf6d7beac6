import type { RegistryId } from '../model/registry-id';
import type { RegistryRow } from '../model/registry-row';
import { REGISTRIES_TABLE } from '../runtime/table-definitions';
import {
  allOf,
  anyOf,
  assign,
  assignIfAbsent,
  attributeAtMost,
  attributeEquals,
  attributeExists,
  attributeIsAbsent,
  countUp,
  type ExpressionPart,
  type UpdateParts,
} from '../storage/dynamodb-expression';
import { DynamoDbTable, type TableAccess } from '../storage/dynamodb-table';
import { decodeRegistryRow, NEVER_READ, REGISTRY_SCHEMA } from './registry-codec';
import type { Fence, HolderWish, LeaseRequest, RegistryRowPatch, RegistryStore } from './registry-store';
import { supersededRun } from './superseded-run';

/** The row is of a schema that this code may write into. */
const SCHEMA_IS_KNOWN = anyOf(attributeIsAbsent('schema'), attributeAtMost('schema', REGISTRY_SCHEMA));

/** The Registries table in DynamoDB. Each operation is one conditional update, so none can be half done. */
export class DynamoDbRegistryStore implements RegistryStore {
  readonly #table: DynamoDbTable;

  constructor(access: TableAccess) {
    this.#table = new DynamoDbTable(REGISTRIES_TABLE, access);
  }

  async get(registry: RegistryId): Promise<RegistryRow | undefined> {
    const item = await this.#table.get({ registry });
    return item === undefined ? undefined : decodeRegistryRow(item);
  }

  async list(): Promise<readonly RegistryRow[]> {
    const rows: RegistryRow[] = [];
    for await (const item of this.#table.scan({ consistent: true })) rows.push(decodeRegistryRow(item));
    return rows;
  }

  async acquire(request: LeaseRequest): Promise<RegistryRow | undefined> {
    return this.#update(request.registry, leaseTaken(request), leaseIsToBeHad(request));
  }

  async update(fence: Fence, patch: RegistryRowPatch): Promise<RegistryRow> {
    const row = await this.#update(fence.registry, renewed(patch), fenceStands(fence));
    if (row === undefined) throw supersededRun(fence);
    return row;
  }

  async release(fence: Fence, patch: RegistryRowPatch): Promise<void> {
    const { set, remove } = renewed({ ...patch, leaseUntil: undefined });
    const row = await this.#update(fence.registry, { set, remove: [...remove, 'leaseOwner'] }, fenceStands(fence));
    if (row === undefined) throw supersededRun(fence);
  }

  async request(registry: RegistryId, wish: HolderWish): Promise<RegistryRow | undefined> {
    const set = Object.entries(wish).map(([attribute, value]) => assign(attribute, value));
    return set.length === 0
      ? this.get(registry)
      : this.#update(registry, { set, remove: [] }, attributeExists('registry'));
  }

  /** A refused update says why when the reason is a row that newer code wrote: reading that row throws. */
  async #update(
    registry: RegistryId,
    update: UpdateParts,
    condition: ExpressionPart,
  ): Promise<RegistryRow | undefined> {
    const item = await this.#table.update({ registry }, update, allOf(condition, SCHEMA_IS_KNOWN));
    if (item !== undefined) return decodeRegistryRow(item);
    await this.get(registry);
    return undefined;
  }
}

function leaseIsToBeHad({ owner, broken }: LeaseRequest): ExpressionPart {
  const nobodyHoldsIt = attributeIsAbsent('leaseOwner');
  const alreadyOurs = attributeEquals('leaseOwner', owner);
  if (broken === undefined) return anyOf(nobodyHoldsIt, alreadyOurs);
  const stoodStill = allOf(
    attributeEquals('leaseOwner', broken.owner),
    attributeEquals('leaseRenewals', broken.renewals),
  );
  return anyOf(nobodyHoldsIt, alreadyOurs, stoodStill);
}

function leaseTaken(request: LeaseRequest): UpdateParts {
  return {
    set: [
      assign('leaseOwner', request.owner),
      assign('leaseUntil', request.leaseUntil),
      assign('runStartedAt', request.runStartedAt),
      assign('precedence', request.precedence),
      assign('mode', request.mode),
      assign('configVersion', request.configVersion),
      assign('schema', REGISTRY_SCHEMA),
      countUp('generation', 1),
      countUp('leaseRenewals', 0),
      ...Object.entries(NEVER_READ).map(([attribute, value]) => assignIfAbsent(attribute, value)),
    ],
    remove: ['handover'],
  };
}

function fenceStands({ owner, generation }: Fence): ExpressionPart {
  return allOf(attributeEquals('leaseOwner', owner), attributeEquals('generation', generation));
}

function renewed(patch: RegistryRowPatch): UpdateParts {
  const members = Object.entries(patch);
  return {
    set: [
      countUp('leaseRenewals', 0),
      ...members.flatMap(([attribute, value]) => (value === undefined ? [] : [assign(attribute, value)])),
    ],
    remove: members.flatMap(([attribute, value]) => (value === undefined ? [attribute] : [])),
  };
}
