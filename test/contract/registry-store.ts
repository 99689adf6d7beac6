import type { RegistryRow } from '../../lib/model/registry-row';
import type { Fence, LeaseRequest, RegistryStore } from '../../lib/polling/registry-store';
import type { OpenStore } from '../support/store-under-test';

const DC1 = 'Consul/dc1';

function lease(owner: string, varied: Partial<LeaseRequest> = {}): LeaseRequest {
  return {
    registry: DC1,
    owner,
    leaseUntil: '2026-11-30T12:00:30.000Z',
    runStartedAt: '2026-11-30T12:00:00.000Z',
    precedence: 1,
    mode: 'poll',
    configVersion: 'v1',
    ...varied,
  };
}

const NEW_ROW: RegistryRow = {
  registry: DC1,
  state: 'never-synced',
  precedence: 1,
  mode: 'poll',
  configVersion: 'v1',
  generation: 1,
  leaseOwner: 'a',
  leaseRenewals: 0,
  leaseUntil: '2026-11-30T12:00:30.000Z',
  runStartedAt: '2026-11-30T12:00:00.000Z',
  consecutiveFailures: 0,
  services: 0,
  endpoints: 0,
  requests: 0,
  durationMs: 0,
  unreadable: [],
  unreadableCount: 0,
};

const FENCE_A: Fence = { registry: DC1, owner: 'a', generation: 1 };

/** What every RegistryStore does. */
export function describeRegistryStore(open: OpenStore<RegistryStore>): void {
  describeRows(open);
  describeLease(open);
  describeFence(open);
  describeRequests(open);
  describeForeignRows(open);
}

function describeRows(open: OpenStore<RegistryStore>): void {
  test('has no row before the first lease', async () => {
    const { store } = await open();
    await expect(store.get(DC1)).resolves.toBeUndefined();
    await expect(store.list()).resolves.toEqual([]);
  });

  test('pitfall 9: the first lease makes a row that says it was never synced', async () => {
    const { store } = await open();
    await expect(store.acquire(lease('a'))).resolves.toEqual(NEW_ROW);
    await expect(store.get(DC1)).resolves.toEqual(NEW_ROW);
  });

  test('lists the row of every registry', async () => {
    const { store } = await open();
    await store.acquire(lease('a'));
    await store.acquire(lease('a', { registry: 'Mock/demo' }));
    const rows = await store.list();
    expect(rows.map(({ registry }) => registry).sort()).toEqual([DC1, 'Mock/demo']);
  });
}

function describeLease(open: OpenStore<RegistryStore>): void {
  test('a lease that somebody holds is not to be had', async () => {
    const { store } = await open();
    await store.acquire(lease('a'));
    await expect(store.acquire(lease('b', { configVersion: 'v2' }))).resolves.toBeUndefined();
    await expect(store.get(DC1)).resolves.toEqual(NEW_ROW);
  });

  test('a lease that was given back is to be had, with a higher generation and the new settings', async () => {
    const { store } = await open();
    await store.acquire(lease('a'));
    await store.release(FENCE_A, { state: 'synced', services: 3 });
    const settings = {
      precedence: 2,
      mode: 'watch',
      configVersion: 'v2',
      runStartedAt: '2026-11-30T12:14:00.000Z',
    } as const;
    await expect(store.acquire(lease('b', settings))).resolves.toEqual({
      ...NEW_ROW,
      ...settings,
      ...{ leaseOwner: 'b', generation: 2, leaseRenewals: 2, state: 'synced', services: 3 },
    });
  });

  test.each([
    ['as it was seen to stand still', { owner: 'a', renewals: 1 }, true],
    ['but has been renewed since', { owner: 'a', renewals: 0 }, false],
    ['but by another run than was seen', { owner: 'x', renewals: 1 }, false],
  ])('a lease is broken that stands %s', async (_case, broken, isBroken) => {
    const { store } = await open();
    await store.acquire(lease('a'));
    await store.update(FENCE_A, {});
    const row = await store.acquire(lease('b', { broken }));
    expect(row?.generation).toBe(isBroken ? 2 : undefined);
    await expect(store.get(DC1)).resolves.toMatchObject({ leaseOwner: isBroken ? 'b' : 'a' });
  });

  test('a request that is repeated because its answer was lost takes the lease again', async () => {
    const { store } = await open();
    await store.acquire(lease('a'));
    await expect(store.acquire(lease('a'))).resolves.toMatchObject({
      leaseOwner: 'a',
      generation: 2,
      leaseRenewals: 1,
    });
  });

  test.each([
    ['a free lease', undefined],
    ['a lease that stood still', { owner: 'a', renewals: 0 }],
  ])('of many who want %s at once exactly one has it', async (_case, broken) => {
    const { store } = await open();
    if (broken !== undefined) await store.acquire(lease('a'));
    const owners = Array.from({ length: 8 }, (_, n) => `b${n}`);
    const rows = await Promise.all(
      owners.map((owner) => store.acquire(lease(owner, broken === undefined ? {} : { broken }))),
    );
    const winners = rows.filter((row) => row !== undefined);
    expect(winners).toHaveLength(1);
    await expect(store.get(DC1)).resolves.toEqual(winners[0]);
  });

  test('taking a lease clears the wish that its holder should go, and keeps the others', async () => {
    const { store } = await open();
    await store.acquire(lease('a'));
    await store.request(DC1, { handover: 'b', requestedAt: '2026-11-30T12:00:01.000Z', approvedHold: 'h' });
    await store.release(FENCE_A, {});
    const row = await store.acquire(lease('b'));
    expect(row).not.toHaveProperty('handover');
    expect(row).toMatchObject({ requestedAt: '2026-11-30T12:00:01.000Z', approvedHold: 'h' });
  });
}

function describeFence(open: OpenStore<RegistryStore>): void {
  test('a holder writes its findings, which renews the lease', async () => {
    const { store } = await open();
    await store.acquire(lease('a'));
    const patch = {
      state: 'degraded',
      leaseUntil: '2026-11-30T12:00:40.000Z',
      lastError: { code: 'X', message: 'y' },
      unreadable: [{ source: 's', reason: 'r' }],
      held: {
        ...{ services: 1, endpoints: 2, sample: [`shop/a`], hash: 'h', confirmations: 0 },
        ...{ since: '2026-11-30T12:00:00.000Z', confirmedSince: '2026-11-30T12:00:00.000Z' },
      },
    } as const;
    const written = { ...NEW_ROW, ...patch, leaseRenewals: 1 };
    await expect(store.update(FENCE_A, patch)).resolves.toEqual(written);
    await expect(store.get(DC1)).resolves.toEqual(written);
  });

  test('what a patch gives as undefined is removed', async () => {
    const { store } = await open();
    await store.acquire(lease('a'));
    await store.update(FENCE_A, { lastError: { code: 'X', message: 'y' }, pollId: 'p' });
    const row = await store.update(FENCE_A, { lastError: undefined });
    expect(row).toEqual({ ...NEW_ROW, pollId: 'p', leaseRenewals: 2 });
  });

  test('an update tells the holder what others wish of it', async () => {
    const { store } = await open();
    await store.acquire(lease('a'));
    await store.request(DC1, { handover: 'b' });
    await expect(store.update(FENCE_A, {})).resolves.toMatchObject({ handover: 'b' });
  });

  test.each([
    ['owner', { owner: 'b' }],
    ['generation', { generation: 2 }],
    ['registry', { registry: 'Mock/demo' } as const],
  ])('pitfall 22: refuses who has not the present %s', async (_which, wrong) => {
    const { store } = await open();
    await store.acquire(lease('a'));
    const fence = { ...FENCE_A, ...wrong };
    const refusal = {
      code: 'SupersededError',
      transient: false,
      message: `Registry ${fence.registry} is no longer held by ${fence.owner} with generation ${fence.generation}; this run ends`,
      details: fence,
    };
    await expect(store.update(fence, { services: 9 })).rejects.toMatchObject(refusal);
    await expect(store.release(fence, { services: 9 })).rejects.toMatchObject(refusal);
    await expect(store.list()).resolves.toEqual([NEW_ROW]);
  });

  test('giving the lease back writes the last findings and leaves no owner', async () => {
    const { store } = await open();
    await store.acquire(lease('a'));
    await store.release(FENCE_A, { state: 'synced', leaseUntil: '2026-11-30T12:01:00.000Z' });
    const { leaseOwner, leaseUntil, ...free } = NEW_ROW;
    expect([leaseOwner, leaseUntil]).not.toContain(undefined);
    await expect(store.get(DC1)).resolves.toEqual({ ...free, state: 'synced', leaseRenewals: 1 });
    await expect(store.update(FENCE_A, {})).rejects.toMatchObject({ code: 'SupersededError' });
  });
}

function describeRequests(open: OpenStore<RegistryStore>): void {
  test('a wish stands in the row and does not touch the lease', async () => {
    const { store } = await open();
    await store.acquire(lease('a'));
    const wished = { ...NEW_ROW, requestedAt: '2026-11-30T12:00:01.000Z' };
    await expect(store.request(DC1, { requestedAt: '2026-11-30T12:00:01.000Z' })).resolves.toEqual(wished);
    await expect(store.get(DC1)).resolves.toEqual(wished);
  });

  test('an empty wish changes nothing', async () => {
    const { store } = await open();
    await store.acquire(lease('a'));
    await expect(store.request(DC1, {})).resolves.toEqual(NEW_ROW);
  });

  test.each([[{}], [{ requestedAt: '2026-11-30T12:00:01.000Z' }]])('a wish %j makes no row', async (wish) => {
    const { store } = await open();
    await expect(store.request(DC1, wish)).resolves.toBeUndefined();
    await expect(store.get(DC1)).resolves.toBeUndefined();
  });
}

function describeForeignRows(open: OpenStore<RegistryStore>): void {
  test('neither reads a row with a newer schema nor writes into it', async () => {
    const { store, plant } = await open();
    await plant({ ...NEW_ROW, schema: 2 });
    const refusal = {
      code: 'NewerSchemaError',
      details: { table: 'Registries', key: DC1, found: 2, supported: 1 },
    };
    await expect(store.get(DC1)).rejects.toMatchObject(refusal);
    await expect(store.list()).rejects.toMatchObject(refusal);
    await expect(store.acquire(lease('a'))).rejects.toMatchObject(refusal);
    await expect(store.update(FENCE_A, {})).rejects.toMatchObject(refusal);
    await expect(store.request(DC1, { handover: 'b' })).rejects.toMatchObject(refusal);
  });

  test('keeps what was written although the caller changes its own lists afterwards', async () => {
    const { store } = await open();
    await store.acquire(lease('a'));
    const unreadable = [{ source: 's', reason: 'r' }];
    await store.update(FENCE_A, { unreadable });
    unreadable.pop();
    await expect(store.get(DC1)).resolves.toMatchObject({ unreadable: [{ source: 's', reason: 'r' }] });
  });
}
