import * as z from 'zod';

/** The folder that is read when nothing is configured, beside the configuration document. */
export const DEFAULT_FOLDER = 'service-entries';

/** Bucket names (Amazon S3 User Guide, "General purpose bucket naming rules"). */
const S3_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

const path = z
  .string({ error: 'must be the path of a folder or file' })
  .min(1, 'must not be empty')
  .refine((text) => !SCHEME.test(text), { error: 'must be a path: in a list there are only folders and files' });

const pathOrBucket = z
  .string({ error: 'must be the path of a folder or file, a list of them, or s3://bucket/prefix' })
  .min(1, 'must not be empty')
  .refine((text) => !SCHEME.test(text) || S3_URL.test(text), {
    error: 'must be a path, or s3:// with the name of a bucket and a prefix',
  });

/** What the External provider adds to the settings of a registry. */
export const externalSettings = {
  /** Where the manifests are. @default the folder `service-entries` beside the configuration, which may be missing */
  source: z
    .union([pathOrBucket, z.array(path).min(1, 'must have at least one path')], {
      error: 'must be the path of a folder or file, a list of them, or s3://bucket/prefix',
    })
    .exactOptional(),
  /** SPIFFE trust domain of the workloads' accounts. @default that of the installation */
  trustDomain: z.string().min(1, 'must not be empty').exactOptional(),
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
