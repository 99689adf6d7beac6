import {
  PutEventsCommand,
  type EventBridgeClient,
  type PutEventsRequestEntry,
  type PutEventsCommandOutput,
} from '@aws-sdk/client-eventbridge';
import { AppError, describeError } from '../model/app-error';
import { isPassingAwsFailure } from '../runtime/aws-failure';
import type { Clock } from '../runtime/clock';
import type { EventPublisher, PublishFailure } from './event-publisher';
import { eventBytes } from './event-size';
import { MAX_CALL_BYTES, packEntries } from './pack-entries';
import { EVENT_SOURCE, type PilotlessEvent } from './pilotless-event';

export type EventBridgeEventPublisherOptions = {
  /** Made with `maxAttempts: 1`: what failed is tried again here, entry by entry. */
  readonly client: EventBridgeClient;
  readonly busName: string;
  readonly clock: Pick<Clock, 'delay'>;
  /** From 0 to below 1, as `Math.random`. */
  readonly random: () => number;
  /** How long one call may take. @default DEFAULT_TIMEOUT_MS */
  readonly timeoutMs?: number;
};

export const DEFAULT_TIMEOUT_MS = 5_000;

/** Times that an entry is sent before it comes back as not taken. */
export const MAX_ATTEMPTS = 5;

/** The longest pause before the second attempt; doubled for each further one. */
export const FIRST_PAUSE_MS = 100;

/**
 * Codes of entries that no repetition helps (AWS "PutEventsResultEntry", non-retryable errors), without the suffix
 * `Exception` that only some of them have. All others are tried again.
 */
const REFUSALS: ReadonlySet<string> = new Set([
  'AccessDenied',
  'InvalidAccountId',
  'InvalidArgument',
  'MalformedDetail',
  'RedactionFailure',
  'NotAuthorizedForSource',
  'NotAuthorizedForDetailType',
]);

/** An event on its way: a repetition sends the same entry again. */
type Entry = { readonly event: PilotlessEvent; readonly request: PutEventsRequestEntry; readonly bytes: number };

/** Why an entry was not taken. */
type Refusal = Omit<PublishFailure, 'event'>;

type Refusals = ReadonlyMap<Entry, Refusal>;

/**
 * Sends events to an EventBridge bus, in calls of ten entries or a megabyte. A call that succeeds may still have lost
 * entries (`FailedEntryCount`): just those are sent again, together with the entries of calls that failed for the moment,
 * after a pause that grows. What the bus has not taken even so comes back.
 */
export class EventBridgeEventPublisher implements EventPublisher {
  readonly #options: EventBridgeEventPublisherOptions;

  constructor(options: EventBridgeEventPublisherOptions) {
    this.#options = options;
  }

  /** @throws AppError `EventBridgeError` when the bus refuses calls as such: it is not there, or not for us. */
  async publish(events: readonly PilotlessEvent[]): Promise<readonly PublishFailure[]> {
    const { clock, random } = this.#options;
    const entries = events.map((event) => this.#entryOf(event));
    const tooLarge = entries.filter(({ bytes }) => bytes > MAX_CALL_BYTES);
    const refusals = new Map<Entry, Refusal>(tooLarge.map((entry) => [entry, refusalOfSize(entry)]));
    let pending: readonly Entry[] = entries.filter((entry) => !refusals.has(entry));
    for (let attempt = 1; pending.length > 0 && attempt <= MAX_ATTEMPTS; attempt += 1) {
      if (attempt > 1) await clock.delay(random() * FIRST_PAUSE_MS * 2 ** (attempt - 2));
      const refused = await this.#send(pending);
      for (const entry of pending) refusals.delete(entry);
      for (const [entry, refusal] of refused) refusals.set(entry, refusal);
      pending = pending.filter((entry) => refused.get(entry)?.transient === true);
    }
    return entries.flatMap((entry) => {
      const refusal = refusals.get(entry);
      return refusal === undefined ? [] : [{ event: entry.event, ...refusal }];
    });
  }

  #entryOf(event: PilotlessEvent): Entry {
    const request: PutEventsRequestEntry = {
      EventBusName: this.#options.busName,
      Source: EVENT_SOURCE,
      DetailType: event.type,
      Detail: JSON.stringify(event.detail),
      Time: new Date(event.detail.metadata.at),
    };
    return { event, request, bytes: eventBytes(event) };
  }

  /** One attempt at all of them. A call that fails for the moment ends it: the others would add to what ails the bus. */
  async #send(entries: readonly Entry[]): Promise<Refusals> {
    const refusals = new Map<Entry, Refusal>();
    const calls = packEntries(entries);
    for (const [index, call] of calls.entries()) {
      const answer = await this.#call(call);
      if (answer instanceof Error) {
        const reason = reasonOf(answer);
        for (const entry of calls.slice(index).flat()) refusals.set(entry, { reason, transient: true });
        break;
      }
      for (const [entry, refusal] of refusalsIn(call, answer)) refusals.set(entry, refusal);
    }
    return refusals;
  }

  /** @returns what the bus answers, or what went wrong for the moment. */
  async #call(entries: readonly Entry[]): Promise<PutEventsCommandOutput | Error> {
    const { client, busName, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const command = new PutEventsCommand({ Entries: entries.map(({ request }) => request) });
    try {
      return await client.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) });
    } catch (error) {
      if (error instanceof Error && isPassingAwsFailure(error)) return error;
      throw new AppError(`EventBridge refuses events for the bus ${busName}: ${reasonOf(error)}`, {
        code: 'EventBridgeError',
        details: { busName },
        cause: error,
      });
    }
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = describeError(error);
  return `${code}: ${message}`;
}

/** The answer has a result for each entry, in the order of the entries. One without an event id was not taken. */
function refusalsIn(
  entries: readonly Entry[],
  { FailedEntryCount = 0, Entries = [] }: PutEventsCommandOutput,
): Refusals {
  if (FailedEntryCount === 0) return new Map();
  return new Map(
    entries.flatMap((entry, index) => {
      const { EventId, ErrorCode, ErrorMessage } = Entries[index] ?? {};
      if (EventId !== undefined && ErrorCode === undefined) return [];
      const code = ErrorCode ?? 'no result';
      const reason = ErrorMessage === undefined ? code : `${code}: ${ErrorMessage}`;
      return [[entry, { reason, transient: !REFUSALS.has(code.replace(/Exception$/, '')) }]];
    }),
  );
}

function refusalOfSize({ bytes }: Entry): Refusal {
  return { reason: `its ${bytes} bytes are more than the ${MAX_CALL_BYTES} of a call`, transient: false };
}
