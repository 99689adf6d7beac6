import type { RegistryId } from '../model/registry-id';
import type { MetricName, RegistryMetricName, StageMetricName } from './metric-names';
import type { Metrics } from './metrics';

/** Metrics kept in this process: how often each was emitted, the sum and the last value. */
export class MemoryMetrics implements Metrics {
  readonly #values = new Map<string, { readonly count: number; readonly sum: number; readonly last: number }>();

  add(name: StageMetricName, value: number): void {
    this.#add(name, value);
  }

  addOfRegistry(registry: RegistryId, name: RegistryMetricName, value: number): void {
    this.#add(`${registry} ${name}`, value);
  }

  /** Sum of all values; `undefined` when the metric was never emitted (which is not zero). */
  sum(name: MetricName, registry?: RegistryId): number | undefined {
    return this.#values.get(registry === undefined ? name : `${registry} ${name}`)?.sum;
  }

  /** The last value; `undefined` when the metric was never emitted. */
  last(name: MetricName, registry?: RegistryId): number | undefined {
    return this.#values.get(registry === undefined ? name : `${registry} ${name}`)?.last;
  }

  #add(name: string, value: number): void {
    const before = this.#values.get(name) ?? { count: 0, sum: 0 };
    this.#values.set(name, { count: before.count + 1, sum: before.sum + value, last: value });
  }
}
