/**
 * The results of an asynchronous function for all items, in their order, at most `limit` of them under way at once. After
 * the first error no more are started, and the error is thrown.
 */
export async function concurrentMap<T, R>(
  items: readonly T[],
  limit: number,
  each: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.entries();
  let failed = false;
  const work = async (): Promise<void> => {
    for (let next = queue.next(); !failed && next.done !== true; next = queue.next()) {
      const [index, item] = next.value;
      try {
        results[index] = await each(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
