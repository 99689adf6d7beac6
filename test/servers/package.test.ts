// The package as it would be published: packed, installed by npm into an empty project, and used there.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { ConsumerProject } from './support/consumer/consumer-project';

const TIMEOUT_MS = 5 * 60_000;

const DOCUMENT = `
registries:
  - { provider: Mock, cluster: demo }
  - { provider: External, cluster: shared }
`;

const APP = `
import { App, Stack } from 'aws-cdk-lib';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Pilotless, readConfiguration, type PilotlessProps } from 'pilotless';
import { isServiceChange, openCatalog, type PilotlessEvent } from 'pilotless/catalog';

const app = new App({ outdir: 'assembly' });
const stack = new Stack(app, 'mine');
const props: PilotlessProps = { configuration: readConfiguration('pilotless.yaml').configuration };
const pilotless = new Pilotless(stack, 'Discovery', props);
const target = new SqsQueue(new Queue(stack, 'Queue'));
pilotless.onServiceChange('ShopDeletions', { pattern: { types: ['Service Deleted'], namespaces: ['shop'] }, target });
pilotless.onPushRequested('Pushes', { target });
const code = Code.fromInline('exports.handler = async () => {}');
pilotless.grantReadCatalog(new Function(stack, 'Reader', { runtime: Runtime.NODEJS_24_X, handler: 'index.handler', code }));
pilotless.metricPropagationSeconds().createAlarm(stack, 'Slow', { threshold: 10, evaluationPeriods: 3 });
app.synth();

export const catalog = openCatalog({ catalog: 'a', registries: 'b', changes: 'c' });
export const changedService = (event: PilotlessEvent) => (isServiceChange(event) ? event.detail.service.key : undefined);
`;

const templateSchema = z.object({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), Properties: z.looseObject({}).default({}) })),
});

let project: ConsumerProject;

beforeAll(async () => {
  project = await ConsumerProject.install();
  await project.write('pilotless.yaml', DOCUMENT);
}, TIMEOUT_MS);

/** Of the app that was run last: the properties of its resources of a type. */
async function propertiesOf(type: string): Promise<readonly object[]> {
  const text = await readFile(path.join(project.folder, 'assembly', 'mine.template.json'), 'utf8');
  const resources = Object.values(templateSchema.parse(JSON.parse(text)).Resources);
  return resources.filter((resource) => resource.Type === type).map((resource) => resource.Properties);
}

describe('another CDK app has the installation in a stack of its own', () => {
  test(
    'written in TypeScript and checked with all declarations',
    async () => {
      await project.write('app.ts', APP);
      await project.compile(7, { module: 'nodenext' });
      await project.run('app.js');

      await expect(propertiesOf('AWS::DynamoDB::GlobalTable')).resolves.toHaveLength(5);
      await expect(propertiesOf('AWS::Scheduler::Schedule')).resolves.toHaveLength(3);
      await expect(propertiesOf('AWS::Lambda::Function')).resolves.toHaveLength(7);
      await expect(propertiesOf('AWS::Events::Rule')).resolves.toContainEqual(
        expect.objectContaining({
          EventPattern: {
            source: ['pilotless'],
            'detail-type': ['Service Deleted'],
            detail: { service: { namespace: ['shop'] } },
          },
        }),
      );
      await expect(propertiesOf('AWS::CloudWatch::Alarm')).resolves.toContainEqual(
        expect.objectContaining({ MetricName: 'PropagationSeconds', Threshold: 10 }),
      );
    },
    TIMEOUT_MS,
  );

  test(
    'whose compiler finds packages in the old way',
    async () => {
      await project.write('app.ts', APP);
      const oldWay = { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0', noEmit: true };

      await expect(project.compile(6, oldWay)).resolves.toBeUndefined();
    },
    TIMEOUT_MS,
  );

  test('whose functions are those of the package', async () => {
    const functions = path.join(project.folder, 'node_modules', 'pilotless', 'dist', 'functions');
    const bundles = await Promise.all(['aggregate-services', 'poll-mock', 'poll-external'].map(codeIn(functions)));
    const assembly = path.join(project.folder, 'assembly');
    const folders = (await readdir(assembly)).filter((name) => name.startsWith('asset.'));
    const assets = await Promise.all(folders.map(codeIn(assembly)));

    expect(assets).toEqual(expect.arrayContaining(bundles));
  });

  test('written in JavaScript, as CommonJS and as ES module', async () => {
    const lines = ["new Pilotless(new Stack(app, 'mine'), 'Discovery', readConfiguration('pilotless.yaml'));"];
    const body = ["const app = new App({ outdir: 'assembly' });", ...lines, 'app.synth();'].join('\n');
    const modules = { 'aws-cdk-lib': 'App, Stack', pilotless: 'Pilotless, readConfiguration' };
    const requires = Object.entries(modules).map(([name, what]) => `const { ${what} } = require('${name}');`);
    const imports = Object.entries(modules).map(([name, what]) => `import { ${what} } from '${name}';`);
    for (const [file, head] of [
      ['app.cjs', requires],
      ['app.mjs', imports],
    ] as const) {
      await project.write(file, [...head, body].join('\n'));
      await project.run(file);
      await expect(propertiesOf('AWS::Lambda::Function')).resolves.toHaveLength(6);
    }
  });
});

function codeIn(folder: string): (name: string) => Promise<string> {
  return (name) => readFile(path.join(folder, name, 'index.js'), 'utf8');
}

test('the schemas of events and of the configuration are in it', async () => {
  await project.write(
    'schemas.cjs',
    `const { EVENT_SCHEMAS } = require('pilotless/catalog');
     const files = ['configuration.json', ...new Set(Object.values(EVENT_SCHEMAS))];
     console.log(files.map((file) => require('pilotless/schemas/' + file).$schema).join(' '));`,
  );

  await expect(project.run('schemas.cjs')).resolves.toMatch(
    /^(https:\/\/json-schema.org\/draft\/2020-12\/schema ?){4}$/,
  );
});

test('npx pilotless reads registries', async () => {
  const command = path.join('node_modules', '.bin', 'pilotless');

  await expect(project.run(command, '--help')).resolves.toContain('Usage: pilotless');
  await expect(project.run(command, '--version')).resolves.toMatch(/^\d+\.\d+\.\d+$/);
  const printed = await project.run(command, 'discovery', '--registries', 'Mock', '--once', '-o', 'json');
  expect(JSON.parse(printed)).toMatchObject({ completeness: { complete: true } });
});

test('the Kubernetes client, which is an ES module, is found too', async () => {
  await project.write('kubeconfig', 'apiVersion: v1\nkind: Config\nclusters: []\ncontexts: []\nusers: []\n');
  const read = project.run(
    path.join('node_modules', '.bin', 'pilotless'),
    ...['discovery', '--registries', 'Kubernetes', '--kubeconfig', 'kubeconfig', '--once'],
  );

  await expect(read).rejects.toThrow('Context undefined of the kubeconfig leads to no cluster');
});

test('what its code and its declarations name is declared as a dependency, and nothing else is', async () => {
  const folder = path.join(project.folder, 'node_modules', 'pilotless');
  const files = (await readdir(path.join(folder, 'dist'), { recursive: true })).filter(
    (file) => /\.(js|d\.ts)$/.test(file) && !file.startsWith('functions'),
  );
  const named = await Promise.all(
    files.map(async (file) => packagesNamedIn(await readFile(path.join(folder, 'dist', file), 'utf8'))),
  );
  const manifest = manifestSchema.parse(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')));

  expect([...new Set(named.flat())].sort()).toEqual(
    Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).sort(),
  );
});

const manifestSchema = z.object({
  dependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
});

function packagesNamedIn(code: string): readonly string[] {
  const named = code.matchAll(/(?:require\(|import\(|from )["']((?:@[^/"']+\/)?[^./"'][^/"']*)/g);
  return [...named].map(([, name = '']) => name).filter((name) => !name.startsWith('node:'));
}
