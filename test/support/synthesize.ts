import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, type Environment, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { PilotlessProps } from '../../infra/constructs/pilotless-props';
import { PilotlessStack } from '../../infra/pilotless-stack';
import { DEPLOYED_PROVIDERS } from '../../infra/providers/deployed-providers';
import type { Configuration } from '../../lib/bootstrap/configuration';
import { parseConfiguration } from '../../lib/bootstrap/parse-configuration';

const ROOT = path.join(__dirname, '..', '..');

/** The app as `cdk.json` has it, without its check of templates against CloudFormation's schemas, which takes seconds. */
export function makeApp(): App {
  process.env.CDK_VALIDATION = 'false';
  const { context } = JSON.parse(readFileSync(path.join(ROOT, 'cdk.json'), 'utf8')) as { context: object };
  return new App({
    analyticsReporting: false,
    treeMetadata: false,
    stackTraces: false,
    context: { ...context, 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true },
  });
}

/** The configuration of a document for AWS. */
export function configurationOf(document: string, providers = DEPLOYED_PROVIDERS): Configuration {
  const definitions = providers.map(({ definition }) => definition);
  return parseConfiguration(document, { file: 'pilotless.yaml', definitions }).configuration;
}

/** A folder with an empty function of each name: what a template says does not depend on what is in them. */
export function emptyFunctions(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilotless-functions-'));
  const bundles = [
    ...DEPLOYED_PROVIDERS.map(({ bundle }) => bundle),
    'aggregate-services',
    'publish-changes',
    'request-push',
    'reconcile',
  ];
  for (const bundle of bundles) {
    mkdirSync(path.join(folder, bundle));
    writeFileSync(path.join(folder, bundle, 'index.js'), `// ${bundle}\n`);
  }
  return folder;
}

export type SynthesisProps = Partial<Omit<PilotlessProps, 'configuration'>> & {
  /** The configuration document. */
  readonly document: string;
  /** Where the stack goes; by default that is left open. */
  readonly env?: Environment;
};

/** A stack named `pilotless` of the document. */
export function makeStack(app: App, { document, ...props }: SynthesisProps): PilotlessStack {
  return new PilotlessStack(app, 'pilotless', {
    configuration: configurationOf(document, props.providers),
    functionsFolder: emptyFunctions(),
    ...props,
  });
}

export function templateOf(stack: Stack): Template {
  return Template.fromStack(stack);
}

export function synthesize(props: SynthesisProps): Template {
  return templateOf(makeStack(makeApp(), props));
}
