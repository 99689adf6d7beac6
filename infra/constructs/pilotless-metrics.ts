import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { RegistryId } from '../../lib/model/registry-id';
import {
  INSTALLATION_DIMENSION,
  METRIC_NAMESPACE,
  REGISTRY_DIMENSION,
  type RegistryMetricName,
  type StageMetricName,
} from '../../lib/runtime/metric-names';

/** A metric of a stage of the installation, summed by the minute unless the options say otherwise. */
export function stageMetric(installation: string, name: StageMetricName, options: MetricOptions = {}): Metric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName: name,
    dimensionsMap: { [INSTALLATION_DIMENSION]: installation },
    statistic: 'Sum',
    period: Duration.minutes(1),
    ...options,
  });
}

/** A metric of one registry, its highest of the minute unless the options say otherwise. */
export function registryMetric(
  installation: string,
  registry: RegistryId,
  name: RegistryMetricName,
  options: MetricOptions = {},
): Metric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName: name,
    dimensionsMap: { [INSTALLATION_DIMENSION]: installation, [REGISTRY_DIMENSION]: registry },
    statistic: 'Maximum',
    period: Duration.minutes(1),
    ...options,
  });
}
