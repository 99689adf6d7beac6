import path from 'node:path';

import { goModulePart } from '../parts/go-module-part';
import { ensurePart } from '../parts/part-cache';

const VERSION_PACKAGE = 'k8s.io/component-base/version';

/** The path of `kube-apiserver`, built from its Go module if it is not in the cache. */
export async function ensureKubeApiServer(): Promise<string> {
  const part = await goModulePart({
    name: 'kube-apiserver',
    folder: __dirname,
    module: 'k8s.io/kubernetes',
    command: 'k8s.io/kubernetes/cmd/kube-apiserver',
    ldflags: (version) => [`-X ${VERSION_PACKAGE}.gitVersion=v${version}`, ...majorAndMinor(version)],
  });
  return path.join(await ensurePart(part), 'kube-apiserver');
}

/** What `GET /version` answers; without it a development version. */
function majorAndMinor(version: string): readonly string[] {
  const [major = '', minor = ''] = version.split('.');
  return [`-X ${VERSION_PACKAGE}.gitMajor=${major}`, `-X ${VERSION_PACKAGE}.gitMinor=${minor}`];
}
