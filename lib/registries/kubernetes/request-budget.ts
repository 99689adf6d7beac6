import type { Clock } from '../../runtime/clock';

export type Budget = {
  /** Requests under way at once; watches, which wait for the server, do not count. */
  readonly maxConcurrency: number;
  /** Requests that may be begun in a second, one second's worth of them at once. */
  readonly requestsPerSecond: number;
};

/** Keeps a registry from being asked more than was agreed (prometheus 2028, istio 10207: pollers that killed their source). */
export class RequestBudget {
  readonly #budget: Budget;
  readonly #clock: Clock;
  /** Start of the earliest second that has room: each request moves it on by its share. */
  #paidUntil = 0;
  #underWay = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(budget: Budget, clock: Clock) {
    this.#budget = budget;
    this.#clock = clock;
  }

  /** Waits until the request may begin. Ends early when the signal aborts. */
  async begin(signal: AbortSignal): Promise<void> {
    const share = 1_000 / this.#budget.requestsPerSecond;
    const now = this.#clock.now();
    this.#paidUntil = Math.max(this.#paidUntil, now - 1_000) + share;
    if (this.#paidUntil > now) await this.#clock.delay(this.#paidUntil - now, signal);
  }

  /** Runs the request when fewer than `maxConcurrency` are under way and the rate allows it. */
  async run<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    while (this.#underWay >= this.#budget.maxConcurrency) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#underWay += 1;
    try {
      await this.begin(signal);
      return await request();
    } finally {
      this.#underWay -= 1;
      this.#waiting.shift()?.();
    }
  }
}
