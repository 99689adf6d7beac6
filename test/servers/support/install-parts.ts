// `npm run servers:install`: installs and builds every real server of the tests, so that a build is seen apart from tests.
import { ensureConsul } from './consul/ensure-consul';
import { ensureEtcd } from './etcd/ensure-etcd';
import { ensureIstiod } from './istiod/ensure-istiod';
import { ensureKubeApiServer } from './kube-apiserver/ensure-kube-apiserver';
import { ensureMinistack } from './ministack/ensure-ministack';
import { logProgress } from './parts/log-progress';
import { CommandFailedError } from './parts/run-command';

/** One after the other: each Go build uses all cores by itself. */
async function installParts(): Promise<void> {
  for (const ensure of [ensureEtcd, ensureMinistack, ensureKubeApiServer, ensureIstiod, ensureConsul]) {
    logProgress(`${ensure.name.replace('ensure', '')} is ${await ensure()}`);
  }
}

installParts().catch((error: unknown) => {
  logProgress(error instanceof CommandFailedError ? error.message : String(error));
  process.exitCode = 1;
});
