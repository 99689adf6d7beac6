import { InvalidValueError } from './app-error';

/** `namespace/hostname`: the identity of a service everywhere, e.g. `shop/cart.shop.svc.cluster.local`. */
export type ServiceKey = `${string}/${string}`;

/**
 * The spelling of a host name in keys and entries: lower case, one trailing dot removed. A wildcard first label stays.
 * Istio keeps three spellings of one DNS name as three hosts; DNS does not (RFC 4343).
 */
export function canonicalHostname(hostname: string): string {
  const lower = hostname.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** @throws InvalidValueError when the namespace is empty or holds a `/`, or the host name is empty. */
export function makeServiceKey(namespace: string, hostname: string): ServiceKey {
  const host = canonicalHostname(hostname);
  if (namespace === '' || namespace.includes('/') || host === '') {
    throw new InvalidValueError(
      `No service key of namespace ${JSON.stringify(namespace)} and host name ${JSON.stringify(hostname)}: both must be set, the namespace without "/"`,
    );
  }
  return `${namespace}/${host}`;
}

/** Splits at the first `/` (host names hold none in practice, unix-like ones may). @throws InvalidValueError otherwise. */
export function parseServiceKey(text: string): {
  readonly key: ServiceKey;
  readonly namespace: string;
  readonly hostname: string;
} {
  const slash = text.indexOf('/');
  const namespace = text.slice(0, Math.max(slash, 0));
  const hostname = canonicalHostname(text.slice(slash + 1));
  return { key: makeServiceKey(namespace, hostname), namespace, hostname };
}
