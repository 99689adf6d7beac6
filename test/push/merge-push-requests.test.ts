import { MAX_CONFIG_BYTES, MAX_CONFIG_KEYS, mergePushRequests } from '../../lib/push/merge-push-requests';
import { deepFreeze } from '../../lib/storage/deep-freeze';
import { configKey, pushRequest } from '../support/push-requests';

describe('mergePushRequests', () => {
  test('a single request stays as it is', () => {
    const request = deepFreeze(pushRequest());
    expect(mergePushRequests(request)).toEqual(request);
  });

  test.each([
    [false, false, false],
    [true, false, true],
    [false, true, true],
    [true, true, true],
  ])('full %s and full %s is full %s', (a, b, full) => {
    expect(mergePushRequests(pushRequest({ full: a }), pushRequest({ full: b })).full).toBe(full);
  });

  test('keys are united and in order of namespace and name', () => {
    const merged = mergePushRequests(
      pushRequest({ configsUpdated: [configKey('b'), configKey('z', 'Endpoints', 'default')] }),
      pushRequest({ configsUpdated: [configKey('a'), configKey('b')] }),
    );
    expect(merged.configsUpdated).toEqual([configKey('z', 'Endpoints', 'default'), configKey('a'), configKey('b')]);
  });

  test.each([
    ['first', configKey('a', 'ServiceEntry'), configKey('a')],
    ['last', configKey('a'), configKey('a', 'ServiceEntry')],
  ])('a service absorbs its endpoints when it comes %s', (_, one, other) => {
    const merged = mergePushRequests(pushRequest({ configsUpdated: [one] }), pushRequest({ configsUpdated: [other] }));
    expect(merged.configsUpdated).toEqual([configKey('a', 'ServiceEntry')]);
  });

  test('a service does not absorb the endpoints of its namesake in another namespace', () => {
    const merged = mergePushRequests(
      pushRequest({ configsUpdated: [configKey('a', 'ServiceEntry', 'default')] }),
      pushRequest(),
    );
    expect(merged.configsUpdated).toEqual([configKey('a', 'ServiceEntry', 'default'), configKey('a')]);
  });

  test('the counts of reasons are added, and reasons without a count are absent', () => {
    const merged = mergePushRequests(
      pushRequest({ reason: { endpoint: 2, registry: 0 } }),
      pushRequest({ reason: { endpoint: 1, service: 4 } }),
    );
    expect(merged.reason).toEqual({ service: 4, endpoint: 3 });
  });

  test('start and id are those of the earliest request, of two the smaller id', () => {
    const late = pushRequest({ start: '2026-01-01T00:00:01.000Z', pushId: 'a' });
    const early = pushRequest({ pushId: 'c' });
    const twin = pushRequest({ pushId: 'b' });
    expect(mergePushRequests(late, early)).toMatchObject({ start: early.start, pushId: 'c' });
    expect(mergePushRequests(early, twin, late)).toMatchObject({ start: early.start, pushId: 'b' });
  });

  test('pitfall 23: everything is said by `all`, and then nothing is named', () => {
    const everything = pushRequest({ all: true, full: true, configsUpdated: [] });
    expect(mergePushRequests(pushRequest(), everything)).toMatchObject({ all: true, full: true, configsUpdated: [] });
    expect(mergePushRequests(pushRequest(), pushRequest())).toMatchObject({
      all: false,
      configsUpdated: [configKey('a')],
    });
  });

  test(`more than ${MAX_CONFIG_KEYS} keys become everything`, () => {
    const keys = Array.from({ length: MAX_CONFIG_KEYS }, (_, index) => configKey(`s${index}`));
    const most = pushRequest({ configsUpdated: keys });
    expect(mergePushRequests(most, pushRequest({ configsUpdated: keys.slice(0, 1) }))).toMatchObject({ all: false });
    expect(mergePushRequests(most, pushRequest())).toMatchObject({ all: true, configsUpdated: [] });
  });

  test('keys of more than 60 KB of UTF-8 become everything', () => {
    const overhead = JSON.stringify([configKey('')]).length;
    const fitting = `é${'x'.repeat(MAX_CONFIG_BYTES - overhead - 2)}`;
    const merged = (name: string) => mergePushRequests(pushRequest({ configsUpdated: [configKey(name)] })).all;
    expect(merged(fitting)).toBe(false);
    expect(merged(`${fitting}x`)).toBe(true);
  });
});
