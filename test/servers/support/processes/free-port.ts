import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below Linux's ephemeral ports (32768 to 60999 by default), which the kernel gives to outgoing connections: a server
 * that is restarted on its port must not find a client sitting on it.
 */
const LOWEST = 20_000;
const HIGHEST = 32_767;
const ATTEMPTS = 100;

const handedOut = new Set<number>();

/** A TCP port of 127.0.0.1 that nothing listens on and that this process has not been given before. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (handedOut.has(port) || !(await canListen(port))) continue;
    handedOut.add(port);
    return port;
  }
  throw new Error(`no free port between ${LOWEST} and ${HIGHEST} after ${ATTEMPTS} attempts`);
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
