/**
 * Every metric of the product, shared by the functions that emit and the alarms that watch. Import-free.
 * Those of `REGISTRY_METRICS` carry the dimension `registry` (five at most: each costs 0.30 $ a registry and month).
 */
export const REGISTRY_METRICS = ['Services', 'Endpoints', 'Requests', 'HeldRemovals', 'ReadingAgeSeconds'] as const;

export const STAGE_METRICS = [
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
