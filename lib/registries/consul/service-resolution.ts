import type { Resolution } from '../../model/service';
import type { Instance } from './instance';
import type { Located } from './instance-address';

/** Meta `external`, neither empty nor `false`, on any instance: the service runs outside the mesh. */
export function isExternal(instances: readonly Instance[]): boolean {
  return instances.some(({ meta: { external = '' } }) => external !== '' && external.toLowerCase() !== 'false');
}

/**
 * How clients get to the instances: DNS as soon as one has a host name for an address, since the other kinds cannot carry
 * it and it would vanish; Passthrough for external services (Istio 1.7 `consul/conversion.go`); else ClientSideLB.
 */
export function serviceResolution(located: readonly Located[], external: boolean): Resolution {
  if (located.some(({ location }) => location.kind === 'name')) return 'DNSLB';
  return external ? 'Passthrough' : 'ClientSideLB';
}
