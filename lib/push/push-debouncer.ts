import { describeError } from '../model/app-error';
import type { Clock } from '../runtime/clock';
import type { Log } from '../runtime/log';
import { mergePushRequests } from './merge-push-requests';
import type { PushRequest } from './push-request';

/** Durations in milliseconds. */
export type DebounceSettings = {
  /** A push waits until no request came for this long. */
  readonly quietMs: number;
  /** But no longer than this after the first. */
  readonly maxMs: number;
};

/** Requests that were gathered and when the first and the last of them came; the whole state of debouncing. */
export type Gathered = { readonly request: PushRequest; readonly firstMs: number; readonly lastMs: number };

/** Adds a request to what was gathered. */
export function gather(before: Gathered | undefined, request: PushRequest, nowMs: number): Gathered {
  if (before === undefined) return { request, firstMs: nowMs, lastMs: nowMs };
  return { request: mergePushRequests(before.request, request), firstMs: before.firstMs, lastMs: nowMs };
}

/** When the gathered requests are pushed if no other one comes. */
export function dueMs({ firstMs, lastMs }: Gathered, { quietMs, maxMs }: DebounceSettings): number {
  return Math.min(lastMs + quietMs, firstMs + maxMs);
}

export type PushDebouncerParts = {
  readonly settings: DebounceSettings;
  readonly clock: Clock;
  /** Called with one request for each burst, never twice at a time. What it rejects is gathered again. */
  readonly push: (request: PushRequest) => Promise<void>;
  readonly log: Log;
};

/**
 * Gathers bursts of requests into one each, as Istio does (`PILOT_DEBOUNCE_AFTER` 100 ms, `PILOT_DEBOUNCE_MAX` 10 s).
 * What comes while a push is under way is gathered for the next.
 */
export class PushDebouncer {
  readonly #parts: PushDebouncerParts;
  #gathered: Gathered | undefined;
  #waiting: AbortController | undefined;
  #pushing: Promise<void> = Promise.resolve();

  constructor(parts: PushDebouncerParts) {
    this.#parts = parts;
  }

  add(request: PushRequest): void {
    this.#gathered = gather(this.#gathered, request, this.#parts.clock.now());
    this.#waiting ??= this.#wait();
  }

  /** Pushes what was gathered without waiting for quiet; resolves when it and every push before it is done. */
  async flush(): Promise<void> {
    this.#waiting?.abort();
    this.#pushGathered();
    await this.#pushing;
  }

  #wait(): AbortController {
    const waiting = new AbortController();
    void this.#untilDue(waiting.signal).then(() => {
      if (!waiting.signal.aborted) this.#pushGathered();
    });
    return waiting;
  }

  async #untilDue(signal: AbortSignal): Promise<void> {
    const { clock, settings } = this.#parts;
    while (this.#gathered !== undefined && !signal.aborted) {
      const wait = dueMs(this.#gathered, settings) - clock.now();
      if (wait <= 0) return;
      await clock.delay(wait, signal);
    }
  }

  #pushGathered(): void {
    this.#waiting = undefined;
    const gathered = this.#gathered;
    if (gathered === undefined) return;
    this.#gathered = undefined;
    this.#pushing = this.#pushing.then(() => this.#push(gathered.request));
  }

  async #push(request: PushRequest): Promise<void> {
    try {
      await this.#parts.push(request);
    } catch (error) {
      this.#parts.log.error('Push failed, gathered again', { pushId: request.pushId, ...describeError(error) });
      this.add(request);
    }
  }
}
