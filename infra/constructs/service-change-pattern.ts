import type { EventPattern } from 'aws-cdk-lib/aws-events';
import { EVENT_SOURCE, SERVICE_CHANGE_TYPES, type ServiceChangeType } from '../../lib/changes/pilotless-event';

/** Which changes of services a consumer wants. Everything that is given has to match; what is absent matches all. */
export interface ServiceChangePattern {
  /** @default all four */
  readonly types?: readonly ServiceChangeType[];

  /** @default services of all namespaces */
  readonly namespaces?: readonly string[];

  /**
   * Host names in lower case. `*` stands for any characters: `*.shop.svc.cluster.local`.
   *
   * @default services of all host names
   */
  readonly hostnames?: readonly string[];

  /**
   * Whether configuration other than endpoints changes.
   *
   * @default both kinds of change
   */
  readonly push?: 'full' | 'incremental';
}

/** The EventBridge pattern of such changes. */
export function eventPatternOf(pattern: ServiceChangePattern = {}): EventPattern {
  const service = {
    ...(pattern.namespaces === undefined ? {} : { namespace: [...pattern.namespaces] }),
    ...(pattern.hostnames === undefined ? {} : { hostname: pattern.hostnames.map((wildcard) => ({ wildcard })) }),
  };
  const detail = {
    ...(Object.keys(service).length === 0 ? {} : { service }),
    ...(pattern.push === undefined ? {} : { change: { push: [pattern.push] } }),
  };
  return {
    source: [EVENT_SOURCE],
    detailType: [...(pattern.types ?? SERVICE_CHANGE_TYPES)],
    ...(Object.keys(detail).length === 0 ? {} : { detail }),
  };
}
