import * as z from 'zod';

/** The folder that is read when nothing is configured, beside the configuration document. */
export const DEFAULT_FOLDER = 'service-entries';

/** Bucket names (Amazon S3 User Guide, "General purpose bucket naming rules"), and whatever prefix. */
const S3_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

const NOT_A_PATH = 'not a path; allowed: a folder or file';
const NOT_A_SOURCE = 'not a source; allowed: a folder or file, a list of them, or s3://bucket/prefix';

const path = z
  .string({ error: NOT_A_PATH })
  .min(1, { error: NOT_A_PATH })
  .refine((text) => !SCHEME.test(text), { error: NOT_A_PATH });

const pathOrBucket = z
  .string({ error: NOT_A_SOURCE })
  .min(1, { error: NOT_A_SOURCE })
  .refine((text) => !SCHEME.test(text) || S3_URL.test(text), { error: NOT_A_SOURCE });

/** What the External provider adds to the settings of a registry. */
export const externalSettings = {
  source: z
    .union([pathOrBucket, z.array(path).min(1, { error: NOT_A_SOURCE })], { error: NOT_A_SOURCE })
    .optional()
    .describe(
      `Where the manifests are: a folder, a file, a list of them, or s3://bucket/prefix. Default ${DEFAULT_FOLDER}/ beside the configuration, which may be missing.`,
    ),
};

export type ExternalSettings = z.infer<z.ZodObject<typeof externalSettings>>;

/** Where manifests are read from. */
export type ManifestLocation =
  | { readonly type: 'folder'; readonly paths: readonly string[]; readonly mayBeMissing: boolean }
  | { readonly type: 's3'; readonly bucket: string; readonly prefix: string };

/** What `source` means. A folder that was configured has to be there; the default one need not. */
export function locationOf(source: ExternalSettings['source']): ManifestLocation {
  if (source === undefined) return { type: 'folder', paths: [DEFAULT_FOLDER], mayBeMissing: true };
  if (typeof source !== 'string') return { type: 'folder', paths: source, mayBeMissing: false };
  const [, bucket, prefix = ''] = S3_URL.exec(source) ?? [];
  return bucket === undefined
    ? { type: 'folder', paths: [source], mayBeMissing: false }
    : { type: 's3', bucket, prefix };
}
