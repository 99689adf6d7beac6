import { RequestBudget } from '../../lib/registries/request-budget';
import { VirtualClock } from '../support/virtual-clock';

const NEVER = new AbortController().signal;

/** Lets everything run that is not waiting for the clock or for a test. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test('no more than maxConcurrency are under way; the others follow in order', async () => {
  const budget = new RequestBudget({ maxConcurrency: 2, requestsPerSecond: 1000 }, new VirtualClock(0));
  const finish: (() => void)[] = [];
  const started: number[] = [];
  const all = [0, 1, 2, 3].map((number) =>
    budget.run(NEVER, async () => {
      started.push(number);
      await new Promise<void>((resolve) => finish.push(resolve));
      return number;
    }),
  );
  await settle();
  expect(started).toEqual([0, 1]);
  finish[1]?.();
  await settle();
  expect(started).toEqual([0, 1, 2]);
  finish[0]?.();
  finish[2]?.();
  await settle();
  finish[3]?.();
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
});

test('a place that becomes free goes to who waits, not to who comes', async () => {
  const budget = new RequestBudget({ maxConcurrency: 1, requestsPerSecond: 1000 }, new VirtualClock(0));
  let underWay = 0;
  const work = async () => {
    underWay += 1;
    expect(underWay).toBe(1);
    await settle();
    underWay -= 1;
  };
  const first = budget.run(NEVER, work).then(() => budget.run(NEVER, work));
  await Promise.all([first, budget.run(NEVER, work), budget.run(NEVER, work)]);
  expect(underWay).toBe(0);
});

test('a failure gives the place back', async () => {
  const budget = new RequestBudget({ maxConcurrency: 1, requestsPerSecond: 1000 }, new VirtualClock(0));
  await expect(budget.run(NEVER, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await budget.run(NEVER, () => Promise.resolve('yes'))).toBe('yes');
});

test("a second's worth may start at once, then one after the other", async () => {
  const clock = new VirtualClock(0);
  const budget = new RequestBudget({ maxConcurrency: 10, requestsPerSecond: 2 }, clock);
  const started: number[] = [];
  const all = [0, 1, 2, 3].map(() =>
    budget.run(NEVER, () => {
      started.push(clock.now());
      return Promise.resolve();
    }),
  );
  await clock.advance(1000);
  await Promise.all(all);
  expect(started).toEqual([0, 0, 500, 1000]);
});

test('a pause is worth a second at most', async () => {
  const clock = new VirtualClock(0);
  const budget = new RequestBudget({ maxConcurrency: 10, requestsPerSecond: 1 }, clock);
  await budget.rate(NEVER);
  await clock.advance(60_000);
  await budget.rate(NEVER);
  let third = false;
  const waiting = budget.rate(NEVER).then(() => (third = true));
  await settle();
  expect(third).toBe(false);
  await clock.advance(1000);
  await waiting;
  expect(third).toBe(true);
});

test('less than one a second is possible', async () => {
  const clock = new VirtualClock(0);
  const budget = new RequestBudget({ maxConcurrency: 10, requestsPerSecond: 0.5 }, clock);
  await budget.rate(NEVER);
  const waiting = budget.rate(NEVER);
  await clock.advance(2000);
  await expect(waiting).resolves.toBeUndefined();
});

test('who waits for the rate ends with the reason of the signal, and takes nothing', async () => {
  const clock = new VirtualClock(0);
  const budget = new RequestBudget({ maxConcurrency: 1, requestsPerSecond: 1 }, clock);
  await budget.rate(NEVER);
  const abort = new AbortController();
  const work = jest.fn();
  const waiting = budget.run(abort.signal, work);
  await settle();
  abort.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  expect(work).not.toHaveBeenCalled();
});
