import type { RegistryId } from '../model/registry-id';
import type { RegistryMetricName, StageMetricName } from './metric-names';

/** Where measurements go. Zeros are emitted: absent and zero are different things. */
export interface Metrics {
  /** Adds one value of a stage's metric. */
  add(name: StageMetricName, value: number): void;
  /** Adds one value of a registry's metric. */
  addOfRegistry(registry: RegistryId, name: RegistryMetricName, value: number): void;
}
