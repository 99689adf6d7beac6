import * as z from 'zod';
import { lambdaHandler, metrics, type Invocation } from '../../lib/runtime/lambda-handler';
import { lambdaContext } from '../support/lambda-context';

const input = z.object({ registry: z.string() });

/** What the use case was given. */
async function invoke(event: unknown, remainingMs?: number) {
  const run = jest.fn((_: z.output<typeof input>, { id, signal }: Invocation) =>
    Promise.resolve({ id, late: signal.aborted }),
  );
  const answer = await lambdaHandler({ input, run })(event, lambdaContext(remainingMs));
  return { answer, calls: run.mock.calls };
}

afterEach(() => {
  jest.useRealTimers();
});

test('the use case gets the event, parsed, and the id of the invocation', async () => {
  const { answer, calls } = await invoke({ registry: 'Mock/demo', other: 1 });

  expect(answer).toEqual({ id: 'request-1', late: false });
  expect(calls[0]?.[0]).toEqual({ registry: 'Mock/demo' });
});

test('an event of another shape is refused with path and reason', async () => {
  await expect(invoke({ registry: 7 })).rejects.toThrow(/Event of the function: .*expected string.*at registry/s);
});

test('metrics are written at the end, also when it fails', async () => {
  const flush = jest.spyOn(metrics, 'flush');
  const run = () => Promise.reject(new Error('broken'));

  await expect(lambdaHandler({ input, run })({ registry: 'a' }, lambdaContext())).rejects.toThrow('broken');
  expect(flush).toHaveBeenCalledTimes(1);
});

test('the signal aborts ten seconds before the time is up', async () => {
  jest.useFakeTimers();
  const states: boolean[] = [];
  const run = async (_: unknown, { signal }: Invocation) => {
    await jest.advanceTimersByTimeAsync(4999);
    states.push(signal.aborted);
    await jest.advanceTimersByTimeAsync(1);
    states.push(signal.aborted);
  };
  await lambdaHandler({ input, run })({ registry: 'a' }, lambdaContext(15_000));

  expect(states).toEqual([false, true]);
});

test('without that much time the signal is aborted from the beginning', async () => {
  await expect(invoke({ registry: 'a' }, 10_000)).resolves.toMatchObject({ answer: { late: true } });
});
