import type { Clock } from '../runtime/clock';

export type BudgetLimits = {
  /** Requests that may be under way at once. */
  readonly maxConcurrency: number;
  /** Requests that may start in a second; up to a second's worth at once after a pause. */
  readonly requestsPerSecond: number;
};

/** What a registry may be asked: a token bucket for the rate, and places for what is under way. First come, first served. */
export class RequestBudget {
  readonly #limits: BudgetLimits;
  readonly #clock: Clock;
  readonly #queue: (() => void)[] = [];
  #underWay = 0;
  #tokens: number;
  #filledAt: number;
  #turn: Promise<void> = Promise.resolve();

  constructor(limits: BudgetLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#tokens = this.#capacity();
    this.#filledAt = clock.now();
  }

  /** Runs the request as soon as both limits allow. @throws what it throws, or the signal's reason. */
  async run<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    await this.#place();
    try {
      await this.rate(signal);
      return await request();
    } finally {
      this.#leavePlace();
    }
  }

  /** Waits for the rate alone: for requests that mostly wait at the server and take no place. @throws the signal's reason. */
  async rate(signal: AbortSignal): Promise<void> {
    const before = this.#turn;
    const mine = before.then(() => this.#takeToken(signal));
    this.#turn = mine;
    await mine;
    signal.throwIfAborted();
  }

  async #place(): Promise<void> {
    if (this.#underWay < this.#limits.maxConcurrency) this.#underWay += 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
  }

  /** A place goes straight to who waits longest, so that nobody slips in between. */
  #leavePlace(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#underWay -= 1;
    else next();
  }

  async #takeToken(signal: AbortSignal): Promise<void> {
    this.#refill();
    if (this.#tokens < 1) {
      await this.#clock.delay(Math.ceil(((1 - this.#tokens) * 1000) / this.#limits.requestsPerSecond), signal);
      this.#refill();
    }
    if (!signal.aborted) this.#tokens -= 1;
  }

  #refill(): void {
    const now = this.#clock.now();
    const earned = (Math.max(now - this.#filledAt, 0) * this.#limits.requestsPerSecond) / 1000;
    this.#tokens = Math.min(this.#tokens + earned, this.#capacity());
    this.#filledAt = now;
  }

  #capacity(): number {
    return Math.max(this.#limits.requestsPerSecond, 1);
  }
}
