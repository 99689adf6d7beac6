import { AppError } from '../../lib/model/app-error';
import { failedKey, isFailed, type FailedKey } from '../../lib/model/key-outcome';
import type { ServiceKey } from '../../lib/model/service-key';
import { VersionConflictError } from '../../lib/model/store-errors';
import { eachApart, KEYS_PER_LOOK, MAX_LOOKS, settleKeys } from '../../lib/runtime/settle-keys';

type Done = { readonly key: ServiceKey; readonly result: 'done'; readonly look: number };

function conflict(key: ServiceKey): FailedKey {
  return failedKey(key, new VersionConflictError('Catalog', key, 1));
}

describe('settleKeys', () => {
  test('looks at each key once, however often it is named', async () => {
    const look = jest.fn((keys: readonly ServiceKey[]) =>
      Promise.resolve(keys.map((key): Done => ({ key, result: 'done', look: 1 }))),
    );
    expect(await settleKeys(['a/1', 'a/2', 'a/1'], look)).toEqual([
      { key: 'a/1', result: 'done', look: 1 },
      { key: 'a/2', result: 'done', look: 1 },
    ]);
    expect(look.mock.calls).toEqual([[['a/1', 'a/2']]]);
  });

  test('does not look at nothing', async () => {
    const look = jest.fn(() => Promise.resolve([]));
    expect(await settleKeys([], look)).toEqual([]);
    expect(look).not.toHaveBeenCalled();
  });

  test('looks again at the keys that were overtaken, and only at those', async () => {
    const calls: (readonly ServiceKey[])[] = [];
    const outcomes = await settleKeys<Done>(['a/1', 'a/2', 'a/3'], (keys) => {
      calls.push(keys);
      return Promise.resolve(
        keys.map((key) =>
          key === 'a/2' && calls.length < MAX_LOOKS ? conflict(key) : { key, result: 'done', look: calls.length },
        ),
      );
    });
    expect(calls).toEqual([['a/1', 'a/2', 'a/3'], ['a/2'], ['a/2'], ['a/2'], ['a/2']]);
    expect(outcomes).toEqual([
      { key: 'a/1', result: 'done', look: 1 },
      { key: 'a/3', result: 'done', look: 1 },
      { key: 'a/2', result: 'done', look: 5 },
    ]);
  });

  test('gives up on a key that is overtaken time and again', async () => {
    const look = jest.fn((keys: readonly ServiceKey[]) => Promise.resolve(keys.map(conflict)));
    expect(await settleKeys<Done>(['a/1'], look)).toEqual([conflict('a/1')]);
    expect(look).toHaveBeenCalledTimes(MAX_LOOKS);
  });

  test('does not look again at a key that failed otherwise', async () => {
    const failure = failedKey('a/1', new AppError('no', { code: 'DynamoDbError', transient: true }));
    const look = jest.fn(() => Promise.resolve([failure]));
    expect(await settleKeys<Done>(['a/1'], look)).toEqual([failure]);
    expect(look).toHaveBeenCalledTimes(1);
  });

  test('takes a hundred keys at a time, one lot after the other', async () => {
    const keys = Array.from({ length: 2 * KEYS_PER_LOOK + 1 }, (_, index): ServiceKey => `a/${index}`);
    const sizes: number[] = [];
    const outcomes = await settleKeys(keys, (some) => {
      sizes.push(some.length);
      return Promise.resolve(some.map((key): Done => ({ key, result: 'done', look: sizes.length })));
    });
    expect(sizes).toEqual([100, 100, 1]);
    expect(outcomes.map(({ key }) => key)).toEqual(keys);
  });
});

describe('eachApart', () => {
  const items = (...names: readonly string[]) => names.map((name) => ({ key: `a/${name}` as const, name }));

  test('gives the results and the failures in the order of the items', async () => {
    const { done, failed } = await eachApart(items('1', '2', '3', '4'), ({ name }) => {
      if (name === '2') return Promise.reject(new AppError('no', { code: 'Refused' }));
      if (name === '4') return Promise.reject(new Error('reset'));
      return name === '1'
        ? new Promise<string>((resolve) => setImmediate(() => resolve('late')))
        : Promise.resolve(name);
    });
    expect(done).toEqual(['late', '3']);
    expect(failed).toEqual([
      { key: 'a/2', result: 'failed', transient: false, error: { code: 'Refused', message: 'no' } },
      { key: 'a/4', result: 'failed', transient: true, error: { code: 'Error', message: 'reset' } },
    ]);
    expect(failed.every(isFailed)).toBe(true);
  });

  test('a result may be undefined', async () => {
    expect(await eachApart(items('1'), () => Promise.resolve(undefined))).toEqual({ done: [undefined], failed: [] });
  });

  test('a failure before the first await harms nobody either', async () => {
    const { done, failed } = await eachApart(items('1', '2'), ({ name }) => {
      if (name === '1') throw new TypeError('bug');
      return Promise.resolve(name);
    });
    expect(done).toEqual(['2']);
    expect(failed).toMatchObject([{ key: 'a/1', transient: false, error: { code: 'TypeError' } }]);
  });
});
