import type { CatalogStore } from '../catalog/catalog-store';
import { AppError } from '../model/app-error';
import { failedKey, isFailed, type FailedKey } from '../model/key-outcome';
import type { ServiceKey } from '../model/service-key';
import { VersionConflictError } from '../model/store-errors';
import type { Clock } from '../runtime/clock';
import type { Log } from '../runtime/log';
import type { Metrics } from '../runtime/metrics';
import { eachApart, settleKeys, type Apart } from '../runtime/settle-keys';
import type { ChangeRecord, ChangeStore } from './change-store';
import type { EventPublisher, PublishFailure } from './event-publisher';
import type { ServiceChangeType } from './pilotless-event';
import { planPublication, recordAfter, type Publication } from './plan-publication';
import type { PublishedStore } from './published-store';

export type PublicationPorts = {
  readonly catalog: Pick<CatalogStore, 'get'>;
  readonly published: Pick<PublishedStore, 'get' | 'put'>;
  readonly changes: Pick<ChangeStore, 'put' | 'history'>;
  readonly events: EventPublisher;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly metrics: Metrics;
};

export type PublishedKey =
  | { readonly key: ServiceKey; readonly result: 'unchanged' }
  | {
      readonly key: ServiceKey;
      readonly result: 'published';
      readonly version: number;
      readonly type: ServiceChangeType;
    };

/**
 * Tells the world of each key what differs between what was last published and what the catalog holds. An outbox, and
 * level-triggered: several versions of a key are one look, and whatever fails half-way is found again by the next look.
 *
 * History item, event and Published are written in this order, the last one on condition that nobody else has published
 * meanwhile. So a change is told at least once, with the same id each time, and never forgotten.
 *
 * @returns what became of each key, in no particular order. A key that fails harms no other one.
 */
export async function publishChanges(
  keys: Iterable<ServiceKey>,
  ports: PublicationPorts,
): Promise<readonly (PublishedKey | FailedKey)[]> {
  const outcomes = await settleKeys<PublishedKey>(keys, (some) => lookAt(some, ports));
  report(outcomes, ports);
  return outcomes;
}

/** What there is to publish of a key, and the version of Published that this builds on. */
type Finding = {
  readonly key: ServiceKey;
  readonly expected: number | undefined;
  readonly publication: Publication | undefined;
  /** An earlier change is settled first; what is left to publish shows when the key is looked at again. */
  readonly lookAgain: boolean;
};

async function lookAt(
  keys: readonly ServiceKey[],
  ports: PublicationPorts,
): Promise<readonly (PublishedKey | FailedKey)[]> {
  const found = await eachApart(
    keys.map((key) => ({ key })),
    ({ key }) => find(key, ports),
  );
  const written = await eachApart(found.done, (finding) => writeHistory(finding, ports));
  const told = await tell(written.done, ports);
  const settled = await eachApart(told.done, (finding) => settle(finding, ports));
  return [...found.failed, ...written.failed, ...told.failed, ...settled.failed, ...settled.done];
}

/**
 * Published is read first: the catalog, read later, is then as new as that or newer. A change that stands in the history
 * but not in Published may have been told, or not: it is told again, with the same id, before anything is compared, since
 * the catalog may have gone back to what Published says, and nobody would ever take back what was told.
 */
async function find(key: ServiceKey, ports: PublicationPorts): Promise<Finding> {
  const { catalog, published, clock } = ports;
  const last = await published.get(key);
  const [current, newest] = await Promise.all([catalog.get(key), newestChange(key, ports)]);
  const publication = planPublication(key, last, current, clock.now());
  const unsettled = newest === undefined || newest.version <= (last?.version ?? 0) ? undefined : newest;
  if (publication === undefined || unsettled === undefined) {
    return { key, expected: last?.version, publication, lookAgain: false };
  }
  const settling = { record: recordAfter(unsettled, current), change: unsettled };
  return { key, expected: last?.version, publication: settling, lookAgain: true };
}

/** The newest change of the history. Newer than Published, its publisher died, or is about to write Published. */
async function newestChange(key: ServiceKey, { changes }: PublicationPorts): Promise<ChangeRecord | undefined> {
  for await (const newest of changes.history(key, { limit: 1 })) return newest;
  return undefined;
}

/** Writes the change into the history. */
async function writeHistory(finding: Finding, { changes }: PublicationPorts): Promise<Finding> {
  if (finding.publication?.change !== undefined) await changes.put(finding.publication.change);
  return finding;
}

/** Sends the events of all changes together. */
async function tell(findings: readonly Finding[], ports: PublicationPorts): Promise<Apart<Finding>> {
  const changes = findings.flatMap(({ publication }) => publication?.change ?? []);
  const failed = await send(changes, ports);
  const failedKeys = new Set(failed.map(({ key }) => key));
  const sent = changes.filter(({ key }) => !failedKeys.has(key));
  measure(sent, ports);
  return { done: findings.filter(({ key }) => !failedKeys.has(key)), failed };
}

async function send(changes: readonly ChangeRecord[], { events }: PublicationPorts): Promise<readonly FailedKey[]> {
  if (changes.length === 0) return [];
  try {
    const failures = await events.publish(changes.map(({ event }) => event));
    const byId = new Map(failures.map((failure) => [failure.event.detail.metadata.id, failure]));
    return changes.flatMap(({ key, event }) => {
      const failure = byId.get(event.detail.metadata.id);
      return failure === undefined ? [] : [failedKey(key, notTaken(failure))];
    });
  } catch (error) {
    return changes.map(({ key }) => failedKey(key, error));
  }
}

function notTaken({ event, reason, transient }: PublishFailure): AppError {
  const { id } = event.detail.metadata;
  return new AppError(`The bus did not take the event ${id}: ${reason}`, { code: 'EventNotTakenError', transient });
}

function measure(sent: readonly ChangeRecord[], { clock, log, metrics }: PublicationPorts): void {
  metrics.add('ChangesPublished', sent.length);
  for (const { key, version, event } of sent) {
    const { cause, correlationId } = event.detail.metadata;
    metrics.add('PropagationSeconds', Math.max(0, clock.now() - Date.parse(cause.observedAt)) / 1000);
    log.debug('Change published', { key, version, type: event.type, pollId: correlationId });
  }
}

async function settle(
  { key, expected, publication, lookAgain }: Finding,
  { published }: PublicationPorts,
): Promise<PublishedKey> {
  if (publication === undefined) return { key, result: 'unchanged' };
  const { record, change } = publication;
  await published.put(record, expected);
  if (lookAgain) throw new VersionConflictError('Published', key, expected);
  if (change === undefined) return { key, result: 'unchanged' };
  return { key, result: 'published', version: change.version, type: change.event.type };
}

function report(outcomes: readonly (PublishedKey | FailedKey)[], { log, metrics }: PublicationPorts): void {
  const failed = outcomes.filter(isFailed);
  const published = outcomes.filter(({ result }) => result === 'published');
  for (const { key, transient, error } of failed) {
    log.error('Change not published', { key, code: error.code, reason: error.message, transient });
  }
  metrics.add('PublishRuns', 1);
  metrics.add('PublishFailures', failed.length);
  log.info('Changes published', {
    keys: outcomes.length,
    published: published.length,
    unchanged: outcomes.length - published.length - failed.length,
    failed: failed.length,
  });
}
