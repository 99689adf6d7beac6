import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { freePort } from '../processes/free-port';
import { sendRequest } from '../processes/send-request';
import { makeServerFolder } from '../processes/server-folder';
import { type Restartable, ServerProcess } from '../processes/server-process';
import { ensureMinistack } from './ensure-ministack';

const REGION = 'us-east-1';

/** Folder of what is kept over restarts. */
const STATE = 'state';

export type MinistackOptions = {
  /** Keep state over `stop` and `start`. It is written when the server stops: `kill` loses it all the same. @default false */
  readonly persistent?: boolean;
  /** Further environment of the emulator. @default none */
  readonly env?: Readonly<Record<string, string>>;
};

export interface Ministack extends Restartable {
  readonly url: string;
  readonly logFile: string;
  readonly accountId: string;
  readonly region: string;
  /** What the AWS SDK and the CDK command line need to talk to it and to nothing else. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Emulated AWS on a free port of 127.0.0.1. Functions that are deployed run as processes of this machine's Node. */
export async function startMinistack(options: MinistackOptions = {}): Promise<Ministack> {
  const python = await ensureMinistack();
  const folder = await makeServerFolder('ministack');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = awsEnvironment(url);
  const server = new ServerProcess({
    name: 'ministack',
    file: python,
    args: ['-m', 'ministack'],
    env: { ...environment, ...emulatorEnvironment(folder, port, options.persistent ?? false), ...options.env },
    folder,
    isReady: async (signal) => (await sendRequest({ url: `${url}/_ministack/health`, signal })).status === 200,
    deathSignal: 'TERM', // so that it ends the functions that it runs
  });
  await server.start();
  return {
    url,
    logFile: server.logFile,
    accountId: '000000000000',
    region: REGION,
    environment,
    start: async () => {
      await forgetStreamPositions(folder);
      await server.start();
    },
    stop: () => server.stop(),
    kill: () => server.kill(),
  };
}

/**
 * ministack 1.5.33 keeps how far each mapping has read its stream, and not the records: over a restart it would wait for as
 * many new ones before it hands over the next.
 */
async function forgetStreamPositions(folder: string): Promise<void> {
  const file = path.join(folder, STATE, 'lambda.json');
  if (!existsSync(file)) return;
  const { payload, ...rest } = stateSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const { dynamodb_stream_positions: _, ...kept } = payload;
  await writeFile(file, JSON.stringify({ ...rest, payload: kept }));
}

const stateSchema = z.looseObject({ payload: z.looseObject({ dynamodb_stream_positions: z.unknown().optional() }) });

/** Any key is accepted; configuration files of the user and the metadata service must not be asked for another. */
function awsEnvironment(url: string): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL: url,
    AWS_ENDPOINT_URL_S3: url,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
}

function emulatorEnvironment(folder: string, port: number, persistent: boolean): Readonly<Record<string, string>> {
  const persist = persistent ? '1' : '0';
  return {
    BIND_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    PERSIST_STATE: persist,
    STATE_DIR: path.join(folder, STATE),
    S3_PERSIST: persist,
    S3_DATA_DIR: `${folder}/s3`,
    TMPDIR: folder,
    // Listeners that no test needs and that do not heed BIND_HOST.
    SFTP_ENABLED: '0',
    IOT_MTLS_ENABLED: '0',
  };
}
