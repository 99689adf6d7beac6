import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import * as z from 'zod';

import { mcpProvider } from '../../../../lib/registries/mcp/mcp-provider';
import { mcpSettings } from '../../../../lib/registries/mcp/settings';
import type { Registry } from '../../../../lib/registries/registry';
import { makeServerFolder } from '../processes/server-folder';
import type { Istiod } from './start-istiod';

const SETTINGS = z.strictObject(mcpSettings);

/** Makes MCP registries of an istiod, as a configuration document would. */
export interface McpAccess {
  /** Where files that settings name are; holds `ca.pem` and `token`. */
  readonly folder: string;
  /** What it takes to read the istiod over TLS with a token. */
  readonly settings: Readonly<Record<string, unknown>>;
  registry(differing?: Readonly<Record<string, unknown>>, mode?: 'poll' | 'watch'): Registry;
  /** Without what a token and TLS are, to another address. */
  registryAt(address: string, settings?: Readonly<Record<string, unknown>>): Registry;
}

export async function accessIstiod(istiod: Istiod): Promise<McpAccess> {
  const folder = await makeServerFolder('mcp');
  await writeFile(path.join(folder, 'ca.pem'), await istiod.rootCertificate());
  await writeFile(path.join(folder, 'token'), await istiod.token());
  const make = await mcpProvider.load();
  const context = { cluster: 'istiod', domainSuffix: 'cluster.local', trustDomain: 'cluster.local', baseDir: folder };
  const settings = {
    address: `xdss://${istiod.secureAddress}`,
    serverName: istiod.serverName,
    caFile: 'ca.pem',
    tokenFile: 'token',
  };
  return {
    folder,
    settings,
    registry: (differing = {}, mode = 'watch') =>
      make({ ...context, mode }, SETTINGS.parse(withoutUndefined({ ...settings, ...differing }))),
    registryAt: (address, own = {}) => make({ ...context, mode: 'watch' }, SETTINGS.parse({ address, ...own })),
  };
}

function withoutUndefined(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
