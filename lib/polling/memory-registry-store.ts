import type { RegistryId } from '../model/registry-id';
import type { RegistryRow } from '../model/registry-row';
import { REGISTRIES_TABLE } from '../runtime/table-definitions';
import { asynchronously } from '../storage/asynchronously';
import { deepFreeze } from '../storage/deep-freeze';
import type { Item } from '../storage/item-size';
import { MemoryTable } from '../storage/memory-table';
import { decodeRegistryRow, NEVER_READ, REGISTRY_SCHEMA } from './registry-codec';
import type { Fence, HolderWish, LeaseRequest, RegistryRowPatch, RegistryStore } from './registry-store';
import { supersededRun } from './superseded-run';

/** The twin of the Registries table: same codec, same lease and fence, in memory. What it returns is frozen. */
export class MemoryRegistryStore implements RegistryStore {
  readonly table = new MemoryTable(REGISTRIES_TABLE);

  get(registry: RegistryId): Promise<RegistryRow | undefined> {
    return asynchronously(() => this.#read(registry));
  }

  list(): Promise<readonly RegistryRow[]> {
    return asynchronously(() => deepFreeze(this.table.items().map(decodeRegistryRow)));
  }

  acquire(request: LeaseRequest): Promise<RegistryRow | undefined> {
    return asynchronously(() => {
      const { registry, owner, leaseUntil, runStartedAt, precedence, mode, configVersion } = request;
      const row = this.#read(registry);
      if (row !== undefined && !leaseIsToBeHad(row, request)) return undefined;
      return this.#write({
        ...NEVER_READ,
        ...row,
        ...{ registry, leaseOwner: owner, leaseUntil, runStartedAt, precedence, mode, configVersion },
        generation: (row?.generation ?? 0) + 1,
        leaseRenewals: (row?.leaseRenewals ?? -1) + 1,
        handover: undefined,
      });
    });
  }

  update(fence: Fence, patch: RegistryRowPatch): Promise<RegistryRow> {
    return asynchronously(() => this.#writeFenced(fence, patch));
  }

  release(fence: Fence, patch: RegistryRowPatch): Promise<void> {
    return asynchronously(() => {
      this.#writeFenced(fence, { ...patch, leaseOwner: undefined, leaseUntil: undefined });
    });
  }

  request(registry: RegistryId, wish: HolderWish): Promise<RegistryRow | undefined> {
    return asynchronously(() => {
      const row = this.#read(registry);
      return row === undefined ? undefined : this.#write({ ...row, ...wish });
    });
  }

  #writeFenced(fence: Fence, members: Item): RegistryRow {
    const row = this.#read(fence.registry);
    if (row?.leaseOwner !== fence.owner || row.generation !== fence.generation) throw supersededRun(fence);
    return this.#write({ ...row, ...members, leaseRenewals: row.leaseRenewals + 1 });
  }

  #read(registry: RegistryId): RegistryRow | undefined {
    const item = this.table.get({ registry });
    return item === undefined ? undefined : deepFreeze(decodeRegistryRow(item));
  }

  #write(members: Item): RegistryRow {
    return deepFreeze(decodeRegistryRow(this.table.put({ ...members, schema: REGISTRY_SCHEMA })));
  }
}

function leaseIsToBeHad(row: RegistryRow, { owner, broken }: LeaseRequest): boolean {
  if (row.leaseOwner === undefined || row.leaseOwner === owner) return true;
  return row.leaseOwner === broken?.owner && row.leaseRenewals === broken.renewals;
}
