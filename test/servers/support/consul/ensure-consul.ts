import path from 'node:path';

import { goModulePart } from '../parts/go-module-part';
import { ensurePart } from '../parts/part-cache';

/**
 * The path of `consul`, built from its Go module if it is not in the cache. 1.14 is under the Mozilla Public License;
 * releases from 1.17 on are not open source.
 */
export async function ensureConsul(): Promise<string> {
  const part = await goModulePart({
    name: 'consul',
    folder: __dirname,
    module: 'github.com/hashicorp/consul',
    command: 'github.com/hashicorp/consul',
  });
  return path.join(await ensurePart(part), 'consul');
}
