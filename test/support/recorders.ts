import type { RegistryId } from '../../lib/model/registry-id';
import type { Log, LogFacts } from '../../lib/runtime/log';
import type { RegistryMetricName, StageMetricName } from '../../lib/runtime/metric-names';
import type { Metrics } from '../../lib/runtime/metrics';

export type LogLine = { readonly level: keyof Log; readonly message: string; readonly facts: LogFacts };

/** A log that keeps its lines. */
export class RecordingLog implements Log {
  readonly lines: LogLine[] = [];

  debug(message: string, facts: LogFacts = {}): void {
    this.lines.push({ level: 'debug', message, facts });
  }

  info(message: string, facts: LogFacts = {}): void {
    this.lines.push({ level: 'info', message, facts });
  }

  warn(message: string, facts: LogFacts = {}): void {
    this.lines.push({ level: 'warn', message, facts });
  }

  error(message: string, facts: LogFacts = {}): void {
    this.lines.push({ level: 'error', message, facts });
  }

  /** The facts of the lines of one level, with their message. */
  of(level: keyof Log): readonly LogFacts[] {
    return this.lines.filter((line) => line.level === level).map(({ message, facts }) => ({ message, ...facts }));
  }
}

/** Metrics that keep every value. */
export class RecordingMetrics implements Metrics {
  readonly #values = new Map<string, number[]>();

  add(name: StageMetricName, value: number): void {
    this.#record(name, value);
  }

  addOfRegistry(registry: RegistryId, name: RegistryMetricName, value: number): void {
    this.#record(`${registry} ${name}`, value);
  }

  /** All values of a stage's metric (`Name`) or of a registry's (`registry Name`), in order; empty when it was never emitted. */
  values(name: string): readonly number[] {
    return this.#values.get(name) ?? [];
  }

  #record(name: string, value: number): void {
    this.#values.set(name, [...this.values(name), value]);
  }
}
