import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { FUNCTIONS_FOLDER } from './functions-folder';

const SOURCES = path.join(__dirname, '..', 'functions');

/**
 * What is loaded only where no function runs: credentials of a person's machine, which the SDK looks for when the
 * environment has none, and Lambda's always has; and what grpc-js reads the descriptions of its statistics server
 * (channelz) with, which brings all of protobufjs.
 */
const EXTERNAL = [
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@grpc/proto-loader',
];

/** The half of grpc-js that is a server; its index exports both. */
const GRPC_SERVER = /@grpc\/grpc-js\/build\/src\/server(?:-credentials|-interceptors)?\.js$/;

/** Leaves the server out of grpc-js: functions are clients. */
const withoutGrpcServer: Plugin = {
  name: 'without-grpc-server',
  setup(bundling) {
    bundling.onLoad({ filter: GRPC_SERVER }, () => ({ contents: '' }));
  },
};

/** A bundled function: its size, and the packages that are in it. */
export type Bundle = { readonly name: string; readonly bytes: number; readonly packages: readonly string[] };

/**
 * Bundles every file of `functions/` into `<folder>/<name>/index.js`, SDK included: what was tested is what runs. Node 20
 * is the target, so that tests run the same bundle that Lambda does. Functions and classes keep their names, which stack
 * traces and errors show. One build for all, since they have most of their files in common.
 */
export async function bundleFunctions(folder = FUNCTIONS_FOLDER): Promise<readonly Bundle[]> {
  const names = (await readdir(SOURCES)).filter((file) => file.endsWith('.ts')).map((file) => path.parse(file).name);
  await rm(folder, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: names.map((name) => ({ in: path.join(SOURCES, `${name}.ts`), out: path.join(name, 'index') })),
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: true,
    legalComments: 'none',
    external: EXTERNAL,
    plugins: [withoutGrpcServer],
    metafile: true,
    logLevel: 'warning',
  });
  const outputs = new Map(Object.entries(metafile.outputs).map(([file, output]) => [path.resolve(file), output]));
  return names.sort().map((name) => bundleOf(name, outputs.get(path.resolve(folder, name, 'index.js'))));
}

function bundleOf(name: string, output: Metafile['outputs'][string] | undefined): Bundle {
  if (output === undefined) throw new Error(`esbuild made no bundle of ${name}`);
  const files = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const packages = files.flatMap(([file]) => packageOf(file) ?? []);
  return { name, bytes: output.bytes, packages: [...new Set(packages)].sort() };
}

function packageOf(file: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
}

/** One line a function, for people. */
export function sizeTable(bundles: readonly Bundle[]): string {
  const width = Math.max(...bundles.map(({ name }) => name.length));
  return bundles.map(({ name, bytes }) => `${name.padEnd(width)} ${kilobytes(bytes).padStart(8)}`).join('\n');
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}

if (require.main === module) {
  void bundleFunctions().then((bundles) => process.stdout.write(`${sizeTable(bundles)}\n`));
}
