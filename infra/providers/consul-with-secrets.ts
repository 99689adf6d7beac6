import * as z from 'zod';
import { consulProvider } from '../../lib/registries/consul/consul-provider';
import type { ProviderDefinition } from '../../lib/registries/provider-definition';

const { token: _text, tokenFile: _file, caFile: _caFile, clientCert, ...kept } = consulProvider.settings;

const certificateOfSecrets = z.strictObject({ certSecret: kept.tokenSecret, keySecret: kept.tokenSecret });

/** Consul as it is on AWS: a function has no files, and the document holds no secrets, only their ARNs. */
export const consulWithSecrets: ProviderDefinition = {
  ...consulProvider,
  settings: { ...kept, clientCert: certificateOfSecrets.exactOptional() },
};
