import { SupersededError } from '../../lib/polling/registry-store';
import { HeldLease } from '../support/held-lease';
import { REGISTRY } from '../support/readings';
import { settle } from '../support/virtual-clock';

const SECOND = 1000;

let held: HeldLease;

beforeEach(async () => {
  held = await HeldLease.take();
});

test('is due ten seconds after it was taken, and after each writing', async () => {
  expect(held.lease.dueInMs).toBe(10 * SECOND);
  await held.clock.advance(7 * SECOND);
  expect(held.lease.dueInMs).toBe(3 * SECOND);
  await held.lease.write({ services: 3 });
  expect(held.lease.dueInMs).toBe(10 * SECOND);
  expect(await held.row()).toMatchObject({ services: 3, leaseUntil: held.clock.iso(30 * SECOND), leaseRenewals: 1 });
});

test('a writing takes along what was noted, the latest word of each member, and passes the row on', async () => {
  held.lease.note({ services: 1, endpoints: 1 });
  held.lease.note({ services: 2 });
  expect(await held.row()).toMatchObject({ services: 0, leaseRenewals: 0 });
  await held.rows.request(REGISTRY, { requestedAt: held.clock.iso() });
  await held.lease.write({ requests: 4 });
  const row = await held.row();
  expect(row).toMatchObject({ services: 2, endpoints: 1, requests: 4, requestedAt: held.clock.iso() });
  expect(held.lease.row).toEqual(row);
  expect(held.seen).toEqual([row]);
  await held.lease.write({});
  expect(await held.row()).toMatchObject({ services: 2, leaseRenewals: 2 });
});

test('what could not be written is kept, below what is newer, and due again after a second', async () => {
  held.lock();
  await expect(held.lease.write({ services: 1, endpoints: 1 })).rejects.toThrow('no way to the table');
  expect(held.seen).toEqual([]);
  expect(held.lease.dueInMs).toBe(SECOND);
  held.lease.note({ services: 2 });
  held.gate = {};
  await held.lease.write({});
  expect(await held.row()).toMatchObject({ services: 2, endpoints: 1 });
});

test('writings happen one after the other', async () => {
  let underWay = 0;
  const seen: number[] = [];
  held.gate = {
    before: async () => {
      underWay += 1;
      await settle();
      seen.push(underWay);
    },
    after: () => {
      underWay -= 1;
    },
  };
  await Promise.all([held.lease.write({ services: 1 }), held.lease.write({ services: 2 }), held.lease.write({})]);
  expect(seen).toEqual([1, 1, 1]);
  expect(await held.row()).toMatchObject({ services: 2, leaseRenewals: 3 });
});

test('a writing that failed keeps no other one waiting, nor the release', async () => {
  held.lock();
  const writings = [held.lease.write({ services: 1 }), held.lease.write({ services: 2 })];
  const outcomes = await Promise.allSettled(writings);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  held.gate = {};
  await held.lease.release();
  expect(await held.row()).toMatchObject({ services: 2, leaseRenewals: 1 });
});

describe('is made sure of', () => {
  test('with a writing when it was not renewed for twenty seconds, and not before', async () => {
    await held.clock.advance(20 * SECOND - 1);
    await held.lease.confirm();
    expect(held.calls).toEqual([]);
    await held.clock.advance(1);
    await held.lease.confirm();
    expect((await held.row()).leaseRenewals).toBe(1);
    await held.lease.confirm();
    expect((await held.row()).leaseRenewals).toBe(1);
  });

  test('in vain when another run has taken over', async () => {
    await held.clock.advance(20 * SECOND);
    await held.breakLease();
    await expect(held.lease.confirm()).rejects.toThrow(SupersededError);
  });

  test('in vain when the table cannot be reached', async () => {
    await held.clock.advance(20 * SECOND);
    held.lock();
    await expect(held.lease.confirm()).rejects.toThrow('no way to the table');
  });
});

describe('a look', () => {
  test('passes on what others have asked for, writes nothing and renews nothing', async () => {
    await held.clock.advance(3 * SECOND);
    await held.rows.request(REGISTRY, { handover: 'you' });
    await held.lease.look();
    expect(held.seen).toMatchObject([{ handover: 'you', leaseRenewals: 0 }]);
    expect(held.lease.row).toEqual(await held.row());
    expect(held.lease.dueInMs).toBe(7 * SECOND);
  });

  test('that a writing overtakes is forgotten: it is older than what the writing brought back', async () => {
    const old = await held.row();
    held.gate = { after: async ({ name }) => (name === 'get' ? held.lease.write({ services: 5 }) : undefined) };
    await held.lease.look();
    expect(held.seen).toMatchObject([{ services: 5 }]);
    expect(held.lease.row).not.toEqual(old);
  });

  test('finds another owner', async () => {
    await held.breakLease();
    await expect(held.lease.look()).rejects.toThrow(
      `Registry ${REGISTRY} is no longer held by me with generation 1; this run ends`,
    );
    expect(held.seen).toEqual([]);
  });

  test('finds its owner with another generation: the same name is no proof', async () => {
    const row = { ...(await held.row()), generation: 2 };
    held.rows.get = () => Promise.resolve(row);
    await expect(held.lease.look()).rejects.toThrow(SupersededError);
  });

  test('finds no row at all', async () => {
    held.rows.get = () => Promise.resolve(undefined);
    await expect(held.lease.look()).rejects.toThrow(SupersededError);
  });
});

describe('is given back', () => {
  test('with what was noted, after every writing', async () => {
    const writing = held.lease.write({ services: 4 });
    held.lease.note({ endpoints: 9 });
    await held.lease.release();
    await writing;
    const row = await held.row();
    expect(row).toMatchObject({ services: 4, endpoints: 9 });
    expect(row.leaseOwner).toBeUndefined();
    expect(row.leaseUntil).toBeUndefined();
  });

  test('not when another run has it', async () => {
    await held.breakLease();
    await expect(held.lease.release()).rejects.toThrow(SupersededError);
    expect(await held.row()).toMatchObject({ leaseOwner: 'you', generation: 2 });
  });
});
