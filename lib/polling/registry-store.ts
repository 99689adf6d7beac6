import { AppError } from '../model/app-error';
import type { RegistryId } from '../model/registry-id';
import type { PollMode, RegistryRow } from '../model/registry-row';

/** Who may write a registry's row and snapshots: the holder of the lease, with the generation that the lease gave it. */
export type Fence = { readonly registry: RegistryId; readonly owner: string; readonly generation: number };

export type LeaseRequest = {
  readonly registry: RegistryId;
  readonly owner: string;
  readonly leaseUntil: string;
  readonly runStartedAt: string;
  readonly precedence: number;
  readonly mode: PollMode;
  readonly configVersion: string;
  /**
   * The lease that the contender saw standing still and means to break; without it only a free lease is taken.
   */
  readonly broken?: { readonly owner: string; readonly renewals: number };
};

/** Members of the row that a holder writes; `undefined` removes the attribute. */
export type RegistryRowPatch = {
  readonly [
    Field in Exclude<
      keyof RegistryRow,
      'registry' | 'generation' | 'leaseOwner' | 'leaseRenewals' | 'precedence' | 'mode' | 'configVersion'
    >
  ]?: RegistryRow[Field] | undefined;
};

/** What others ask of the holder of a lease. */
export type HolderWish = {
  readonly handover?: string;
  readonly requestedAt?: string;
  readonly approvedHold?: string;
};

/** The Registries table: one row a registry. All reads are consistent. */
export interface RegistryStore {
  get(registry: RegistryId): Promise<RegistryRow | undefined>;
  /** Every row, also of registries that have left the configuration. */
  list(): Promise<readonly RegistryRow[]>;
  /**
   * Takes the lease if the row is absent, has no owner, is held just as `broken` says, or by the requester itself (a
   * request repeated because its answer was lost); the generation and `leaseRenewals` grow by one, so that no state of a
   * lease ever looks like an earlier one, `handover` is cleared, the row is created as `never-synced` when absent.
   * @returns the row as it now stands, or `undefined` when somebody else holds the lease.
   * @throws NewerSchemaError when newer code wrote the row; so do all that write to it.
   */
  acquire(request: LeaseRequest): Promise<RegistryRow | undefined>;
  /**
   * Writes the patch if the fence still stands, renews the lease (`leaseRenewals` + 1) and returns the row as it now is,
   * with whatever others have asked of the holder (`handover`, `requestedAt`, `approvedHold`).
   * @throws SupersededError when another run has taken over.
   */
  update(fence: Fence, patch: RegistryRowPatch): Promise<RegistryRow>;
  /** As `update`, and gives the lease back. @throws SupersededError */
  release(fence: Fence, patch: RegistryRowPatch): Promise<void>;
  /** Sets what the holder shall see when it next looks at the row. Does nothing to a registry without a row. */
  request(registry: RegistryId, wish: HolderWish): Promise<RegistryRow | undefined>;
}

/** A newer run holds the registry: whatever the older one still wants to write is refused. Ends the run, quietly. */
export class SupersededError extends AppError {
  constructor(message: string, details: Readonly<Record<string, unknown>>) {
    super(message, { code: 'SupersededError', details });
  }
}
