import type { ConversionRules } from './conversion-rules';
import type { ServiceId } from './group-services';

/**
 * The name that Consul's own DNS gives the service: `<service>.service[.<datacenter>].<domain>`
 * (Istio 1.7 `pilot/pkg/serviceregistry/consul/conversion.go`, serviceHostname, always used the short one).
 */
export function serviceHostname(
  id: ServiceId,
  datacenter: string,
  rules: Pick<ConversionRules, 'hostname' | 'domain'>,
): string {
  switch (rules.hostname) {
    case 'service':
      return `${id}.service.${rules.domain}`;
    case 'datacenter':
      return `${id}.service.${datacenter}.${rules.domain}`;
  }
}
