/**
 * Works through the items in their order, at most `limit` of them at a time. Begins no further one after the signal has
 * aborted or one has failed; those that were begun are awaited.
 *
 * @returns whether every item was begun.
 * @throws what the first item that failed threw.
 */
export async function forEachBounded<T>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<boolean> {
  const errors: unknown[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length && !signal.aborted && errors.length === 0) {
      const item = items[next];
      next += 1;
      try {
        if (item !== undefined) await work(item);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, lane));
  if (errors.length > 0) throw errors[0];
  return next >= items.length;
}
