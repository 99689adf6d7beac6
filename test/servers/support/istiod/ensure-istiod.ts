import path from 'node:path';

import { goModulePart } from '../parts/go-module-part';
import { ensurePart } from '../parts/part-cache';

const CUSTOM_RESOURCES = 'manifests/charts/base/files/crd-all.gen.yaml';

/** The path of istiod's `pilot-discovery`, built from its Go module if it is not in the cache. */
export async function ensureIstiod(): Promise<string> {
  return path.join(await istiodFolder(), 'pilot-discovery');
}

/** The path of the YAML with all custom resource definitions of the same Istio version. */
export async function ensureIstioCustomResourceDefinitions(): Promise<string> {
  return path.join(await istiodFolder(), path.basename(CUSTOM_RESOURCES));
}

async function istiodFolder(): Promise<string> {
  const part = await goModulePart({
    name: 'istiod',
    folder: __dirname,
    module: 'istio.io/istio',
    command: 'istio.io/istio/pilot/cmd/pilot-discovery',
    keep: [CUSTOM_RESOURCES],
  });
  return ensurePart(part);
}
