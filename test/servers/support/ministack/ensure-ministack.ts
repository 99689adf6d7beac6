import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { ensureDebianPackage } from '../parts/debian-package';
import { ensurePart } from '../parts/part-cache';
import { runCommand } from '../parts/run-command';

const INSTALL_TIMEOUT_MS = 10 * 60_000;

/**
 * The path of a Python that has ministack (`-m ministack`), installed into a virtual environment of its own if it is not
 * in the cache. The interpreter and not the `ministack` script, since a script names the folder in which it was made.
 */
export async function ensureMinistack(): Promise<string> {
  const requirements = path.join(__dirname, 'requirements.txt');
  const folder = await ensurePart({
    name: 'ministack',
    version: pinnedVersion(await readFile(requirements, 'utf8')),
    build: (draft) => installRequirements(requirements, draft),
  });
  return path.join(folder, 'bin', 'python');
}

function pinnedVersion(requirements: string): string {
  const version = /^ministack==(?<version>\S+)$/m.exec(requirements)?.groups?.version;
  if (version === undefined) throw new Error('requirements.txt does not pin ministack');
  return version;
}

async function installRequirements(requirements: string, folder: string): Promise<void> {
  const python = (file: string, ...args: string[]) => runCommand({ file, args, timeoutMs: INSTALL_TIMEOUT_MS });
  await ensureDebianPackage({ name: 'python3-venv', isThere: { file: 'python3', args: ['-c', 'import ensurepip'] } });
  await python('python3', '-m', 'venv', folder);
  await python(path.join(folder, 'bin', 'python'), '-m', 'pip', 'install', '--no-deps', '--requirement', requirements);
}
