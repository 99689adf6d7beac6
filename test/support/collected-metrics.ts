import type { RegistryId } from '../../lib/model/registry-id';
import type { MetricName, RegistryMetricName, StageMetricName } from '../../lib/runtime/metric-names';
import type { Metrics } from '../../lib/runtime/metrics';

/** Metrics that keep every value. */
export class CollectedMetrics implements Metrics {
  readonly #values = new Map<MetricName, number[]>();

  add(name: StageMetricName, value: number): void {
    this.#put(name, value);
  }

  addOfRegistry(_registry: RegistryId, name: RegistryMetricName, value: number): void {
    this.#put(name, value);
  }

  /** All values of a metric, in order. */
  of(name: MetricName): readonly number[] {
    return this.#values.get(name) ?? [];
  }

  /** The newest value of each metric. */
  get newest(): Readonly<Partial<Record<MetricName, number>>> {
    return Object.fromEntries([...this.#values].map(([name, values]) => [name, values.at(-1)]));
  }

  #put(name: MetricName, value: number): void {
    const values = this.#values.get(name);
    if (values === undefined) this.#values.set(name, [value]);
    else values.push(value);
  }
}
