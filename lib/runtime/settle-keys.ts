import { failedKey, isFailed, type FailedKey, type KeyOutcome } from '../model/key-outcome';
import type { ServiceKey } from '../model/service-key';
import { inChunks } from '../storage/in-chunks';

/** Keys that one look takes at once: what DynamoDB reads in one BatchGetItem, and what fits in memory however large the items. */
export const KEYS_PER_LOOK = 100;

/** Looks at a key that others keep writing before it is left to a later delivery. */
export const MAX_LOOKS = 5;

/** Deals with some keys and says what became of each; never throws. */
export type Look<Done extends KeyOutcome> = (keys: readonly ServiceKey[]) => Promise<readonly (Done | FailedKey)[]>;

/**
 * Looks at the keys, each once however often it is named, and again at those whose item somebody else wrote since it was
 * read (`VersionConflictError`). What is still in conflict after {@link MAX_LOOKS} looks comes back as a transient failure.
 */
export async function settleKeys<Done extends KeyOutcome>(
  keys: Iterable<ServiceKey>,
  look: Look<Done>,
): Promise<readonly (Done | FailedKey)[]> {
  const outcomes: (Done | FailedKey)[] = [];
  for await (const some of inChunks(new Set(keys), KEYS_PER_LOOK)) {
    outcomes.push(...(await settle(some, look, MAX_LOOKS)));
  }
  return outcomes;
}

async function settle<Done extends KeyOutcome>(
  keys: readonly ServiceKey[],
  look: Look<Done>,
  looks: number,
): Promise<readonly (Done | FailedKey)[]> {
  const outcomes = await look(keys);
  const overtaken = outcomes.filter(isOvertaken).map(({ key }) => key);
  if (overtaken.length === 0 || looks === 1) return outcomes;
  const settled = outcomes.filter((outcome) => !isOvertaken(outcome));
  return [...settled, ...(await settle(overtaken, look, looks - 1))];
}

function isOvertaken(outcome: KeyOutcome): boolean {
  return isFailed(outcome) && outcome.error.code === 'VersionConflictError';
}

/** What became of some items: results in the order of the items, and the keys that failed. */
export type Apart<T> = { readonly done: readonly T[]; readonly failed: readonly FailedKey[] };

/** Does the same with every item at once. One that fails harms no other one. */
export async function eachApart<Item extends { readonly key: ServiceKey }, T>(
  items: readonly Item[],
  act: (item: Item) => Promise<T>,
): Promise<Apart<T>> {
  const done: T[] = [];
  const failed: FailedKey[] = [];
  const results = await Promise.all(
    items.map(async (item) => {
      try {
        return { value: await act(item) };
      } catch (error) {
        return failedKey(item.key, error);
      }
    }),
  );
  for (const result of results) {
    if ('value' in result) done.push(result.value);
    else failed.push(result);
  }
  return { done, failed };
}
