import type { ConversionRules } from '../../lib/registries/consul/conversion-rules';
import type { Instance, InstanceNode } from '../../lib/registries/consul/instance';

export type InstanceChange = Partial<Omit<Instance, 'node'>> & { readonly node?: Partial<InstanceNode> };

/** `web-1` on node `m1`, 10.0.0.1:80, without tags, meta and checks; and what a test changes of it. */
export function consulInstance(change: InstanceChange = {}): Instance {
  return {
    id: 'web-1',
    serviceName: 'web',
    address: '',
    taggedAddresses: {},
    port: 80,
    socketPath: '',
    tags: [],
    meta: {},
    weights: { passing: 1, warning: 1 },
    checks: [],
    modifyIndex: 10,
    ...change,
    node: {
      name: 'm1',
      address: '10.0.0.1',
      datacenter: 'dc1',
      meta: {},
      taggedAddresses: {},
      modifyIndex: 5,
      ...change.node,
    },
  };
}

export const CONVERSION_RULES: ConversionRules = {
  registry: 'Consul/dc1',
  namespace: 'default',
  hostname: 'service',
  domain: 'consul',
  publishUnhealthy: false,
};
