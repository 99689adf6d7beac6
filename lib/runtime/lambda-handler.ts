import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { InvalidValueError } from '../model/app-error';
import { PowertoolsLog } from './powertools-log';
import { PowertoolsMetrics } from './powertools-metrics';

/** What one invocation gives to the use case beside its input. */
export type Invocation = {
  /** Unique among all invocations. */
  readonly id: string;
  /** Aborts when there is just time left to end in an orderly way. */
  readonly signal: AbortSignal;
};

export type LambdaFunction<Input, Output> = {
  /** The shape of the event. */
  readonly input: z.ZodType<Input>;
  readonly run: (input: Input, invocation: Invocation) => Promise<Output>;
};

export type LambdaHandler<Output> = (
  event: unknown,
  context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
) => Promise<Output>;

/** Time kept back from the use case, to give back leases and to write the last state, log and metrics. */
const ENDING_MS = 10_000;

export const log = new PowertoolsLog();
export const metrics = new PowertoolsMetrics();

/**
 * Makes a Lambda handler of a use case: the event is parsed once, the log carries the request id, metrics are written at
 * the end in whatever way it ends, and the remaining time becomes a signal.
 */
export function lambdaHandler<Input, Output>({ input, run }: LambdaFunction<Input, Output>): LambdaHandler<Output> {
  return async (event, context) => {
    log.startInvocation(context.awsRequestId);
    const ending = new AbortController();
    const leftMs = context.getRemainingTimeInMillis() - ENDING_MS;
    const timer = setTimeout(() => ending.abort(), Math.max(0, leftMs));
    if (leftMs <= 0) ending.abort();
    try {
      return await run(parseEvent(input, event), { id: context.awsRequestId, signal: ending.signal });
    } finally {
      clearTimeout(timer);
      metrics.flush();
    }
  };
}

function parseEvent<Input>(schema: z.ZodType<Input>, event: unknown): Input {
  const parsed = schema.safeParse(event);
  if (parsed.success) return parsed.data;
  throw new InvalidValueError(`Event of the function: ${z.prettifyError(parsed.error)}`, {
    issues: parsed.error.issues,
  });
}
