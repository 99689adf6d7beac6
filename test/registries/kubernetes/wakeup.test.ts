import { Wakeup } from '../../../lib/registries/kubernetes/wakeup';
import { VirtualClock } from '../../support/virtual-clock';

const never = new AbortController().signal;

test('sleeps until the time is up', async () => {
  const clock = new VirtualClock(0);
  const sleep = new Wakeup().wait(clock, 500, never);
  await clock.until(sleep);
  expect(clock.now()).toBe(500);
});

test('is woken', async () => {
  const clock = new VirtualClock(0);
  const wakeup = new Wakeup();
  const sleep = wakeup.wait(clock, 500, never);
  wakeup.wake();
  await sleep;
  expect([clock.now(), clock.pending]).toEqual([0, 0]);
});

test('a call that came while nobody slept is kept, once', async () => {
  const clock = new VirtualClock(0);
  const wakeup = new Wakeup();
  wakeup.wake();
  wakeup.wake();
  await wakeup.wait(clock, 500, never);
  expect(clock.now()).toBe(0);
  await clock.until(wakeup.wait(clock, 500, never));
  expect(clock.now()).toBe(500);
});

test('ends when the signal aborts', async () => {
  const clock = new VirtualClock(0);
  const stop = new AbortController();
  const sleep = new Wakeup().wait(clock, 500, stop.signal);
  stop.abort();
  await sleep;
  expect([clock.now(), clock.pending]).toEqual([0, 0]);
});
