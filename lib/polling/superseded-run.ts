import { SupersededError, type Fence } from './registry-store';

/** Why a holder's write was refused: the lease is no longer its own. */
export function supersededRun({ registry, owner, generation }: Fence): SupersededError {
  return new SupersededError(
    `Registry ${registry} is no longer held by ${owner} with generation ${generation}; this run ends`,
    { registry, owner, generation },
  );
}
