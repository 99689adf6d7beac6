import type { ServiceId } from './group-services';

/** The list of services; every snapshot depends on it. */
export const CATALOG_SOURCE = 'catalog/services';

/** The lists that only tell a watch what to read again; no snapshot depends on them. */
export const CHECKS_SOURCE = 'health/state';
export const NODES_SOURCE = 'catalog/nodes';

/** The instances of one service. */
export function serviceSource(id: ServiceId): string {
  return `service/${id}`;
}
