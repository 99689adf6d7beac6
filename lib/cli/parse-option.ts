import { InvalidArgumentError } from 'commander';
import { formatDuration, parseDuration } from '../model/duration';

/** Limits in milliseconds. */
export type DurationRange = { readonly min: number; readonly max: number };

/** Parser of a duration option. @throws InvalidArgumentError that says what is allowed. */
export function durationOption({ min, max }: DurationRange): (text: string) => number {
  return (text) => {
    const ms = parseDuration(text);
    if (ms !== undefined && ms >= min && ms <= max) return ms;
    throw new InvalidArgumentError(
      `Allowed: ${formatDuration(min)} to ${formatDuration(max)}, written like 100ms, 5s, 15m or 1h.`,
    );
  };
}

/** Parser of a whole number option. @throws InvalidArgumentError that says what is allowed. */
export function countOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (/^\d+$/.test(text) && count >= min && count <= max) return count;
    throw new InvalidArgumentError(`Allowed: whole numbers from ${min} to ${max}.`);
  };
}

/** A comma-separated list without empty members. @throws InvalidArgumentError when there is none. */
export function listOption(text: string): readonly string[] {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.length === 0) throw new InvalidArgumentError('Allowed: names separated by commas.');
  return items;
}
