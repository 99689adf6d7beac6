import { AppError } from '../../model/app-error';
import { ExpiredError, type ApiServer, type Collection } from './api-server';

export type ListedCollection<T> = { readonly items: readonly T[]; readonly resourceVersion: string };

/** How often a list starts anew because its page token expired before the reading fails. */
const MAX_RESTARTS = 3;

/**
 * Everything of a collection, page by page at one version. `keep` turns each raw item into what is kept of it, so that
 * only one page of raw objects is in memory.
 *
 * When a page token expires (410) the list starts anew, now in one answer that nothing can expire in (as client-go's pager).
 *
 * @throws what `ApiServer.list` throws; AppError when it expires time and again, or pages are of different versions.
 */
export async function listCollection<T>(
  api: ApiServer,
  collection: Collection,
  pageSize: number,
  keep: (raw: unknown) => T,
  signal: AbortSignal,
): Promise<ListedCollection<T>> {
  for (let restarts = 0; restarts <= MAX_RESTARTS; restarts += 1) {
    const listed = await listOnce(api, collection, restarts === 0 ? pageSize : undefined, keep, signal);
    if (listed !== undefined) return listed;
  }
  throw new AppError(`List of ${collection.path} expired ${MAX_RESTARTS + 1} times before it was read to its end`, {
    code: 'ListExpiredError',
    transient: true,
  });
}

async function listOnce<T>(
  api: ApiServer,
  collection: Collection,
  pageSize: number | undefined,
  keep: (raw: unknown) => T,
  signal: AbortSignal,
): Promise<ListedCollection<T> | undefined> {
  const items: T[] = [];
  let version: string | undefined;
  let continueToken: string | undefined;
  do {
    const page = await pageUnlessExpired(api, collection, { pageSize, continueToken }, signal);
    if (page === undefined) return undefined;
    version ??= page.resourceVersion;
    if (page.resourceVersion !== version) throw versionsDiffer(collection, version, page.resourceVersion);
    for (const raw of page.items) items.push(keep(raw));
    continueToken = page.continueToken;
  } while (continueToken !== undefined);
  return { items, resourceVersion: version };
}

async function pageUnlessExpired(
  api: ApiServer,
  collection: Collection,
  position: { readonly pageSize: number | undefined; readonly continueToken: string | undefined },
  signal: AbortSignal,
) {
  try {
    return await api.list(
      collection,
      {
        ...(position.pageSize === undefined ? {} : { limit: position.pageSize }),
        ...(position.continueToken === undefined ? {} : { continueToken: position.continueToken }),
      },
      signal,
    );
  } catch (error) {
    if (error instanceof ExpiredError) return undefined;
    throw error;
  }
}

function versionsDiffer(collection: Collection, first: string, other: string): AppError {
  return new AppError(
    `List of ${collection.path} began at version ${first} and went on at ${other}: pages of one list must be of one version`,
    { code: 'InconsistentListError', transient: true },
  );
}
