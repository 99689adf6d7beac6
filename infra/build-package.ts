import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { bundleFunctions } from './bundle';

const ROOT = path.join(__dirname, '..');

/**
 * Makes what is published (`files` in package.json): the bundled functions, and as CommonJS with declarations all that the
 * two public faces and the command reach.
 */
async function buildPackage(): Promise<void> {
  await rm(path.join(ROOT, 'dist'), { recursive: true, force: true });
  await bundleFunctions();
  const compiler = path.join(ROOT, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-p', path.join(__dirname, 'tsconfig.package.json')], { stdio: 'inherit' });
}

void buildPackage();
