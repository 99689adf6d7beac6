import { keepLease } from '../../lib/polling/keep-lease';
import { HeldLease } from '../support/held-lease';
import { REGISTRY } from '../support/readings';

const SECOND = 1000;

let held: HeldLease;
let kept: Promise<void>;

beforeEach(async () => {
  held = await HeldLease.take();
  kept = keepLease(held.lease, held.control, held, () => ({ lastSuccessAt: held.clock.iso() }));
});

afterEach(async () => {
  held.control.end('stopped');
  await kept;
  expect(held.clock.pending).toBe(0);
});

test('renews the lease every ten seconds, with what the row has to tell meanwhile', async () => {
  await held.clock.advance(10 * SECOND - 1);
  expect(held.calls).toEqual([]);
  await held.clock.advance(21 * SECOND);
  expect(held.calls).toHaveLength(3);
  expect(await held.row()).toMatchObject({ leaseRenewals: 3, lastSuccessAt: '2026-01-01T00:00:30.000Z' });
});

test('waits for another ten seconds after whatever else has written the row', async () => {
  await held.clock.advance(6 * SECOND);
  await held.lease.write({ services: 1 });
  await held.clock.advance(9 * SECOND);
  expect((await held.row()).leaseRenewals).toBe(1);
  await held.clock.advance(SECOND);
  expect((await held.row()).leaseRenewals).toBe(2);
});

test('a renewal that fails is told, and tried again each second', async () => {
  held.lock();
  await held.clock.advance(12 * SECOND);
  const line = {
    level: 'warn',
    message: 'Lease not renewed',
    facts: { registry: REGISTRY, code: 'Error', message: 'no way to the table' },
  };
  expect(held.log.lines).toEqual([line, line, line]);
  expect(held.control.reason).toBeUndefined();
  held.gate = {};
  await held.clock.advance(SECOND);
  expect((await held.row()).leaseRenewals).toBe(1);
});

test('a renewal that is refused ends the run, and nobody is troubled with that', async () => {
  await held.breakLease();
  await held.clock.advance(10 * SECOND);
  expect(held.control.reason).toBe('superseded');
  expect(held.log.lines).toEqual([]);
  await kept;
});

test('ends with the run, without another writing', async () => {
  held.control.end('once');
  await kept;
  await held.clock.advance(20 * SECOND);
  expect(held.calls).toEqual([]);
});
