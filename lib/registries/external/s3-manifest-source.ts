import { isNativeError } from 'node:util/types';
import {
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
  S3ServiceException,
  type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3';
import { AppError } from '../../model/app-error';
import type { Unreadable } from '../../model/registry-row';
import { concurrentMap } from './concurrent-map';
import {
  isHidden,
  isManifestName,
  MAX_MANIFEST_BYTES,
  oversizeReason,
  type ManifestFile,
  type ManifestListing,
  type ManifestSource,
} from './manifest-source';

/** Objects fetched at once: polite to a bucket, and enough to read hundreds of manifests in a second. */
const FETCH_CONCURRENCY = 8;

/** Manifests are small; a bucket that takes this long for one of them is out of order. */
const DEFAULT_TIMEOUT_MS = 15_000;

export type S3Options = {
  readonly bucket: string;
  /** A folder, with or without `/` at the end; the key of one manifest; or empty for the whole bucket. */
  readonly prefix: string;
  /** @default one with the credentials and region of the environment, which follows the bucket to its own region */
  readonly client?: S3Client;
  /** For one call with its retries, in ms. @default 15 s */
  readonly timeoutMs?: number;
};

type S3Object = { readonly key: string; readonly etag: string; readonly size: number };

/**
 * Manifests in a bucket. Lists all pages of the prefix, and fetches only objects with another ETag than the known one.
 * S3 objects change as a whole, so that none is ever seen half written.
 */
export class S3ManifestSource implements ManifestSource {
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #client: S3Client;
  readonly #timeoutMs: number;

  constructor({
    bucket,
    prefix,
    client = new S3Client({ followRegionRedirects: true }),
    timeoutMs = DEFAULT_TIMEOUT_MS,
  }: S3Options) {
    this.#bucket = bucket;
    this.#prefix = prefix === '' || prefix.endsWith('/') || isManifestName(lastPart(prefix)) ? prefix : `${prefix}/`;
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws AppError `BucketUnreadable` when the list cannot be had in full. */
  async read(known: ReadonlyMap<string, string>, signal: AbortSignal): Promise<ManifestListing> {
    const { objects, requests } = await this.#list(signal);
    const manifests = objects.filter(({ key }) => this.#isManifest(key));
    let bytes = 0;
    let fetched = 0;
    const outcomes = await concurrentMap(manifests, FETCH_CONCURRENCY, async (object) => {
      const source = `s3://${this.#bucket}/${object.key}`;
      if (known.get(source) === object.etag) return { source, version: object.etag };
      if (object.size > MAX_MANIFEST_BYTES) return { source, reason: oversizeReason(object.size) };
      fetched += 1;
      const outcome = await this.#fetch(source, object, signal);
      if ('contents' in outcome) bytes += outcome.contents.byteLength;
      return outcome;
    });
    return {
      files: outcomes.filter((outcome) => 'version' in outcome),
      unreadable: outcomes.filter((outcome) => 'reason' in outcome),
      notes: [],
      cost: { requests: requests + fetched, bytes },
    };
  }

  #isManifest(key: string): boolean {
    const parts = key.slice(this.#prefix.length).split('/');
    return isManifestName(lastPart(key)) && !parts.some(isHidden);
  }

  async #list(signal: AbortSignal): Promise<{ readonly objects: readonly S3Object[]; readonly requests: number }> {
    const objects: S3Object[] = [];
    let token: string | undefined;
    for (let requests = 1; ; requests += 1) {
      const page = await this.#listPage(token, signal);
      objects.push(
        ...(page.Contents ?? []).map(({ Key, ETag, Size }) => ({ key: Key ?? '', etag: ETag ?? '', size: Size ?? 0 })),
      );
      token = page.NextContinuationToken;
      if (page.IsTruncated === false) return { objects, requests };
      if (page.IsTruncated === undefined || token === undefined) {
        throw this.#unreadable('the answer is not a list of objects, or breaks off in the middle', undefined);
      }
    }
  }

  async #listPage(token: string | undefined, signal: AbortSignal): Promise<ListObjectsV2CommandOutput> {
    const command = new ListObjectsV2Command({
      Bucket: this.#bucket,
      Prefix: this.#prefix,
      ...(token === undefined ? {} : { ContinuationToken: token }),
    });
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      return await this.#client.send(command, { abortSignal: AbortSignal.any([signal, timeout]) });
    } catch (error) {
      signal.throwIfAborted();
      throw this.#unreadable(this.#reasonOf(error, timeout), error);
    }
  }

  async #fetch(source: string, { key, etag }: S3Object, signal: AbortSignal): Promise<ManifestFile | Unreadable> {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: key });
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      const { Body, ETag, ContentLength } = await this.#client.send(command, {
        abortSignal: AbortSignal.any([signal, timeout]),
      });
      const contents = await Body?.transformToByteArray();
      if (contents === undefined || contents.byteLength !== ContentLength) {
        return { source, reason: 'it broke off while it was fetched' };
      }
      return { source, version: ETag ?? etag, contents };
    } catch (error) {
      signal.throwIfAborted();
      return { source, reason: this.#reasonOf(error, timeout) };
    }
  }

  #reasonOf(error: unknown, timeout: AbortSignal): string {
    return timeout.aborted ? `no answer within ${this.#timeoutMs} ms` : describeS3Error(error);
  }

  #unreadable(reason: string, cause: unknown): AppError {
    const place = `s3://${this.#bucket}/${this.#prefix}`;
    return new AppError(`Cannot list ${place}: ${reason}`, {
      code: 'BucketUnreadable',
      transient: !(cause instanceof S3ServiceException && cause.$fault === 'client'),
      details: { bucket: this.#bucket, prefix: this.#prefix },
      cause,
    });
  }
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

function describeS3Error(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const hint =
    error.name === 'AccessDenied'
      ? ' (the role needs s3:ListBucket on the bucket and s3:GetObject on the objects)'
      : '';
  return `${error.name}: ${error.message}${hint}`;
}
