import { compareText } from '../model/compare';
import { TRIGGER_REASONS, type ConfigKey, type PushRequest } from './push-request';

/** From here on a request says `all` instead of naming what changed. */
export const MAX_CONFIG_KEYS = 500;

/**
 * Bytes that the named keys of one request may take as JSON: with the rest of its event they stay below 64 KB, what
 * EventBridge bills as one event.
 */
export const MAX_CONFIG_BYTES = 60 * 1024;

/**
 * One request for what several ask for (Istio `PushRequest.Merge`, but that "everything" is said by `all` and never by an
 * empty set). Associative, commutative and idempotent but for the counts of reasons: `full` and `all` by OR, keys by union,
 * a `ServiceEntry` key absorbing the `Endpoints` key of the same service, the earliest start. The id is that of the
 * request that started first, of two that started together the smaller one.
 */
export function mergePushRequests(first: PushRequest, ...others: readonly PushRequest[]): PushRequest {
  const requests = [first, ...others];
  const keys = unitedKeys(requests);
  const all = requests.some((request) => request.all) || !fits(keys);
  const earliest = requests.reduce((a, b) => (compareStart(b, a) < 0 ? b : a));
  return {
    full: requests.some((request) => request.full),
    all,
    configsUpdated: all ? [] : keys,
    reason: addedReasons(requests),
    start: earliest.start,
    pushId: earliest.pushId,
  };
}

function unitedKeys(requests: readonly PushRequest[]): readonly ConfigKey[] {
  const byService = new Map<string, ConfigKey>();
  for (const key of requests.flatMap((request) => request.configsUpdated)) {
    const service = `${key.namespace}/${key.name}`;
    if (byService.get(service)?.kind !== 'ServiceEntry') byService.set(service, key);
  }
  return [...byService.values()].sort(compareKeys);
}

function compareKeys(a: ConfigKey, b: ConfigKey): number {
  return compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
}

function compareStart(a: PushRequest, b: PushRequest): number {
  return compareText(a.start, b.start) || compareText(a.pushId, b.pushId);
}

function fits(keys: readonly ConfigKey[]): boolean {
  return keys.length <= MAX_CONFIG_KEYS && Buffer.byteLength(JSON.stringify(keys)) <= MAX_CONFIG_BYTES;
}

function addedReasons(requests: readonly PushRequest[]): PushRequest['reason'] {
  const counted = TRIGGER_REASONS.map((reason) => {
    const count = requests.reduce((sum, request) => sum + (request.reason[reason] ?? 0), 0);
    return [reason, count] as const;
  });
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}
