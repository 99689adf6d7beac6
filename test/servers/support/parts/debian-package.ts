import { logProgress } from './log-progress';
import { CommandFailedError, runCommand } from './run-command';

const PROBE_TIMEOUT_MS = 60_000;
const APT_TIMEOUT_MS = 10 * 60_000;

export type DebianPackage = {
  readonly name: string;
  /** A command that succeeds once the package is installed. */
  readonly isThere: { readonly file: string; readonly args: readonly string[] };
};

/** Installs a Debian package unless what it brings is there already; needs root only when it has to install. */
export async function ensureDebianPackage({ name, isThere }: DebianPackage): Promise<void> {
  if (await succeeds(isThere)) return;
  const startedAt = Date.now();
  logProgress(`${name}: apt-get install`);
  await aptGet('update');
  await aptGet('install', '--yes', '--no-install-recommends', name);
  await runCommand({ ...isThere, timeoutMs: PROBE_TIMEOUT_MS });
  logProgress(`${name}: installed in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

async function succeeds(probe: DebianPackage['isThere']): Promise<boolean> {
  try {
    await runCommand({ ...probe, timeoutMs: PROBE_TIMEOUT_MS });
    return true;
  } catch (error) {
    if (error instanceof CommandFailedError) return false;
    throw error;
  }
}

/** Two processes may install at the same time: apt waits for the lock of the other. */
async function aptGet(...args: string[]): Promise<void> {
  await runCommand({
    file: 'apt-get',
    args: ['-o', 'DPkg::Lock::Timeout=300', ...args],
    env: { DEBIAN_FRONTEND: 'noninteractive' },
    timeoutMs: APT_TIMEOUT_MS,
  });
}
