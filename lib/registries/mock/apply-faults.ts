import { AppError } from '../../model/app-error';
import { makeEndpoint, type Endpoint } from '../../model/endpoint';
import type { Unreadable } from '../../model/registry-row';
import type { MockService } from './mock-services';
import { seededRandom, shuffled } from './seeded-random';
import type { Fault } from './settings';

/** What a reading of the mock registry gives, with everything that went wrong. */
export type FaultyReading = {
  readonly services: readonly MockService[];
  readonly unreadable: readonly Unreadable[];
  /** How long the reading takes, in milliseconds. */
  readonly delayMs: number;
};

const DEFAULT_SEED = 1;

/** The source of a service in the mock registry. */
export function sourceOf({ service }: MockService): string {
  return `services/${service.namespace}/${service.name}`;
}

/** The faults that act in the reading of that number, from 1 on. */
export function faultsOf(faults: readonly Fault[], reading: number): readonly Fault[] {
  return faults.filter(({ from = 1, until = Infinity }) => reading >= from && reading <= until);
}

/**
 * What goes wrong in the reading of that number, fault by fault in their order. Equal faults, seeds and numbers always give
 * the same.
 *
 * @throws AppError `MockError`, transient, when the reading fails.
 */
export function applyFaults(
  services: readonly MockService[],
  faults: readonly Fault[],
  reading: number,
): FaultyReading {
  const whole: FaultyReading = { services, unreadable: [], delayMs: 0 };
  return faultsOf(faults, reading).reduce((before, fault) => applyFault(before, fault, reading), whole);
}

function applyFault(before: FaultyReading, fault: Fault, reading: number): FaultyReading {
  const seed = fault.seed ?? DEFAULT_SEED;
  const random = seededRandom(seed, reading);
  const { services } = before;
  switch (fault.type) {
    case 'churn':
      return { ...before, services: churned(services, fault.share, reading - (fault.from ?? 1), seed) };
    case 'flap':
      return { ...before, services: flapped(services, fault.share, reading - (fault.from ?? 1), seed) };
    case 'latency':
      return { ...before, delayMs: before.delayMs + Math.round(fault.delay * random()) };
    case 'error':
      if (random() < fault.rate) throw readingFails(reading);
      return before;
    case 'empty':
      return { ...before, services: [] };
    case 'truncate':
      return { ...before, services: services.filter(() => random() >= fault.share) };
    case 'partial':
      return withoutUnreadable(before, () => random() < fault.share);
    case 'reorder':
      return { ...before, services: reordered(services, random) };
  }
}

function readingFails(reading: number): AppError {
  return new AppError(`Reading ${reading} of the mock registry fails, as its faults say`, {
    code: 'MockError',
    transient: true,
  });
}

/**
 * In each reading that share of the endpoints is replaced by others. Each endpoint has a phase of its own, so that how
 * often it was replaced follows from the number of the reading alone.
 */
function churned(
  services: readonly MockService[],
  share: number,
  elapsed: number,
  seed: number,
): readonly MockService[] {
  const random = seededRandom(seed);
  return mapEndpoints(services, (endpoint) => {
    const generation = Math.floor((elapsed + 1) * share + random());
    return [generation === 0 ? endpoint : replaced(endpoint, generation)];
  });
}

/** Another workload in place of an endpoint; the address differs from that of every other endpoint and generation. */
function replaced(endpoint: Endpoint, generation: number): Endpoint {
  const [address = '', ...others] = endpoint.addresses;
  const rest = address.slice(address.indexOf('.'));
  return makeEndpoint({
    ...endpoint,
    addresses: [`${100 + (generation % 100)}${rest}`, ...others],
    workload: { ...endpoint.workload, name: `${endpoint.workload.name}-r${generation}` },
  });
}

/** That share of the endpoints, always the same ones, is gone in every other reading, the first one included. */
function flapped(
  services: readonly MockService[],
  share: number,
  elapsed: number,
  seed: number,
): readonly MockService[] {
  const random = seededRandom(seed);
  return mapEndpoints(services, (endpoint) => (random() < share && elapsed % 2 === 0 ? [] : [endpoint]));
}

function mapEndpoints(
  services: readonly MockService[],
  change: (endpoint: Endpoint) => readonly Endpoint[],
): readonly MockService[] {
  return services.map(({ service, endpoints }) => ({ service, endpoints: endpoints.flatMap(change) }));
}

function withoutUnreadable(before: FaultyReading, isUnreadable: () => boolean): FaultyReading {
  const judged = before.services.map((service) => ({ service, unreadable: isUnreadable() }));
  const unreadable = judged
    .filter((judgement) => judgement.unreadable)
    .map(({ service }) => ({
      source: sourceOf(service),
      reason: 'unreadable, as the faults of the mock registry say',
    }));
  return {
    ...before,
    services: judged.filter((judgement) => !judgement.unreadable).map(({ service }) => service),
    unreadable: [...before.unreadable, ...unreadable],
  };
}

function reordered(services: readonly MockService[], random: () => number): readonly MockService[] {
  return shuffled(services, random).map(({ service, endpoints }) => ({
    service,
    endpoints: shuffled(endpoints, random),
  }));
}
