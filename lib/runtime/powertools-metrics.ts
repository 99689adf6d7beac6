import { Metrics as EmbeddedMetrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { MetricUnit as Unit } from '@aws-lambda-powertools/metrics/types';
import type { RegistryId } from '../model/registry-id';
import {
  METRIC_NAMESPACE,
  REGISTRY_DIMENSION,
  type MetricName,
  type RegistryMetricName,
  type StageMetricName,
} from './metric-names';
import type { Metrics } from './metrics';

/**
 * How long values are gathered into one line of the log. CloudWatch keeps custom metrics by the minute, so a run of many
 * minutes has to write at least that often; each line is paid for.
 */
const GATHER_MS = 30_000;

/**
 * Measurements in CloudWatch's embedded metric format: lines of the log that cost no call. `POWERTOOLS_SERVICE_NAME`
 * becomes the dimension that tells installations apart.
 */
export class PowertoolsMetrics implements Metrics {
  readonly #now: () => number;
  readonly #ofStage = new EmbeddedMetrics({ namespace: METRIC_NAMESPACE });
  readonly #ofRegistry = new Map<RegistryId, EmbeddedMetrics>();
  #gatheredSince: number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#gatheredSince = now();
  }

  add(name: StageMetricName, value: number): void {
    this.#ofStage.addMetric(name, unitOf(name), value);
    this.#flushWhenDue();
  }

  addOfRegistry(registry: RegistryId, name: RegistryMetricName, value: number): void {
    this.#metricsOf(registry).addMetric(name, unitOf(name), value);
    this.#flushWhenDue();
  }

  /** Writes what was gathered. Called at the end of each invocation. */
  flush(): void {
    this.#gatheredSince = this.#now();
    for (const metrics of [this.#ofStage, ...this.#ofRegistry.values()]) {
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    }
  }

  #flushWhenDue(): void {
    if (this.#now() - this.#gatheredSince >= GATHER_MS) this.flush();
  }

  #metricsOf(registry: RegistryId): EmbeddedMetrics {
    const known = this.#ofRegistry.get(registry);
    if (known !== undefined) return known;
    const metrics = new EmbeddedMetrics({
      namespace: METRIC_NAMESPACE,
      defaultDimensions: { [REGISTRY_DIMENSION]: registry },
    });
    this.#ofRegistry.set(registry, metrics);
    return metrics;
  }
}

function unitOf(name: MetricName): Unit {
  if (name.endsWith('Seconds')) return MetricUnit.Seconds;
  return name.endsWith('Ms') ? MetricUnit.Milliseconds : MetricUnit.Count;
}
