import { ensureDebianPackage } from '../parts/debian-package';
import { runCommand } from '../parts/run-command';

/** The path of `etcd`, installed as Debian's package if it is not on the PATH. */
export async function ensureEtcd(): Promise<string> {
  await ensureDebianPackage({ name: 'etcd-server', isThere: { file: 'etcd', args: ['--version'] } });
  return runCommand({ file: 'sh', args: ['-c', 'command -v etcd'], timeoutMs: 10_000 });
}
