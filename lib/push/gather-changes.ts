import { describeError } from '../model/app-error';
import type { Clock } from '../runtime/clock';
import { decodeChangeMessage } from './change-message';
import type { ChangeQueue, QueuedChange } from './change-queue';
import { dueMs, gather, type DebounceSettings, type Gathered } from './push-debouncer';
import type { PushRequest } from './push-request';
import { pushRequestOf } from './push-request-of';

export type GatherParts = {
  readonly queue: Pick<ChangeQueue, 'receive'>;
  readonly settings: DebounceSettings;
  readonly clock: Clock;
};

/** A message that is no change, as a dead letter. */
export type UnreadableChange = {
  /** Its text, cut at 1,000 characters. */
  readonly subject: string;
  readonly error: { readonly code: string; readonly message: string };
};

export type GatheredChanges = {
  /** One request for all of them; absent when none could be read. */
  readonly request?: PushRequest;
  /** Everything that was taken from the queue, the first ones included. */
  readonly taken: readonly QueuedChange[];
  readonly unreadable: readonly UnreadableChange[];
};

/** How long to wait at least before the queue is asked again: each question is paid for. */
const PAUSE_MS = 50;

/**
 * Takes changes out of the queue until none came for `quietMs`, but not for longer than `maxMs`, and merges them. A burst
 * becomes one request (DESIGN "Push requests"). Removes nothing: whoever sends the request does that afterwards.
 *
 * @param first what led here.
 */
export async function gatherChanges(
  first: readonly QueuedChange[],
  pushId: string,
  { queue, settings, clock }: GatherParts,
  signal: AbortSignal,
): Promise<GatheredChanges> {
  const taken: QueuedChange[] = [];
  const unreadable: UnreadableChange[] = [];
  let gathered: Gathered | undefined;
  const take = (changes: readonly QueuedChange[]): void => {
    for (const change of changes) {
      taken.push(change);
      try {
        const request = pushRequestOf(decodeChangeMessage(change.body), pushId);
        gathered = gather(gathered, request, clock.now());
      } catch (error) {
        unreadable.push({ subject: change.body.slice(0, 1000), error: describeError(error) });
      }
    }
  };

  take(first);
  while (gathered !== undefined && !signal.aborted) {
    const leftMs = dueMs(gathered, settings) - clock.now();
    if (leftMs <= 0) break;
    const more = await queue.receive();
    take(more);
    if (more.length === 0) await clock.delay(Math.min(leftMs, PAUSE_MS), signal);
  }
  return { ...(gathered === undefined ? {} : { request: gathered.request }), taken, unreadable };
}
