import type { RegistryRow } from '../../lib/model/registry-row';

/** A registry's row in good health, read at `2026-01-01T00:00:00.000Z`; members can be given. */
export function registryRow(row: Partial<RegistryRow> = {}): RegistryRow {
  return {
    registry: 'Mock/demo',
    state: 'synced',
    precedence: 0,
    mode: 'poll',
    configVersion: 'v1',
    generation: 1,
    leaseRenewals: 0,
    lastSuccessAt: '2026-01-01T00:00:00.000Z',
    consecutiveFailures: 0,
    services: 2,
    endpoints: 24,
    requests: 1,
    durationMs: 5,
    unreadable: [],
    unreadableCount: 0,
    ...row,
  };
}
