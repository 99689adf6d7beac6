import type { ServiceEntry } from '../external/entries';

const PREFIX = 'synthetic-';

/**
 * The name of the Kubernetes service that istiod shows as this entry; `undefined` for an entry that somebody wrote. Going
 * by the name alone would lose entries that are called so: the host has to be that of the service as well
 * (istio serviceentry/conversion.go, ServiceToServiceEntry).
 */
export function syntheticService({ name, namespace, spec }: ServiceEntry): string | undefined {
  if (!name.startsWith(PREFIX)) return undefined;
  const service = name.slice(PREFIX.length);
  const [host = '', ...others] = spec.hosts;
  return others.length === 0 && host.startsWith(`${service}.${namespace}.svc.`) ? service : undefined;
}
