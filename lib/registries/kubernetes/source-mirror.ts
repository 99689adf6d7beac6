import { AppError } from '../../model/app-error';
import type { Clock } from '../../runtime/clock';
import { ExpiredError, ForbiddenError, NotServedError, type ApiServer, type WatchEvent } from './api-server';
import { decodeObject, identityOf, versionOf } from './decode-objects';
import type { Decoded } from './decoded';
import { objectId, splitObjectId, type ObjectId, type ObjectName } from './kube-objects';
import { linkedAbort } from './linked-abort';
import { listCollection } from './list-collection';
import type { MirroredState, StateId } from './mirrored-state';
import type { ResourceSource } from './resource-sources';
import type { WatchTiming } from './watch-timing';

export type MirrorSurroundings = {
  readonly api: ApiServer;
  readonly state: MirroredState;
  readonly clock: Clock;
  readonly pageSize: number;
  readonly timing: WatchTiming;
  /** Services that the state now sees otherwise. */
  readonly touched: (services: ReadonlySet<StateId>) => void;
  /** What can be read has changed: permission lost or found, an object that cannot be understood. */
  readonly readabilityChanged: () => void;
};

/** Whether the source can be read, and if not, why. */
export type Readability =
  | { readonly type: 'readable' }
  | { readonly type: 'forbidden'; readonly reason: string }
  | { readonly type: 'not-served'; readonly reason: string };

type DecodedItem = { readonly name: ObjectName; readonly decoded: Decoded };

/** A watch that ends sooner than this is not opened again at once. */
const SHORT_WATCH_MS = 1_000;

/**
 * Keeps the state in step with one collection of the API server: lists it, then watches from the list's version on. A
 * stream that breaks or falls silent is resumed at the last version heard of; when that has been compacted away (410) the
 * list is read anew and compared with the state, so that nothing is lost and no deletion is invented.
 */
export class SourceMirror {
  readonly source: ResourceSource;
  readonly #around: MirrorSurroundings;
  #readability: Readability = { type: 'readable' };
  readonly #undecodable = new Map<ObjectId, string>();
  /** Where to watch on from; absent = list first. */
  #version: string | undefined;
  #brokenSince: number | undefined;
  #attempts = 0;

  constructor(source: ResourceSource, around: MirrorSurroundings) {
    this.source = source;
    this.#around = around;
  }

  get readability(): Readability {
    return this.#readability;
  }

  /** Objects that could not be understood, with the reason; what was known of them before still stands. */
  get undecodable(): ReadonlyMap<ObjectId, string> {
    return this.#undecodable;
  }

  /** False while the stream is broken. */
  get alive(): boolean {
    return this.#brokenSince === undefined;
  }

  /**
   * Reads the whole collection and makes the state equal to it. Without permission, or where the cluster does not have
   * the (optional) resource, the state stays as it is and `readability` says so.
   * @throws what else goes wrong: nothing can be said then.
   */
  async list(signal: AbortSignal): Promise<void> {
    const { api, pageSize } = this.#around;
    try {
      const keep = (raw: unknown) => this.#decode(raw);
      const listed = await listCollection(api, this.source.collection, pageSize, keep, signal);
      this.#version = listed.resourceVersion;
      this.#replace(listed.items);
      this.#setReadability({ type: 'readable' });
    } catch (error) {
      this.#version = undefined;
      this.#setReadability(this.#refusal(error));
    }
  }

  /** Watches until the signal aborts. @throws when the stream could not be resumed for `outageMs`. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#step(signal);
      } catch (error) {
        await this.#bear(error, signal);
      }
    }
  }

  async #step(signal: AbortSignal): Promise<void> {
    const { clock, timing } = this.#around;
    if (this.#readability.type !== 'readable') await clock.delay(timing.retryMs, signal);
    if (signal.aborted) return;
    if (this.#version === undefined) await this.list(signal);
    else await this.#watch(this.#version, signal);
  }

  async #watch(version: string, signal: AbortSignal): Promise<void> {
    const { api, clock, timing } = this.#around;
    const { controller, unlink } = linkedAbort(signal);
    const startedAt = clock.now();
    let heardAt = startedAt;
    const silence = this.#abortWhenSilent(() => heardAt, controller);
    try {
      const since = { resourceVersion: version, timeoutSeconds: timing.watchSeconds };
      for await (const event of api.watch(this.source.collection, since, controller.signal)) {
        heardAt = clock.now();
        this.#heard();
        this.#apply(event);
      }
    } finally {
      controller.abort();
      unlink();
      await silence;
    }
    this.#heard();
    if (clock.now() - startedAt < SHORT_WATCH_MS) await clock.delay(timing.backoffMs.first, signal);
  }

  /** A dead connection looks like a quiet one; but a quiet one has bookmarks. */
  async #abortWhenSilent(heardAt: () => number, controller: AbortController): Promise<void> {
    const { clock, timing } = this.#around;
    for (;;) {
      await clock.delay(heardAt() + timing.silenceMs - clock.now(), controller.signal);
      if (controller.signal.aborted) return;
      if (clock.now() - heardAt() >= timing.silenceMs) {
        controller.abort(silentError(this.source, timing.silenceMs));
        return;
      }
    }
  }

  /** What a failure of following leads to: a new list, another state of permission, a breath, or the end. */
  async #bear(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { clock, timing } = this.#around;
    if (error instanceof ExpiredError) {
      this.#version = undefined;
      return;
    }
    if (error instanceof ForbiddenError || error instanceof NotServedError) {
      this.#version = undefined;
      this.#setReadability(this.#refusal(error));
      return;
    }
    this.#brokenSince ??= clock.now();
    if (clock.now() - this.#brokenSince >= timing.outageMs) throw error;
    const { first, max } = timing.backoffMs;
    await clock.delay(Math.min(first * 2 ** this.#attempts, max), signal);
    this.#attempts += 1;
  }

  #heard(): void {
    this.#brokenSince = undefined;
    this.#attempts = 0;
  }

  #apply(event: WatchEvent): void {
    const { state, touched } = this.#around;
    if (event.type === 'DELETED') {
      const { namespace, name } = identityOf(event.object);
      this.#setUndecodable({ namespace, name }, undefined);
      touched(state.remove(this.source.resource, { namespace, name }));
    } else if (event.type !== 'BOOKMARK') {
      touched(this.#take(this.#decode(event.object)));
    }
    this.#version = versionOf(event.object);
  }

  /** Makes the state equal to a list: what is not in it is gone. */
  #replace(items: readonly DecodedItem[]): void {
    const { state, touched } = this.#around;
    const { resource, namespace } = this.source;
    const listed = new Set(items.map(({ name }) => objectId(name)));
    const all = new Set<StateId>();
    for (const id of state.idsOf(resource, namespace)) {
      if (!listed.has(id)) for (const service of state.remove(resource, splitObjectId(id))) all.add(service);
    }
    for (const id of this.#undecodable.keys()) {
      if (!listed.has(id)) this.#setUndecodable(splitObjectId(id), undefined);
    }
    for (const item of items) for (const service of this.#take(item)) all.add(service);
    touched(all);
    this.#heard();
  }

  #take({ name, decoded }: DecodedItem): ReadonlySet<StateId> {
    const { state } = this.#around;
    this.#setUndecodable(name, decoded.type === 'undecodable' ? decoded.reason : undefined);
    switch (decoded.type) {
      case 'object':
        return state.put(decoded.object);
      case 'irrelevant':
        return state.remove(this.source.resource, name);
      case 'undecodable':
        return new Set();
    }
  }

  #decode(raw: unknown): DecodedItem {
    const { namespace, name } = identityOf(raw);
    return { name: { namespace, name }, decoded: decodeObject(this.source.resource, raw) };
  }

  #setUndecodable({ namespace, name }: ObjectName, reason: string | undefined): void {
    const id = objectId({ namespace, name });
    if (this.#undecodable.get(id) === reason) return;
    if (reason === undefined) this.#undecodable.delete(id);
    else this.#undecodable.set(id, reason);
    this.#around.readabilityChanged();
  }

  #setReadability(readability: Readability): void {
    if (readability.type === this.#readability.type) return;
    this.#readability = readability;
    const { state, touched, readabilityChanged } = this.#around;
    if (this.source.resource === 'pods') {
      touched(state.allowPods(readability.type === 'readable', this.source.namespace));
    }
    readabilityChanged();
  }

  /** What a refusal means; anything else is thrown on. */
  #refusal(error: unknown): Readability {
    if (error instanceof ForbiddenError) return { type: 'forbidden', reason: missingPermission(this.source, error) };
    if (error instanceof NotServedError && this.source.mayBeAbsent)
      return { type: 'not-served', reason: error.message };
    throw error;
  }
}

function missingPermission({ permission, namespace }: ResourceSource, { verb, message }: ForbiddenError): string {
  const where = namespace === undefined ? 'in the whole cluster' : `in namespace ${namespace}`;
  return `Missing permission to ${verb} ${permission} ${where}: ${message}`;
}

function silentError(source: ResourceSource, silenceMs: number): AppError {
  return new AppError(`Watch of ${source.name} has been silent for ${silenceMs} ms, without a bookmark`, {
    code: 'SilentWatchError',
    transient: true,
  });
}
