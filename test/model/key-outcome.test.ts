import { AppError } from '../../lib/model/app-error';
import { failedKey, isFailed } from '../../lib/model/key-outcome';

const KEY = 'shop/cart.shop';

test.each([true, false])('a failed key says why, and whether to try again: %p', (transient) => {
  const failed = failedKey(KEY, new AppError('no', { code: 'NoError', transient }));
  expect(failed).toEqual({ key: KEY, result: 'failed', transient, error: { code: 'NoError', message: 'no' } });
  expect(isFailed(failed)).toBe(true);
});

test('any other result is no failure', () => {
  expect(isFailed({ key: KEY, result: 'written' })).toBe(false);
});
