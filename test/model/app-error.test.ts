import { AppError, describeError, InvalidValueError, isTransient } from '../../lib/model/app-error';

describe('AppError', () => {
  test('is named by its code, permanent and without details unless it says otherwise', () => {
    const error = new AppError('wrong', { code: 'ThingError' });
    expect(error).toMatchObject({ name: 'ThingError', code: 'ThingError', message: 'wrong', transient: false });
    expect(error.details).toEqual({});
    expect(Object.hasOwn(error, 'cause')).toBe(false);
  });

  test('keeps what it is given', () => {
    const cause = new Error('deeper');
    const error = new AppError('wrong', { code: 'ThingError', transient: true, details: { at: 1 }, cause });
    expect(error).toMatchObject({ transient: true, details: { at: 1 }, cause });
  });
});

test.each([[undefined, {}] as const, [{ value: 'x' }, { value: 'x' }] as const])(
  'a value that is not allowed is no transient error; details %j',
  (given, details) => {
    const error = new InvalidValueError('not allowed', given);
    expect(error).toMatchObject({ code: 'InvalidValueError', transient: false });
    expect(error.details).toEqual(details);
  },
);

describe('describeError', () => {
  test.each<[unknown, string, string]>([
    [new AppError('wrong', { code: 'ThingError' }), 'ThingError', 'wrong'],
    [new TypeError('x is undefined'), 'TypeError', 'x is undefined'],
    ['a text', 'UnknownError', 'a text'],
    [undefined, 'UnknownError', 'undefined'],
  ])('%p', (error, code, message) => {
    expect(describeError(error)).toEqual({ code, message });
  });

  test.each<[string, (text: string) => unknown]>([
    ['AppError', (text) => new AppError(text, { code: 'ThingError' })],
    ['Error', (text) => new Error(text)],
    ['text', (text) => text],
  ])('cuts the message of an %s at 1,000 characters', (_what, make) => {
    expect(describeError(make('x'.repeat(1001))).message).toBe('x'.repeat(1000));
  });
});

test.each<[boolean, unknown]>([
  [true, new AppError('busy', { code: 'BusyError', transient: true })],
  [false, new AppError('wrong', { code: 'ThingError' })],
  [true, new Error('socket hang up')],
  [true, 'a text'],
  [false, new TypeError('a bug')],
  [false, new RangeError('a bug')],
  [false, new ReferenceError('a bug')],
  [false, new SyntaxError('a bug')],
])('transient %p: %p', (transient, error) => {
  expect(isTransient(error)).toBe(transient);
});
