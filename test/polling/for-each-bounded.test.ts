import { forEachBounded } from '../../lib/polling/for-each-bounded';
import { settle } from '../support/virtual-clock';

const never = new AbortController().signal;

/** Work that waits until the test lets it go on. */
function gated(): {
  readonly begun: number[];
  readonly work: (item: number) => Promise<void>;
  readonly finish: (item: number, error?: Error) => Promise<void>;
} {
  const begun: number[] = [];
  const gates = new Map<number, { readonly resolve: () => void; readonly reject: (error: Error) => void }>();
  return {
    begun,
    work: (item) => {
      begun.push(item);
      return new Promise((resolve, reject) => gates.set(item, { resolve, reject }));
    },
    finish: async (item, error) => {
      const gate = gates.get(item);
      if (error === undefined) gate?.resolve();
      else gate?.reject(error);
      await settle();
    },
  };
}

test('no more than the limit are under way, in their order', async () => {
  const { begun, work, finish } = gated();
  const all = forEachBounded([1, 2, 3, 4], 2, never, work);
  await settle();
  expect(begun).toEqual([1, 2]);
  await finish(2);
  expect(begun).toEqual([1, 2, 3]);
  await finish(1);
  await finish(3);
  await finish(4);
  await expect(all).resolves.toBe(true);
});

test('no items are done at once', async () => {
  await expect(forEachBounded([], 3, never, () => Promise.reject(new Error('not called')))).resolves.toBe(true);
});

test('after the signal none is begun, and those under way are awaited', async () => {
  const { begun, work, finish } = gated();
  const stop = new AbortController();
  let done = false;
  const all = forEachBounded([1, 2, 3], 2, stop.signal, work).then((complete) => {
    done = true;
    return complete;
  });
  await settle();
  stop.abort();
  await finish(1);
  expect(done).toBe(false);
  await finish(2);
  await expect(all).resolves.toBe(false);
  expect(begun).toEqual([1, 2]);
});

test('a signal that aborts when the last has begun interrupts nothing', async () => {
  const { work, finish } = gated();
  const stop = new AbortController();
  const all = forEachBounded([1], 2, stop.signal, work);
  await settle();
  stop.abort();
  await finish(1);
  await expect(all).resolves.toBe(true);
});

test('after a failure none is begun, those under way are awaited, and the first failure is thrown', async () => {
  const { begun, work, finish } = gated();
  const all = forEachBounded([1, 2, 3], 2, never, work);
  const thrown = all.catch((error: unknown) => error);
  await settle();
  await finish(2, new Error('first'));
  await finish(1, new Error('second'));
  expect(await thrown).toEqual(new Error('first'));
  expect(begun).toEqual([1, 2]);
});
