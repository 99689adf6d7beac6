import { DEFAULT_STALE_AFTER_MS, judgeCompleteness } from '../../lib/discovery/completeness';
import type { RegistryRow } from '../../lib/model/registry-row';
import { registryRow } from '../support/registry-rows';

const READ_AT = Date.parse('2026-01-01T00:00:00.000Z');

function neverSynced(row: Partial<RegistryRow>): RegistryRow {
  const { lastSuccessAt, ...rest } = registryRow({ state: 'never-synced', ...row });
  return rest;
}

describe('judgeCompleteness', () => {
  test('is complete when every registry has been read, wholly and lately', () => {
    const rows = [registryRow({ registry: 'Mock/b' }), registryRow({ registry: 'Consul/a' })];
    expect(judgeCompleteness(rows, READ_AT + 1500)).toEqual({
      complete: true,
      oldestAgeMs: 1500,
      neverSynced: [],
      failed: [],
      degraded: [],
      stale: [],
      paused: [],
      registries: [
        { registry: 'Consul/a', state: 'synced', ageMs: 1500, stale: false, services: 2, endpoints: 24, unreadable: 0 },
        { registry: 'Mock/b', state: 'synced', ageMs: 1500, stale: false, services: 2, endpoints: 24, unreadable: 0 },
      ],
    });
  });

  test('is not complete when no registry is known at all', () => {
    expect(judgeCompleteness([], READ_AT)).toMatchObject({ complete: false, registries: [] });
    expect(judgeCompleteness([], READ_AT)).not.toHaveProperty('oldestAgeMs');
  });

  test.each([
    ['failed', 'failed'],
    ['degraded', 'degraded'],
    ['paused', 'paused'],
  ] as const)('a %s registry makes it incomplete and is named', (state, list) => {
    const judged = judgeCompleteness([registryRow({ state }), registryRow({ registry: 'Mock/other' })], READ_AT);
    expect(judged.complete).toBe(false);
    expect(judged[list]).toEqual(['Mock/demo']);
  });

  test('pitfall 9: a registry that was never read is named, and has no age', () => {
    const judged = judgeCompleteness([neverSynced({}), registryRow({ registry: 'Mock/other' })], READ_AT + 10);
    expect(judged).toMatchObject({ complete: false, neverSynced: ['Mock/demo'], oldestAgeMs: 10 });
    expect(judged.registries[0]).not.toHaveProperty('ageMs');
  });

  test('a registry that failed before its first good reading counts as never read', () => {
    expect(judgeCompleteness([neverSynced({ state: 'failed' })], READ_AT)).toMatchObject({
      neverSynced: ['Mock/demo'],
      failed: ['Mock/demo'],
    });
  });

  test.each([
    [DEFAULT_STALE_AFTER_MS, false],
    [DEFAULT_STALE_AFTER_MS + 1, true],
  ])('pitfall 30: a reading %d ms old is stale: %s', (age, stale) => {
    const judged = judgeCompleteness([registryRow()], READ_AT + age);
    expect(judged).toMatchObject({ complete: !stale, stale: stale ? ['Mock/demo'] : [], oldestAgeMs: age });
  });

  test('the age is that of the oldest reading, and never negative when clocks differ', () => {
    const rows = [registryRow(), registryRow({ registry: 'Mock/b', lastSuccessAt: '2026-01-01T00:00:09.000Z' })];
    expect(judgeCompleteness(rows, READ_AT + 2000).oldestAgeMs).toBe(2000);
    expect(judgeCompleteness(rows, READ_AT + 2000).registries[0]?.ageMs).toBe(0);
  });

  test('a registry that left the configuration does not count', () => {
    expect(
      judgeCompleteness([registryRow(), registryRow({ registry: 'Mock/gone', state: 'removed' })], READ_AT),
    ).toMatchObject({ complete: true, registries: [{ registry: 'Mock/demo' }] });
  });

  test('what is held, unreadable and wrong stands with the registry', () => {
    const held = {
      services: 12,
      endpoints: 30,
      sample: ['a/b'],
      hash: 'h',
      since: '2026-01-01T00:00:00.000Z',
      confirmations: 1,
      confirmedSince: '2026-01-01T00:00:00.000Z',
    };
    const lastError = { code: 'ForbiddenError', message: 'no' };
    const judged = judgeCompleteness(
      [registryRow({ state: 'degraded', held, lastError, unreadableCount: 3 })],
      READ_AT,
    );
    expect(judged.registries[0]).toMatchObject({ held, lastError, unreadable: 3 });
  });
});
