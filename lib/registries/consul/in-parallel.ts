type Outcome<Result> = { readonly results: readonly Result[] } | { readonly error: unknown };

/**
 * The results of all items, in their order. The first failure aborts the others and is thrown once they have ended.
 * How many are under way at once is up to what `work` asks.
 */
export async function inParallel<Item, Result>(
  items: Iterable<Item>,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<readonly Result[]> {
  const siblings = new AbortController();
  const abort = (): void => siblings.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  let first: { readonly error: unknown } | undefined;
  const outcomeOf = async (item: Item): Promise<Outcome<Result>> => {
    try {
      return { results: [await work(item, siblings.signal)] };
    } catch (error) {
      first ??= { error };
      siblings.abort(error);
      return { error };
    }
  };
  const outcomes = await Promise.all([...items].map(outcomeOf));
  signal.removeEventListener('abort', abort);
  if (first !== undefined) throw first.error;
  return outcomes.flatMap((outcome) => ('results' in outcome ? outcome.results : []));
}
