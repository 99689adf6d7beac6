import { concurrentMap } from '../../../lib/registries/external/concurrent-map';

/** A function that ends when told to, and says how often it was under way at once. */
function controlled() {
  const waiting: { readonly item: number; readonly end: (error?: Error) => void }[] = [];
  const run = (item: number) =>
    new Promise<string>((resolve, reject) => {
      const end = (error?: Error) => {
        if (error === undefined) resolve(`done ${item}`);
        else reject(error);
      };
      waiting.push({ item, end });
    });
  return { waiting, run };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('results keep the order of the items, whichever ends first', async () => {
  const { waiting, run } = controlled();
  const results = concurrentMap([1, 2, 3], 3, run);
  await turn();
  for (const { end } of waiting.toReversed()) end();
  expect(await results).toEqual(['done 1', 'done 2', 'done 3']);
});

test('no more than the limit are under way at once', async () => {
  const { waiting, run } = controlled();
  const results = concurrentMap([1, 2, 3, 4], 2, run);
  await turn();
  expect(waiting.map(({ item }) => item)).toEqual([1, 2]);
  waiting[1]!.end();
  await turn();
  expect(waiting.map(({ item }) => item)).toEqual([1, 2, 3]);
  waiting[0]!.end();
  waiting[2]!.end();
  await turn();
  waiting[3]!.end();
  expect(await results).toEqual(['done 1', 'done 2', 'done 3', 'done 4']);
});

test('after an error nothing more is started', async () => {
  const { waiting, run } = controlled();
  const results = concurrentMap([1, 2, 3, 4], 2, run);
  const outcome = results.catch((error: unknown) => error);
  await turn();
  waiting[0]!.end(new Error('broken'));
  waiting[1]!.end();
  expect(await outcome).toEqual(new Error('broken'));
  await turn();
  expect(waiting.map(({ item }) => item)).toEqual([1, 2]);
});

test('nothing is started for no items', async () => {
  expect(await concurrentMap([], 4, () => Promise.reject(new Error('called')))).toEqual([]);
});
