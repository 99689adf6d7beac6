import { heedWishes } from '../../lib/polling/heed-wishes';
import { HeldLease } from '../support/held-lease';
import { REGISTRY } from '../support/readings';

const SECOND = 1000;

let held: HeldLease;
let heeding: Promise<void>;

beforeEach(async () => {
  held = await HeldLease.take();
  heeding = heedWishes(held.lease, held.control, held);
});

afterEach(async () => {
  held.control.end('stopped');
  await heeding;
  expect(held.clock.pending).toBe(0);
});

test('looks at the row every two seconds, and writes nothing', async () => {
  await held.clock.advance(2 * SECOND - 1);
  expect(held.calls).toEqual([]);
  await held.rows.request(REGISTRY, { handover: 'you' });
  await held.clock.advance(4 * SECOND);
  expect(held.calls).toEqual(['get', 'get']);
  expect(held.seen).toMatchObject([{ handover: 'you' }, { handover: 'you' }]);
});

test('a look that fails is told to nobody but who debugs, and made up for by the next', async () => {
  held.lock();
  await held.clock.advance(2 * SECOND);
  expect(held.log.lines).toEqual([
    {
      level: 'debug',
      message: 'Row not looked at',
      facts: { registry: REGISTRY, code: 'Error', message: 'no way to the table' },
    },
  ]);
  expect(held.control.reason).toBeUndefined();
  held.gate = {};
  await held.clock.advance(2 * SECOND);
  expect(held.seen).toHaveLength(1);
});

test('a run that finds another owner ends', async () => {
  await held.breakLease();
  await held.clock.advance(2 * SECOND);
  expect(held.control.reason).toBe('superseded');
  expect(held.log.lines).toEqual([]);
  await heeding;
});

test('ends with the run, without another look', async () => {
  held.control.end('once');
  await heeding;
  await held.clock.advance(10 * SECOND);
  expect(held.calls).toEqual([]);
});
