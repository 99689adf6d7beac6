import * as z from 'zod';
import { parseConfiguration, type ConfigurationOptions } from '../../lib/bootstrap/parse-configuration';
import { ConfigurationError } from '../../lib/bootstrap/configuration-error';
import { testDefinitions } from '../support/provider-definitions';

function parse(text: string, options: Partial<ConfigurationOptions> = {}) {
  return parseConfiguration(text, {
    file: 'pilotless.yaml',
    definitions: testDefinitions,
    environment: {},
    ...options,
  });
}

function mistakes(text: string, options: Partial<ConfigurationOptions> = {}): readonly string[] {
  try {
    parse(text, options);
  } catch (error) {
    if (error instanceof ConfigurationError)
      return error.message
        .split('\n')
        .slice(1)
        .map((line) => line.trim());
    throw error;
  }
  return [];
}

describe('a whole document', () => {
  const { configuration, warnings } = parse(`
domainSuffix: mesh.local
trustDomain: corp.example
registries:
  - { provider: External, cluster: shared, source: ./entries, interval: 10s }
  - { provider: Kubernetes, cluster: eks-prod, mode: poll, interval: 2m, maxRun: 5m, trustDomain: other }
  - { provider: Mock, paused: true, expireAfter: 1h, guard: { confirmations: 1 } }
push: { quiet: 50ms, max: 2s }
guard: { maxRemovedPercent: 20, maxRemoved: 5, confirmations: 4, minHold: 2m, maxHold: 20m }
`);
  const guard = { maxRemovedPercent: 20, maxRemoved: 5, confirmations: 4, minHoldMs: 120_000, maxHoldMs: 1_200_000 };

  test('gives every key its place, defaults applied', () => {
    expect(warnings).toEqual([]);
    expect(configuration).toMatchObject({
      domainSuffix: 'mesh.local',
      trustDomain: 'corp.example',
      push: { quietMs: 50, maxMs: 2000 },
      guard,
    });
    expect(configuration.registries).toMatchObject([
      {
        id: 'External/shared',
        provider: 'External',
        cluster: 'shared',
        mode: 'poll',
        intervalMs: 10_000,
        maxRunMs: 840_000,
        paused: false,
        domainSuffix: 'mesh.local',
        trustDomain: 'corp.example',
        guard,
        settings: { source: './entries' },
      },
      { id: 'Kubernetes/eks-prod', mode: 'poll', intervalMs: 120_000, maxRunMs: 300_000, trustDomain: 'other' },
      { id: 'Mock/default', paused: true, expireAfterMs: 3_600_000, guard: { ...guard, confirmations: 1 } },
    ]);
  });

  test('keeps the settings of a provider as they were written, without the keys that all registries have', () => {
    const wait = z.string().transform((text) => Number(text));
    const parsed = parseConfiguration('registries: [{ provider: Mock, interval: 10s, wait: "7" }]', {
      file: 'pilotless.yaml',
      definitions: [
        {
          provider: 'Mock',
          settings: { wait },
          watch: 'unsupported',
          load: () => Promise.reject(new Error('parsing only')),
        },
      ],
    });

    expect(parsed.configuration.registries).toMatchObject([
      { intervalMs: 10_000, settings: { wait: 7 }, writtenSettings: { wait: '7' } },
    ]);
    expect(Object.keys(parsed.configuration.registries[0]!.writtenSettings)).toEqual(['wait']);
  });

  test('puts Kubernetes first in the order of merging, each group in configuration order', () => {
    expect(configuration.registries.map(({ id, precedence }) => [id, precedence])).toEqual([
      ['External/shared', 1],
      ['Kubernetes/eks-prod', 0],
      ['Mock/default', 2],
    ]);
  });

  test('names each registry configuration by a version that changes with any of its keys and no other registry', () => {
    const versions = (text: string) => parse(text).configuration.registries.map((registry) => registry.configVersion);
    const before = versions('registries: [{provider: Mock}, {provider: External}]');
    const after = versions('registries: [{provider: Mock, interval: 6s}, {provider: External}]');
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).toBe(before[1]);
  });
});

describe('defaults', () => {
  test.each(['', '{}', '# nothing but a comment'])('%j is a document: External alone', (text) => {
    expect(parse(text).configuration).toMatchObject({
      domainSuffix: 'cluster.local',
      trustDomain: 'cluster.local',
      registries: [{ id: 'External/default', intervalMs: 5000, settings: {} }],
      push: { quietMs: 100, maxMs: 10_000 },
      guard: { maxRemovedPercent: 30, maxRemoved: 10, confirmations: 3, minHoldMs: 60_000, maxHoldMs: 900_000 },
    });
  });

  test('the External registry is added last when there is none', () => {
    const { configuration } = parse('registries: [{provider: Mock}, {provider: Kubernetes}]');
    expect(configuration.registries.map(({ id }) => id)).toEqual([
      'Mock/default',
      'Kubernetes/default',
      'External/default',
    ]);
  });

  test('a configured External registry takes the place of the one that is added', () => {
    const { configuration } = parse('registries: [{provider: External, cluster: own}, {provider: Mock}]');
    expect(configuration.registries.map(({ id }) => id)).toEqual(['External/own', 'Mock/default']);
  });

  test('a provider that can watch by default does', () => {
    expect(parse('registries: [{provider: Kubernetes}]').configuration.registries[0]?.mode).toBe('watch');
  });
});

describe('a registry listed twice', () => {
  test('is a warning, and the first is kept', () => {
    const { configuration, warnings } = parse(
      'registries: [{provider: Mock, interval: 7s}, {provider: Mock, cluster: default}, {provider: External}]',
    );
    expect(warnings).toEqual(['Registry Mock/default is listed twice; the first one is kept']);
    expect(configuration.registries.map(({ id, intervalMs }) => [id, intervalMs])).toEqual([
      ['Mock/default', 7000],
      ['External/default', 5000],
    ]);
  });
});

describe('a registry that stands for two', () => {
  const registriesOf = (text: string) => parse(text).configuration.registries;

  test('is followed by its companion, with the same settings, which wins over nobody by it', () => {
    const registries = registriesOf(`
registries:
  - { provider: Mock }
  - { provider: Kubernetes, cluster: prod, kubeconfig: ./k, serviceEntries: true, interval: 7s, paused: true }
`);
    expect(registries.map(({ id, precedence }) => [id, precedence])).toEqual([
      ['Mock/default', 1],
      ['Kubernetes/prod', 0],
      ['External/prod', 2],
      ['External/default', 3],
    ]);
    const settings = { kubeconfig: './k', serviceEntries: true };
    const shared = { cluster: 'prod', mode: 'watch', intervalMs: 7000, paused: true, listedAs: 'Kubernetes' };
    expect(registries.slice(1, 3)).toMatchObject([
      { ...shared, provider: 'Kubernetes', settings, writtenSettings: settings },
      { ...shared, provider: 'External', settings, writtenSettings: settings },
    ]);
    expect(registries[1]?.configVersion).not.toBe(registries[2]?.configVersion);
    expect(registries.at(-1)).toMatchObject({ provider: 'External', listedAs: 'External', settings: {} });
  });

  test.each(['', ', serviceEntries: false'])('stays one with %j', (wish) => {
    const registries = registriesOf(`registries: [{ provider: Kubernetes, cluster: prod${wish} }]`);
    expect(registries.map(({ id }) => id)).toEqual(['Kubernetes/prod', 'External/default']);
  });

  test('has the companion of the first one when it is listed twice', () => {
    const ids = (first: boolean) =>
      registriesOf(
        `registries: [{ provider: Kubernetes, cluster: a, serviceEntries: ${first} }, { provider: Kubernetes, cluster: a, serviceEntries: ${!first} }]`,
      ).map(({ id }) => id);
    expect(ids(true)).toEqual(['Kubernetes/a', 'External/a', 'External/default']);
    expect(ids(false)).toEqual(['Kubernetes/a', 'External/default']);
  });

  test.each([
    [
      'that is listed',
      '[{ provider: External, cluster: prod }, { provider: Kubernetes, cluster: prod, serviceEntries: true }]',
      'registries[1].serviceEntries (line 1): true: makes Kubernetes/prod two registries, itself and External/prod, which registries[0] is; allowed: another cluster name for one of them',
    ],
    [
      'that is always there',
      '[{ provider: Kubernetes, serviceEntries: true }]',
      'registries[0].serviceEntries (line 1): true: makes Kubernetes/default two registries, itself and External/default, which is the one that is always there; allowed: another cluster name than default',
    ],
  ])('may not have the id of another registry, %s', (_, registries, message) => {
    expect(mistakes(`registries: ${registries}`)).toEqual([message]);
  });

  test('goes by what a flag says in place of the document', () => {
    const { configuration } = parse('registries: [{ provider: Kubernetes, cluster: prod }]', {
      overrides: { Kubernetes: { serviceEntries: true } },
    });
    expect(configuration.registries.map(({ id }) => id)).toEqual([
      'Kubernetes/prod',
      'External/prod',
      'External/default',
    ]);
  });
});

describe('mistakes', () => {
  test('are all reported at once, each with path, line, value and what is allowed', () => {
    expect(
      mistakes(`
domainSuffix: "-bad-"
gaurd: {}
registries:
  - { provider: Eureka }
  - { provider: Mock, interval: 5, source: x }
  - { provider: Kubernetes, eks: { nam: prod } }
  - Mock
guard: { confirmations: 0, minHold: 5 }
`),
    ).toEqual([
      'domainSuffix (line 2): "-bad-": not a domain name; allowed: labels of letters, digits and "-", separated by "."',
      'guard.confirmations (line 9): 0: not a count; allowed: 1 to 100',
      'guard.minHold (line 9): 5: not a duration; allowed: 0s to 24h, written like 100ms, 5s, 15m or 1h',
      'gaurd (line 3): {}: unknown key; allowed: domainSuffix, trustDomain, registries, push, guard',
      'registries[0].provider (line 5): "Eureka": not supported; supported: Kubernetes, External, Mock',
      'registries[1].interval (line 6): 5: not a duration; allowed: 5s to 1h, written like 100ms, 5s, 15m or 1h; whole minutes from 1m on',
      'registries[1].source (line 6): "x": unknown key; allowed: provider, cluster, mode, interval, maxRun, expireAfter, paused, domainSuffix, trustDomain, guard, faults',
      'registries[2].eks.name (line 7): missing; allowed: text',
      'registries[2].eks.nam (line 7): "prod": unknown key; allowed: name',
      'registries[3].provider (line 8): missing; supported: Kubernetes, External, Mock',
    ]);
  });

  test('the message counts them and names the file', () => {
    expect(() => parse('a: 1')).toThrow(/^pilotless\.yaml: 1 mistake\n {2}a \(line 1\): 1: unknown key/);
    expect(() => parse('{a: 1, b: 2}')).toThrow(/^pilotless\.yaml: 2 mistakes\n/);
  });

  test.each([
    ['registries: Mock', 'registries (line 1): "Mock": not a list; allowed: a list of registries'],
    ['registries:', 'registries (line 1): null: not a list; allowed: a list of registries'],
    ['- a', 'document (line 1): ["a"]: wrong type; allowed: keys and values'],
    [
      'push: { quiet: 100 }',
      'push.quiet (line 1): 100: not a duration; allowed: 0s to 1m, written like 100ms, 5s, 15m or 1h',
    ],
    [
      'push: { max: 6m }',
      'push.max (line 1): "6m": out of range; allowed: 0s to 5m, written like 100ms, 5s, 15m or 1h',
    ],
    ['guard: { maxRemovedPercent: 101 }', 'guard.maxRemovedPercent (line 1): 101: not a percentage; allowed: 0 to 100'],
    ['guard: { maxRemoved: 1.5 }', 'guard.maxRemoved (line 1): 1.5: not a count; allowed: whole numbers from 0 on'],
    ['registries: [{provider: Mock, mode: watch}]', 'registries[0].mode (line 1): "watch": not allowed; allowed: poll'],
    [
      'registries: [{provider: Mock, paused: "yes"}]',
      'registries[0].paused (line 1): "yes": not a boolean; allowed: true, false',
    ],
    [
      'registries: [{provider: Mock, cluster: "-x"}]',
      'registries[0].cluster (line 1): "-x": not a cluster name; allowed: 1 to 63 letters, digits, ".", "_" or "-", starting with a letter or digit',
    ],
    [
      'trustDomain: "a b"',
      'trustDomain (line 1): "a b": not a trust domain; allowed: letters, digits, "@", ".", "_" and "-"',
    ],
  ])('%s', (text, message) => {
    expect(mistakes(text)).toEqual([message]);
  });

  test('a key that stands twice is refused', () => {
    expect(mistakes('domainSuffix: a\ntrustDomain: b\ndomainSuffix: c')).toEqual([
      'document (line 3): key domainSuffix stands twice; allowed: once',
    ]);
  });

  test('bad YAML names the line', () => {
    expect(mistakes('a: [1\nb: 2')[0]).toMatch(/^document \(line \d\): .+/);
  });
});

describe('${NAME}', () => {
  const environment = { SET: 'value', EMPTY: '' };
  const source = (text: string) =>
    parse(`registries: [{provider: External, source: "${text}"}]`, { environment }).configuration.registries[0]
      ?.settings.source;

  test.each([
    ['${SET}', 'value'],
    ['a-${SET}-${SET}', 'a-value-value'],
    ['${SET:-other}', 'value'],
    ['${EMPTY:-other}', 'other'],
    ['${UNSET:-}', ''],
    ['${UNSET:-a:-b}', 'a:-b'],
    ['$SET {SET}', '$SET {SET}'],
  ])('%s is %j', (text, value) => {
    expect(source(text)).toBe(value);
  });

  test.each([
    ['${UNSET}', 'environment variable UNSET is unset or empty; set it, or give a default: ${UNSET:-default}'],
    ['${EMPTY}', 'environment variable EMPTY is unset or empty; set it, or give a default: ${EMPTY:-default}'],
    ['${1BAD}', '${1BAD} names no variable; allowed: ${NAME} or ${NAME:-default}'],
  ])('%s is a mistake', (text, message) => {
    expect(mistakes(`registries:\n- { provider: External, source: "${text}" }`, { environment })).toEqual([
      `registries[0].source (line 2): "${text}": ${message}`,
    ]);
  });

  test('is a mistake where the document has to stand for itself', () => {
    const withoutEnvironment = { file: 'f', definitions: testDefinitions };
    expect(() => parseConfiguration('domainSuffix: "${SET}"', withoutEnvironment)).toThrow(
      'no environment variables here; allowed: plain values, secrets by ARN',
    );
  });
});

describe('--registries', () => {
  const document = 'registries: [{provider: Mock, cluster: a}, {provider: Mock, cluster: b}, {provider: Kubernetes}]';
  const ids = (select: readonly string[]) => parse(document, { select }).configuration.registries.map(({ id }) => id);

  test('a provider stands for all its registries of the document, External is added last', () => {
    expect(ids(['Mock'])).toEqual(['Mock/a', 'Mock/b', 'External/default']);
  });

  test('a provider that the document lacks gets one registry with default settings', () => {
    expect(parse('', { select: ['Mock'] }).configuration.registries.map(({ id }) => id)).toEqual([
      'Mock/default',
      'External/default',
    ]);
  });

  test('named twice is a warning', () => {
    expect(parse('', { select: ['Mock', 'Mock'] }).warnings).toEqual([
      'Registry Mock/default is listed twice; the first one is kept',
    ]);
  });

  test('an unsupported one is a mistake that lists the supported ones', () => {
    expect(mistakes('', { select: ['Eureka'] })).toEqual([
      '--registries: "Eureka": not supported; supported: Kubernetes, External, Mock',
    ]);
  });
});

describe('command-line values', () => {
  test('take the place of settings and are checked like them', () => {
    const overrides = { Kubernetes: { kubeconfig: '/k' } };
    const { configuration } = parse('registries: [{provider: Kubernetes, kubeconfig: /other}]', { overrides });
    expect(configuration.registries[0]?.settings).toEqual({ kubeconfig: '/k' });
    expect(mistakes('', { select: ['Kubernetes'], overrides: { Kubernetes: { kubeconfig: 5 } } })).toEqual([
      '--registries.kubeconfig: 5: wrong type; allowed: text',
    ]);
  });

  test("--domain takes the place of the document's domainSuffix, not of a registry's own", () => {
    const { configuration } = parse(
      'domainSuffix: a.local\nregistries: [{provider: Mock, domainSuffix: own.local}, {provider: Kubernetes}]',
      { domainSuffix: 'b.local' },
    );
    expect(configuration.domainSuffix).toBe('b.local');
    expect(configuration.registries.map(({ domainSuffix }) => domainSuffix)).toEqual([
      'own.local',
      'b.local',
      'b.local',
    ]);
    expect(mistakes('', { domainSuffix: '-' })).toEqual([
      'domainSuffix: "-": not a domain name; allowed: labels of letters, digits and "-", separated by "."',
    ]);
  });

  test('--resync takes the place of every interval', () => {
    const { configuration } = parse('registries: [{provider: Mock, interval: 10s}]', { intervalMs: 700 });
    expect(configuration.registries.map(({ intervalMs }) => intervalMs)).toEqual([700, 700]);
  });
});
