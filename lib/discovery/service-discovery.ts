import type { CatalogEntry } from '../model/catalog-entry';
import type { ServiceInstance } from '../model/service-instance';
import type { ServiceKey } from '../model/service-key';
import type { Answer } from './completeness';

/** Reading the merged view, as Istio's `model.ServiceDiscovery` does; every answer says how complete it is. */
export interface ServiceDiscovery {
  /** Every service, by key. */
  services(): Promise<Answer<readonly CatalogEntry[]>>;
  getService(key: ServiceKey): Promise<Answer<CatalogEntry | undefined>>;
  /** The instances behind one port of a service; none when the service or the port is not known. */
  instancesByPort(key: ServiceKey, portNumber: number): Promise<Answer<readonly ServiceInstance[]>>;
  /** SPIFFE identities that the service's workloads may run as, sorted. */
  getServiceAccounts(key: ServiceKey): Promise<Answer<readonly string[]>>;
  /** Whether every registry has had its first good reading. Before that, absence means nothing. */
  hasSynced(): Promise<boolean>;
}
