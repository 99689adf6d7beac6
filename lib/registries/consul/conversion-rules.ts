import type { RegistryId } from '../../model/registry-id';

/** The settings that decide how Consul's services become ours. */
export type ConversionRules = {
  readonly registry: RegistryId;
  /** Consul's namespace (Enterprise), or `default`. */
  readonly namespace: string;
  /** `service`: `<name>.service.<domain>`; `datacenter`: `<name>.service.<datacenter>.<domain>`. */
  readonly hostname: 'service' | 'datacenter';
  /** Consul's DNS domain, `consul` unless the agents were told otherwise. */
  readonly domain: string;
  /** The one port that clients see of each service; absent: the ports of the instances. */
  readonly servicePort?: number;
  /** Which tagged address is used, e.g. `wan`; absent: the plain one. */
  readonly addressTag?: string;
  /** Whether endpoints that are not healthy are part of a snapshot. */
  readonly publishUnhealthy: boolean;
};
