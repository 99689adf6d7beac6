import { appendFile, cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DeleteBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { FUNCTIONS_FOLDER } from '../../../../infra/functions-folder';
import type { Ministack } from '../ministack/start-ministack';
import { runCommand } from '../parts/run-command';

const ROOT = path.join(__dirname, '..', '..', '..', '..');
const CDK = path.join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');

/** Bundling, synthesis with all checks, and the deployment of a hundred resources on a busy machine. */
const TIMEOUT_MS = 5 * 60_000;

/** What the stack says of itself when it has been deployed. */
export type StackOutputs = Readonly<Record<string, string>>;

/** @throws Error when the stack does not say it. */
export function outputOf(outputs: StackOutputs, name: string): string {
  const value = outputs[name];
  if (value === undefined) throw new Error(`the stack has no output ${name}`);
  return value;
}

/** The CDK command line of this repository, against an emulated AWS, with configuration documents given as text. */
export class Cdk {
  readonly #aws: Ministack;
  readonly #folder: string;

  private constructor(aws: Ministack, folder: string) {
    this.#aws = aws;
    this.#folder = folder;
  }

  static async of(aws: Ministack): Promise<Cdk> {
    return new Cdk(aws, await mkdtemp(path.join(tmpdir(), 'pilotless-cdk-')));
  }

  async bootstrap(): Promise<void> {
    const { accountId, region } = this.#aws;
    await this.#run('bootstrap', `aws://${accountId}/${region}`);
    // Its bucket refuses plain HTTP, which is what the emulator speaks.
    const bucket = `cdk-hnb659fds-assets-${accountId}-${region}`;
    await new S3Client({}).send(new DeleteBucketPolicyCommand({ Bucket: bucket }));
  }

  /** Deploys the application with this configuration document, and with functions from a folder if one is given. */
  async deploy(document: string, functions?: string): Promise<StackOutputs> {
    const outputs = path.join(this.#folder, 'outputs.json');
    await this.#run(
      'deploy',
      '--require-approval',
      'never',
      '--outputs-file',
      outputs,
      ...(await this.#context(document)),
      ...(functions === undefined ? [] : ['-c', `functions=${functions}`]),
    );
    return outputsSchema.parse(JSON.parse(await readFile(outputs, 'utf8'))).pilotless;
  }

  /** What `cdk diff` prints; fails when there is a difference. */
  async diff(document: string): Promise<string> {
    return this.#run('diff', '--fail', ...(await this.#context(document)));
  }

  async destroy(document: string): Promise<void> {
    await this.#run('destroy', '--force', ...(await this.#context(document)));
  }

  /** A copy of the functions as they were deployed last, in which the code of one has changed. */
  async changedFunctions(name: string): Promise<string> {
    const folder = path.join(this.#folder, 'functions');
    await cp(FUNCTIONS_FOLDER, folder, { recursive: true });
    await appendFile(path.join(folder, name, 'index.js'), '\n// another version of the code\n');
    return folder;
  }

  async #context(document: string): Promise<readonly string[]> {
    const file = path.join(this.#folder, 'pilotless.yaml');
    await writeFile(file, document);
    return ['--output', path.join(this.#folder, 'cdk.out'), '-c', `config=${file}`, '-c', 'emulated=true'];
  }

  #run(...args: readonly string[]): Promise<string> {
    return runCommand({
      file: process.execPath,
      args: [CDK, ...args],
      cwd: ROOT,
      env: { ...this.#aws.environment, NODE_ENV: 'production' },
      timeoutMs: TIMEOUT_MS,
    });
  }
}

const outputsSchema = z.object({ pilotless: z.record(z.string(), z.string()) });
