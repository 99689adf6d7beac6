// Every metric of the product, shared by the functions that emit and the alarms that watch. Import-free.

/** CloudWatch namespace of them all. */
export const METRIC_NAMESPACE = 'Pilotless';

/** Dimension that tells installations apart; its value is the name of the stack. Powertools calls it so. */
export const INSTALLATION_DIMENSION = 'service';

/** Dimension of the registries' metrics, beside the installation. */
export const REGISTRY_DIMENSION = 'registry';

/** Those with the dimension `registry`, five at most: each costs 0.30 $ a registry and month. */
export const REGISTRY_METRICS = ['Services', 'Endpoints', 'Requests', 'HeldRemovals', 'ReadingAgeSeconds'] as const;

export const STAGE_METRICS = [
  'PollInvocations',
  'PollFailures',
  'PollRuns',
  'PollDurationMs',
  'SnapshotWrites',
  'AggregateRuns',
  'AggregateFailures',
  'CatalogWrites',
  'Conflicts',
  'PublishRuns',
  'PublishFailures',
  'ChangesPublished',
  'PropagationSeconds',
  'PushRuns',
  'PushFailures',
  'PushesRequested',
  'ReconcileRuns',
  'ReconcileFailures',
  'KeysRepaired',
  'ItemsTooLarge',
] as const;

export type RegistryMetricName = (typeof REGISTRY_METRICS)[number];
export type StageMetricName = (typeof STAGE_METRICS)[number];
export type MetricName = RegistryMetricName | StageMetricName;
