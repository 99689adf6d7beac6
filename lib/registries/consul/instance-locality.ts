import type { Instance } from './instance';

/**
 * `<region>/<zone>` from the meta `region` and `zone` of the service, else of its node; without a region the datacenter,
 * as Istio 1.7 did (`consul/conversion.go`).
 */
export function instanceLocality(instance: Pick<Instance, 'meta' | 'node'>): string {
  const meta = [instance.meta, instance.node.meta].find(({ region = '' }) => region !== '');
  if (meta === undefined) return instance.node.datacenter;
  const { region = '', zone = '' } = meta;
  return zone === '' ? region : `${region}/${zone}`;
}
