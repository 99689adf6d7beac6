import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.join(__dirname, '..', '..');

/** Runs the application as the CDK command line does. */
function runApp(context: Readonly<Record<string, string>>) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', 'tsx/cjs', 'infra/app.ts'], {
    cwd: ROOT,
    env: { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context) },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('mistakes in the document end the synthesis with the mistakes and nothing else', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'pilotless-app-')), 'pilotless.yaml');
  writeFileSync(file, 'registries: [{ provider: Eureka }, { provider: Mock, interval: 1s }]');

  expect(runApp({ config: file })).toEqual({
    status: 1,
    stdout: '',
    stderr: [
      `${path.relative(ROOT, file)}: 2 mistakes`,
      '  registries[0].provider (line 1): "Eureka": not supported; supported: Kubernetes, Consul, MCP, Mock, External',
      '  registries[1].interval (line 1): "1s": out of range; allowed: 5s to 1h, written like 100ms, 5s, 15m or 1h; whole minutes from 1m on',
      '',
    ].join('\n'),
  });
}, 60_000);
