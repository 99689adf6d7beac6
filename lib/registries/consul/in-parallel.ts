type Outcome<Result> = { readonly results: readonly Result[] } | { readonly error: unknown };

/**
 * The results of all items, in their order. The first failure aborts the others and is thrown once they have ended.
 * How many are under way at once is up to what `work` asks. Each gets a signal of its own: a thousand listeners on one
 * are more than Node likes.
 */
export async function inParallel<Item, Result>(
  items: Iterable<Item>,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<readonly Result[]> {
  const controllers = new Set<AbortController>();
  const abortAll = (reason: unknown): void => {
    for (const controller of controllers) controller.abort(reason);
  };
  const abort = (): void => abortAll(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  let first: { readonly error: unknown } | undefined;
  const outcomeOf = async (item: Item): Promise<Outcome<Result>> => {
    const controller = new AbortController();
    controllers.add(controller);
    if (signal.aborted) controller.abort(signal.reason);
    try {
      return { results: [await work(item, controller.signal)] };
    } catch (error) {
      first ??= { error };
      abortAll(error);
      return { error };
    } finally {
      controllers.delete(controller);
    }
  };
  const outcomes = await Promise.all([...items].map(outcomeOf));
  signal.removeEventListener('abort', abort);
  if (first !== undefined) throw first.error;
  return outcomes.flatMap((outcome) => ('results' in outcome ? outcome.results : []));
}
