import { AppError } from '../../model/app-error';
import type { ReadingCost } from '../registry';

/** One collection of the API: a resource, of all namespaces or of one, narrowed by selectors that the server evaluates. */
export type Collection = {
  /** Such as `/api/v1/namespaces/shop/services`. */
  readonly path: string;
  /** Kind of its lists, such as `ServiceList`; an answer of another kind is no answer. */
  readonly listKind: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Only metadata is wanted (`PartialObjectMetadata`): nodes are large and change often in what nobody here reads. */
  readonly metadataOnly: boolean;
};

export type ListPage = {
  readonly items: readonly unknown[];
  readonly resourceVersion: string;
  /** Token of the next page; absent on the last. */
  readonly continueToken?: string;
};

export type WatchEvent = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: unknown };

/** The API server as this registry needs it. */
export interface ApiServer {
  /**
   * One page of a list; without `limit` everything in one answer.
   * @throws ForbiddenError, NotServedError, ExpiredError; AppError for anything that is not a list of the right kind.
   */
  list(
    collection: Collection,
    page: { readonly limit?: number; readonly continueToken?: string },
    signal: AbortSignal,
  ): Promise<ListPage>;
  /**
   * Changes after a version, with bookmarks. Ends when the server closes the stream in order.
   * @throws as `list`; also when the stream breaks.
   */
  watch(
    collection: Collection,
    since: { readonly resourceVersion: string; readonly timeoutSeconds: number },
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent>;
  /** Requests and bytes since the last time that this was asked. */
  takeCost(): ReadingCost;
  /** Gives connections back. */
  close(): void;
}

/** 403 by the API server's authorisation. What else answers 403 (a proxy, a login page) is another failure. */
export class ForbiddenError extends AppError {
  readonly verb: 'list' | 'watch';

  constructor(verb: 'list' | 'watch', message: string) {
    super(message, { code: 'ForbiddenError' });
    this.verb = verb;
  }
}

/** 404 on a collection: the cluster does not serve that resource. */
export class NotServedError extends AppError {
  constructor(message: string) {
    super(message, { code: 'NotServedError' });
  }
}

/** 410: the version or page token is too old, the history before it is compacted. List anew. */
export class ExpiredError extends AppError {
  constructor(message: string) {
    super(message, { code: 'ExpiredError', transient: true });
  }
}
