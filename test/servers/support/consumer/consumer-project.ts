import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { runCommand } from '../parts/run-command';
import { makeServerFolder } from '../processes/server-folder';

const ROOT = path.join(__dirname, '..', '..', '..', '..');
const MODULES = path.join(ROOT, 'node_modules');

/** By major version of TypeScript. */
const COMPILERS = {
  6: path.join(MODULES, 'typescript', 'bin', 'tsc6'),
  7: path.join(MODULES, '@typescript', 'native', 'bin', 'tsc'),
};

/** What a CDK app in TypeScript has besides: the peers of this package, and types of Node. */
const BESIDES = ['aws-cdk-lib', 'constructs', '@types/node'];

/** Packing builds the package: bundles, then compiles. */
const TIMEOUT_MS = 5 * 60_000;

/** A project of somebody else's that has installed this package as it would be published. */
export class ConsumerProject {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Packs this package and installs it by npm into an empty project. The packages that it and the project depend on, and no
   * others, are copied from this repository's, so that nothing has to be downloaded.
   */
  static async install(): Promise<ConsumerProject> {
    const project = new ConsumerProject(await makeServerFolder('consumer'));
    const dependencies = Object.fromEntries(await Promise.all(BESIDES.map(versionOf)));
    await project.write('package.json', JSON.stringify({ name: 'consumer', private: true, dependencies }));
    for (const name of await neededPackages()) {
      const target = path.join(project.folder, 'node_modules', name);
      await mkdir(path.dirname(target), { recursive: true });
      await cp(path.join(MODULES, name), target, { recursive: true });
    }
    const packed = await npm(ROOT, 'pack', '--pack-destination', project.folder);
    const tarball = /^.*\.tgz$/m.exec(packed)?.[0];
    if (tarball === undefined) throw new Error(`npm pack names no tarball: ${packed}`);
    await npm(project.folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball}`);
    return project;
  }

  async write(file: string, text: string): Promise<void> {
    await writeFile(path.join(this.folder, file), text);
  }

  /** Runs a file with Node, or a command that a package brought, and returns its standard output. */
  run(file: string, ...args: readonly string[]): Promise<string> {
    return runCommand({
      file: process.execPath,
      args: [file, ...args],
      cwd: this.folder,
      env: { NODE_ENV: 'production' },
      timeoutMs: TIMEOUT_MS,
    });
  }

  /** Compiles `*.ts` to `*.js`, strictly, declarations of packages included. */
  async compile(typescript: keyof typeof COMPILERS, options: Readonly<Record<string, unknown>>): Promise<void> {
    const compilerOptions = { target: 'es2022', strict: true, skipLibCheck: false, types: ['node'], ...options };
    await this.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    await this.run(COMPILERS[typescript], '-p', 'tsconfig.json');
  }
}

const versionSchema = z.object({ version: z.string() });

async function versionOf(name: string): Promise<readonly [string, string]> {
  const { version } = versionSchema.parse(JSON.parse(await readFile(path.join(MODULES, name, 'package.json'), 'utf8')));
  return [name, version];
}

/** Names of the packages that are needed at run time, by npm's own account. */
async function neededPackages(): Promise<readonly string[]> {
  const listed = await Promise.all([
    npm(ROOT, 'ls', '--omit=dev', '--all', '--parseable'),
    npm(ROOT, 'ls', '--parseable', ...BESIDES),
  ]);
  const names = listed
    .flatMap((text) => text.split('\n'))
    .flatMap((line) => /^\/?((?:@[^/]+\/)?[^/]+)/.exec(line.slice(MODULES.length))?.[1] ?? []);
  return [...new Set(names)].sort();
}

function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  return runCommand({ file: 'npm', args, cwd, timeoutMs: TIMEOUT_MS });
}
