import { inParallel } from '../../../lib/registries/consul/in-parallel';

const NEVER = new AbortController().signal;

/** Ends with the reason of the signal. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    const end = () => reject(new Error(`aborted: ${String(signal.reason)}`));
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
  });

test('gives the results in the order of the items, lists as they are', async () => {
  const results = await inParallel([3, 1, 2], NEVER, async (item) => {
    for (let turn = 0; turn < item; turn++) await Promise.resolve();
    return [item];
  });
  expect(results).toEqual([[3], [1], [2]]);
  expect(await inParallel([], NEVER, () => Promise.resolve(1))).toEqual([]);
});

test('the first failure aborts the others and is thrown once they have ended', async () => {
  const ended: string[] = [];
  const all = inParallel(['waits', 'fails', 'waits too'], NEVER, async (item, signal) => {
    if (item === 'fails') throw new Error('no');
    await untilAborted(signal).catch((error: unknown) => ended.push(`${item}, ${String(error)}`));
  });
  await expect(all).rejects.toThrow('no');
  expect(ended).toEqual(['waits, Error: aborted: Error: no', 'waits too, Error: aborted: Error: no']);
});

test('an abort reaches all of them, before and after they begin', async () => {
  const work = (_item: number, signal: AbortSignal) => untilAborted(signal);
  await expect(inParallel([1, 2], AbortSignal.abort('early'), work)).rejects.toThrow('aborted: early');
  const abort = new AbortController();
  const all = inParallel([1, 2], abort.signal, work);
  abort.abort('late');
  await expect(all).rejects.toThrow('aborted: late');
});

test('a thousand at once leave no listeners behind and no warnings', async () => {
  const warnings: unknown[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  await inParallel(Array.from({ length: 1000 }), NEVER, async (_item, signal) => {
    signal.addEventListener('abort', () => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  });
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
