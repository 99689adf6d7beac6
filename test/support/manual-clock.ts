import type { Clock } from '../../lib/runtime/clock';

/** A clock that stands still until a test, or a `delay`, moves it. Delays pass at once and are recorded. */
export class ManualClock implements Clock {
  readonly delays: number[] = [];
  #now: number;

  constructor(start: string | number = '2026-11-30T12:00:00.000Z') {
    this.#now = typeof start === 'number' ? start : Date.parse(start);
  }

  now(): number {
    return this.#now;
  }

  iso(): string {
    return new Date(this.#now).toISOString();
  }

  set(isoTime: string): void {
    this.#now = Date.parse(isoTime);
  }

  advance(ms: number): void {
    this.#now += ms;
  }

  delay(ms: number): Promise<void> {
    this.delays.push(ms);
    this.#now += ms;
    return Promise.resolve();
  }
}
