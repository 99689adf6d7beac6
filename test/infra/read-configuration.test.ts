import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfiguration } from '../../infra/read-configuration';

function fileOf(document: string): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'pilotless-configuration-')), 'pilotless.yaml');
  writeFileSync(file, document);
  return file;
}

describe('readConfiguration for the stack', () => {
  test('reads the sample configuration', () => {
    const { configuration, warnings } = readConfiguration(path.join(__dirname, '../../infra/pilotless.yaml'));

    expect(configuration.registries.map(({ id }) => id)).toEqual(['Mock/demo', 'External/shared']);
    expect(warnings).toEqual([]);
  });

  test('tells every mistake at once, with path, value and what is allowed', () => {
    const file = fileOf(
      [
        'registries:',
        '  - { provider: Mock, interval: 2s }',
        '  - { provider: Eureka }',
        '  - { provider: External, source: ./service-entries }',
        '  - { provider: Mock, cluster: a, trustDomain: "${DOMAIN}" }',
        'push: { quiet: 100 }',
      ].join('\n'),
    );

    expect(() => readConfiguration(file)).toThrow(
      [
        `${path.relative(process.cwd(), file)}: 6 mistakes`,
        '  registries[3].trustDomain (line 5): "${DOMAIN}": no environment variables here; allowed: plain values, secrets by ARN',
        '  push.quiet (line 6): 100: not a duration; allowed: 0s to 1m, written like 100ms, 5s, 15m or 1h',
        '  registries[0].interval (line 2): "2s": out of range; allowed: 5s to 1h, written like 100ms, 5s, 15m or 1h; whole minutes from 1m on',
        '  registries[1].provider (line 3): "Eureka": not supported; supported: Kubernetes, Consul, MCP, Mock, External',
        '  registries[2].source (line 4): "./service-entries": not a place in S3; allowed: s3://bucket/prefix/',
        '  registries[3].trustDomain (line 5): "${DOMAIN}": not a trust domain; allowed: letters, digits, "@", ".", "_" and "-"',
      ].join('\n'),
    );
  });

  test('a registry listed twice is a warning', () => {
    const { warnings } = readConfiguration(fileOf('registries: [{ provider: Mock }, { provider: Mock }]'));

    expect(warnings).toEqual(['Registry Mock/default is listed twice; the first one is kept']);
  });

  test('a registry is reached as a function can reach it: no files, no secrets in the document', () => {
    const file = fileOf(
      [
        'registries:',
        '  - { provider: Kubernetes, kubeconfig: ./kubeconfig }',
        '  - { provider: Consul, address: "https://consul", token: secret, caFile: ca.pem }',
      ].join('\n'),
    );

    expect(() => readConfiguration(file)).toThrow(/registries\[0\].eks \(line 2\): missing/);
    expect(() => readConfiguration(file)).toThrow(
      /registries\[0\].kubeconfig \(line 2\): "\.\/kubeconfig": unknown key/,
    );
    expect(() => readConfiguration(file)).toThrow(/registries\[1\].token \(line 3\): "secret": unknown key/);
    expect(() => readConfiguration(file)).toThrow(/registries\[1\].caFile \(line 3\): "ca.pem": unknown key/);
  });
});
