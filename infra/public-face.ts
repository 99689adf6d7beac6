// What the published package gives to another CDK app. This file and `lib/public-face.ts`, which needs no CDK, are the only
// ones that re-export what stands elsewhere.
export type { Configuration, RegistryConfiguration } from '../lib/bootstrap/configuration';
export type { ParsedConfiguration } from '../lib/bootstrap/parse-configuration';
export type { ServiceChangeType } from '../lib/changes/pilotless-event';
export { AppError } from '../lib/model/app-error';
export type { RegistryId } from '../lib/model/registry-id';
export type { RegistryMetricName, StageMetricName } from '../lib/runtime/metric-names';
export { ALARM_TITLES, type AlarmTitle } from './constructs/alarm-titles';
export type { RegistryOptions } from './constructs/installation';
export { Pilotless, type ServiceChangeOptions } from './constructs/pilotless';
export type { PilotlessProps } from './constructs/pilotless-props';
export type { RegistryAccess } from './constructs/registry-poller';
export { eventPatternOf, type ServiceChangePattern } from './constructs/service-change-pattern';
export { PilotlessStack, type PilotlessStackProps } from './pilotless-stack';
export type { AccessContext, DeployedProvider } from './providers/deployed-provider';
export { DEPLOYED_PROVIDERS } from './providers/deployed-providers';
export { readConfiguration } from './read-configuration';
