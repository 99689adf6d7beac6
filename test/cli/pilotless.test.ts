import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cli } from '../support/collected-io';
import { EmbeddedWorld } from '../support/embedded-world';

/** The command as a process of its own, as people run it. */

const ROOT = join(__dirname, '../..');

function start(...args: readonly string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'lib/cli/pilotless.ts'), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, ...said }));
  /** Resolves when it has said so on standard output. */
  async function hasSaid(text: string): Promise<void> {
    while (!said.out.includes(text)) {
      const end = await Promise.race([once(child.stdout, 'data').then(() => undefined), ended]);
      if (end !== undefined && !said.out.includes(text)) throw new Error(`It ended: ${JSON.stringify(end)}`);
    }
  }
  return { child, hasSaid, ended };
}

test('nobody at the endpoint is a failure that says what to do', async () => {
  expect(await start('services', '--endpoint-url', 'http://127.0.0.1:9').ended).toEqual({
    code: 1,
    out: '',
    err: 'error: No catalog at http://127.0.0.1:9. Start one with pilotless discovery, or name another with --endpoint-url or --data-dir\n',
  });
});

describe('a running server', () => {
  let world: EmbeddedWorld;

  beforeEach(async () => {
    world = await EmbeddedWorld.make();
  });

  afterEach(() => world.end());

  test('is read by other commands, ends cleanly on SIGTERM and loses nothing', async () => {
    const server = start('discovery', '--registries', 'Mock', '--port', '0', '--data-dir', world.dataDir);
    await server.hasSaid('Push Requested');
    const asked = await start('services', '--data-dir', world.dataDir).ended;
    expect(asked).toMatchObject({ code: 0, err: '' });
    expect(asked.out).toContain('world.default.svc.cluster.local');
    server.child.kill('SIGTERM');
    const { code, err } = await server.ended;
    expect(code).toBe(0);
    expect(err).toMatch(/^Tables at \S+\n$/);
    expect((await cli(['services', '--data-dir', world.dataDir])).out).toBe(asked.out.trimEnd());
  });

  test('that was killed leaves a catalog that the next one goes on with', async () => {
    const server = start('discovery', '--registries', 'Mock', '--port', '0', '--data-dir', world.dataDir);
    await server.hasSaid('Push Requested');
    server.child.kill('SIGKILL');
    await server.ended;
    const next = await start('discovery', '--registries', 'Mock', '--data-dir', world.dataDir, '--once').ended;
    expect(next).toMatchObject({ code: 0, err: '' });
    expect(next.out).toContain('world.default.svc.cluster.local');
  });
});
