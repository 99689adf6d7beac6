import * as z from 'zod';
import { credentialSettings } from '../../lib/registries/credential-settings';
import type { ProviderDefinition } from '../../lib/registries/provider-definition';

const { token, tokenFile, tokenSecret, caFile } = credentialSettings;

const NOT_ON_AWS: ReadonlySet<string> = new Set(Object.keys({ token, tokenFile, caFile }));

const secretArn = tokenSecret.unwrap();

/**
 * A provider with {@link credentialSettings} as it is on AWS: a function has no files, and the document holds no secrets,
 * only their ARNs. What a poller may read follows from those (see RegistryPoller).
 */
export function credentialsBySecret(definition: ProviderDefinition): ProviderDefinition {
  const kept = Object.entries(definition.settings).filter(([name]) => !NOT_ON_AWS.has(name));
  const clientCert = z.strictObject({ certSecret: secretArn, keySecret: secretArn }).exactOptional();
  return { ...definition, settings: { ...Object.fromEntries(kept), clientCert } };
}
