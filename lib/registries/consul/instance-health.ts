import type { Health } from '../../model/endpoint';
import type { Check, Instance } from './instance';

/** The checks of an instance taken together; the order is from best to worst. */
export const CHECK_STATES = ['passing', 'warning', 'critical'] as const;

export type CheckState = (typeof CHECK_STATES)[number];

export type InstanceHealth = { readonly state: CheckState; readonly health: Health; readonly weight: number };

/**
 * The worst of its own and its node's checks; none is passing. Maintenance (a check of a reserved name) and a status that
 * Consul does not define count as critical. The weight is that of the state; weight 0 takes no traffic, so it is unhealthy
 * like a critical instance (Consul `agent/structs/structs.go`, Weights; `agent/dns.go`).
 */
export function healthOf(instance: Instance): InstanceHealth {
  const state = worst(instance.checks.map(stateOf));
  const weight = state === 'warning' ? instance.weights.warning : instance.weights.passing;
  return { state, weight, health: state === 'critical' || weight <= 0 ? 'UnHealthy' : 'Healthy' };
}

/** Negative when `a` is the healthier one: it takes traffic, then the better state. */
export function compareHealth(a: InstanceHealth, b: InstanceHealth): number {
  return rank(a) - rank(b);
}

function rank(health: InstanceHealth): number {
  const unhealthy = health.health === 'Healthy' ? 0 : CHECK_STATES.length;
  return unhealthy + CHECK_STATES.indexOf(health.state);
}

function worst(states: readonly CheckState[]): CheckState {
  return CHECK_STATES.findLast((state) => states.includes(state)) ?? 'passing';
}

function stateOf(check: Check): CheckState {
  if (isMaintenance(check)) return 'critical';
  return CHECK_STATES.find((state) => state === check.status) ?? 'critical';
}

/** The names of the checks that `consul maint` registers (Consul `api/health.go`, NodeMaint and ServiceMaintPrefix). */
function isMaintenance(check: Check): boolean {
  return check.id === '_node_maintenance' || check.id.startsWith('_service_maintenance:');
}
