import { isPassingAwsFailure } from '../../lib/runtime/aws-failure';

function answer(name: string, status: number | undefined, fault: 'client' | 'server' = 'client') {
  return Object.assign(new Error(name), { name, $fault: fault, $metadata: { httpStatusCode: status } });
}

test.each([
  ['throttling', answer('ThrottlingException', 400)],
  ['throttling by its older name', answer('Throttling', 400)],
  ['too many requests', answer('TooManyRequestsException', 400)],
  ['a request limit', answer('RequestLimitExceeded', 400)],
  ['expired credentials', answer('ExpiredTokenException', 400)],
  ['expired credentials by the other name', answer('ExpiredToken', 400)],
  ['status 429', answer('SlowDown', 429)],
  ['status 500', answer('Whatever', 500)],
  ['status 503', answer('Whatever', 503)],
  ['a fault of the server', answer('InternalException', undefined, 'server')],
  ['a timeout', Object.assign(new Error('The operation was aborted due to timeout'), { name: 'TimeoutError' })],
  ['a broken connection', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
])('%s passes', (_what, error) => {
  expect(isPassingAwsFailure(error)).toBe(true);
});

test.each([
  ['a request that is not permitted', answer('AccessDeniedException', 400)],
  ['a request that is wrong', answer('ValidationException', 400)],
  ['status 499', answer('Whatever', 499)],
  ['an answer without a status', answer('Whatever', undefined)],
  ['a bug', new TypeError('x is not a function')],
  ['a value out of range', new RangeError('Invalid time value')],
  ['what is no error', 'ECONNRESET'],
])('%s does not', (_what, error) => {
  expect(isPassingAwsFailure(error)).toBe(false);
});
