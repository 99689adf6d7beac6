import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';

import type { Part } from './part-cache';
import { logProgress } from './log-progress';
import { runCommand } from './run-command';

/** The slowest (kube-apiserver) takes 6 minutes on two idle cores; a busy machine may need several times that. */
const BUILD_TIMEOUT_MS = 40 * 60_000;

export type GoModule = {
  readonly name: string;
  /** Folder with the `go.mod` and `go.sum` that pin every module of the build. */
  readonly folder: string;
  /** Main module of the server; its version in `go.mod` is the version of the part. */
  readonly module: string;
  /** Package of the command, a `tool` of the `go.mod`. */
  readonly command: string;
  readonly ldflags?: (version: string) => readonly string[];
  /** Files of the main module to keep beside the binary, relative to the module. */
  readonly keep?: readonly string[];
};

/** A part that is one command of a Go module, built from source at the versions of a committed `go.mod`. */
export async function goModulePart(source: GoModule): Promise<Part> {
  const version = await pinnedVersion(source);
  return { name: source.name, version, build: (folder) => buildGoCommand(source, version, folder) };
}

async function pinnedVersion({ folder, module }: GoModule): Promise<string> {
  const goMod = await readFile(path.join(folder, 'go.mod'), 'utf8');
  const line = goMod.split('\n').find((candidate) => candidate.replace('require', '').trim().startsWith(`${module} v`));
  const version = line?.split(' v')[1]?.split(' ')[0]?.trim();
  if (version === undefined) throw new Error(`${folder}/go.mod does not require ${module}`);
  return version;
}

async function buildGoCommand(source: GoModule, version: string, folder: string): Promise<void> {
  const sources = path.join(folder, 'sources');
  await mkdir(sources);
  for (const file of ['go.mod', 'go.sum']) await copyFile(path.join(source.folder, file), path.join(sources, file));
  const go = (...args: string[]) =>
    runCommand({ file: 'go', args, cwd: sources, env: GO_ENVIRONMENT, timeoutMs: BUILD_TIMEOUT_MS });

  await go('mod', 'download', source.module);
  logProgress(`${source.name} ${version}: go build ${source.command} (several minutes the first time)`);
  const ldflags = ['-s', '-w', ...(source.ldflags?.(version) ?? [])].join(' ');
  const binary = path.join(folder, path.basename(source.command));
  await go(
    'build',
    '-trimpath',
    '-buildvcs=false',
    '-mod=readonly',
    `-ldflags=${ldflags}`,
    '-o',
    binary,
    source.command,
  );

  const moduleFolder = await go('list', '-m', '-f', '{{.Dir}}', source.module);
  for (const file of source.keep ?? []) {
    await copyFile(path.join(moduleFolder, file), path.join(folder, path.basename(file)));
  }
  await rm(sources, { recursive: true });
}

/** Without cgo no C compiler is needed and the binary is static, as the projects' own releases are. */
const GO_ENVIRONMENT = { CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '' };
