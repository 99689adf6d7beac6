import type { ProviderDefinition } from '../provider-definition';
import { ExternalRegistry } from './external-registry';
import type { ManifestSource } from './manifest-source';
import { externalSettings, locationOf } from './settings';

/** ServiceEntry and WorkloadEntry manifests in folders, files or a bucket. */
export const externalProvider: ProviderDefinition<typeof externalSettings> = {
  provider: 'External',
  settings: externalSettings,
  watch: 'unsupported',
  async load() {
    const { FolderManifestSource } = await import('./folder-manifest-source');
    return ({ cluster, baseDir, trustDomain }, settings) => {
      const location = locationOf(settings.source);
      return new ExternalRegistry({
        cluster,
        trustDomain,
        source:
          location.type === 'folder'
            ? new FolderManifestSource({ ...location, baseDir })
            : loadedAtFirstReading(async () => {
                const { S3ManifestSource } = await import('./s3-manifest-source');
                return new S3ManifestSource(location);
              }),
      });
    };
  },
};

/** Spares everybody without a bucket the time and memory of the S3 client. */
function loadedAtFirstReading(load: () => Promise<ManifestSource>): ManifestSource {
  let loading: Promise<ManifestSource> | undefined;
  return {
    async read(known, signal) {
      loading ??= load();
      return (await loading).read(known, signal);
    },
  };
}
