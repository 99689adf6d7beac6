import path from 'node:path';
import { RemovalPolicy, Validations, type App } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import * as z from 'zod';
import { AppError } from '../lib/model/app-error';
import { leaveOutWhatIsNotEmulated } from './emulated-aws';
import { FUNCTIONS_FOLDER } from './functions-folder';
import { PilotlessStack } from './pilotless-stack';
import { readConfiguration } from './read-configuration';

/** What `-c name=value` may say. */
const contextSchema = z.object({
  /** The configuration document. */
  config: z.string().default(path.join(__dirname, 'pilotless.yaml')),
  /** Where the bundled functions are. */
  functions: z.string().default(FUNCTIONS_FOLDER),
  stack: z.string().default('pilotless'),
  /** Whether tables and bucket stay when the stack goes. */
  data: z.enum(['retain', 'destroy']).default('retain'),
  /** `true` for the emulated AWS, see {@link leaveOutWhatIsNotEmulated}. */
  emulated: z.enum(['true', 'false']).default('false'),
});

/**
 * Puts the stack that the app's context and its configuration document describe into the app, and synthesizes it.
 *
 * @param warn gets each thing of the document that is not as meant, yet no mistake.
 * @throws ContextError when the context means nothing; ConfigurationError with every mistake of the document.
 */
export function synthesizeApp(app: App, warn: (message: string) => void): void {
  const context = contextOf(app);
  const { configuration, warnings } = readConfiguration(context.config);
  for (const warning of warnings) warn(warning);
  const { pilotless } = new PilotlessStack(app, context.stack, {
    description: 'Pilotless: merges service registries into one catalog and turns each change into events',
    configuration,
    functionsFolder: context.functions,
    removalPolicy: context.data === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  if (context.emulated === 'true') leaveOutWhatIsNotEmulated(pilotless);
  else Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  app.synth();
}

function contextOf({ node }: App): z.output<typeof contextSchema> {
  const given = Object.keys(contextSchema.shape).map((name) => [name, node.tryGetContext(name) as unknown] as const);
  const parsed = contextSchema.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  throw new AppError(`Context (-c): ${z.prettifyError(parsed.error)}`, { code: 'ContextError' });
}
