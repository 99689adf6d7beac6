// What the published package gives, as `pilotless/catalog`, to who reads the catalog or takes events. This file and
// `infra/public-face.ts`, which is for CDK apps, are the only ones that re-export what stands elsewhere.
export {
  EVENT_SOURCE,
  isServiceChange,
  PUSH_EVENT_TYPE,
  REGISTRY_EVENT_TYPES,
  SERVICE_CHANGE_TYPES,
  type EventType,
  type PilotlessEvent,
  type PushRequestedEvent,
  type RegistryEvent,
  type RegistryEventType,
  type ServiceChangeDetail,
  type ServiceChangeEvent,
  type ServiceChangeType,
} from './changes/pilotless-event';
export { EVENT_SCHEMAS } from './changes/event-schemas';
export type { ChangeRecord } from './changes/change-store';
export { CatalogClient, viewHash, type CatalogClientParts, type ChangeQuery } from './discovery/catalog-client';
export type { Answer, Completeness, RegistryFreshness } from './discovery/completeness';
export { openCatalog, type CatalogTables } from './discovery/dynamodb-catalog-client';
export type { ServiceDiscovery } from './discovery/service-discovery';
export { AppError } from './model/app-error';
export { isDeleted, type CatalogEntry, type CatalogRecord } from './model/catalog-entry';
export type { RegistryRow } from './model/registry-row';
export { makeServiceKey, parseServiceKey, type ServiceKey } from './model/service-key';
export type { ServiceInstance } from './model/service-instance';
export type { ConfigKey, PushRequest } from './push/push-request';
