import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { freePort } from './support/processes/free-port';
import { sendRequest } from './support/processes/send-request';
import { ServerProcess } from './support/processes/server-process';
import { waitUntil } from './support/processes/wait-until';

describe('a server process', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'pilotless-process-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('tells how it ended and what it printed when it does not come up', async () => {
    const server = makeServer('echo no such flag >&2; exit 7', () => Promise.resolve(false));

    await expect(server.start()).rejects.toThrow(
      /ended before it was ready \(7\)\n.*sample.log ends with:\nno such flag$/,
    );
  });

  test('tells when there is no such program', async () => {
    const server = new ServerProcess({
      name: 'sample',
      file: 'no-such',
      args: [],
      folder,
      isReady: () => Promise.resolve(false),
    });

    await expect(server.start()).rejects.toThrow('no-such: No such file');
  });

  test.each(['stop', 'kill'] as const)('ends with its children on %s, and starts again', async (ending) => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const childFile = path.join(folder, 'child');
    const server = makeServer(
      `sleep 600 & echo $! > ${childFile}; exec node -e "${answering(url)}"`,
      async (signal) => {
        return (await sendRequest({ url, signal })).status === 200;
      },
    );

    await server.start();
    await server[ending]();

    expect(server.isRunning).toBe(false);
    await expect(sendRequest({ url })).rejects.toThrow('ECONNREFUSED');
    await expectGone(Number(await readFile(childFile, 'utf8')));
    await server.start();
    await expect(sendRequest({ url })).resolves.toMatchObject({ status: 200, body: 'up' });
    await server.stop();
  });

  function makeServer(script: string, isReady: (signal: AbortSignal) => Promise<boolean>): ServerProcess {
    return new ServerProcess({ name: 'sample', file: 'sh', args: ['-c', script], folder, isReady });
  }
});

test('a free port is one that nothing listens on', async () => {
  const port = await freePort();
  const server = createServer();

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });

  await new Promise((resolve) => server.close(resolve));
  expect(port).toBeLessThan(32_768);
});

/** A program for Node that answers every request. */
function answering(url: string): string {
  const { port } = new URL(url);
  return `require('http').createServer((_, answer) => answer.end('up')).listen(${port}, '127.0.0.1')`;
}

/** Gone or a zombie: nobody may be there to collect a process whose parent is dead. */
async function expectGone(pid: number): Promise<void> {
  const gone = await waitUntil({
    what: `process ${pid} is gone`,
    attempt: async () => {
      const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z ');
      return state.includes(') Z ') || undefined;
    },
  });
  expect(gone).toBe(true);
}
