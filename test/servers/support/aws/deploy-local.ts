// `npm run deploy:local [document]`: the application on an emulated AWS, to try it by hand. Runs until Ctrl-C.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startMinistack, type Ministack } from '../ministack/start-ministack';
import { Cdk, type StackOutputs } from './cdk';

const SAMPLE = path.join(__dirname, '..', '..', '..', '..', 'infra', 'pilotless.yaml');

async function deployLocally(file: string): Promise<void> {
  const aws = await startMinistack();
  const stop = (): void => void aws.stop().then(() => process.exit(0));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  Object.assign(process.env, aws.environment);
  const cdk = await Cdk.of(aws);
  await cdk.bootstrap();
  const outputs = await cdk.deploy(await readFile(file, 'utf8'));
  process.stdout.write(describe(aws, outputs));
  setInterval(() => undefined, 60_000); // the emulator ends with this process
}

/** What to type to look inside. */
function describe(aws: Ministack, outputs: StackOutputs): string {
  const { CatalogTable, RegistriesTable, Bus, ServiceEntryBucket } = outputs;
  const variables = Object.entries(aws.environment).map(([name, value]) => `export ${name}=${value}`);
  const names = Object.entries(outputs).map(([name, value]) => `  ${name.padEnd(20)} ${value}`);
  return `
${variables.join('\n')}

${names.join('\n')}

The first readings come within a minute. With the environment above:

  # the state of each registry
  aws dynamodb scan --table-name ${RegistriesTable ?? ''}
  # the catalog
  aws dynamodb scan --table-name ${CatalogTable ?? ''} --projection-expression service
  # another manifest, which becomes a change and a push
  aws s3 cp infra/service-entries/ s3://${ServiceEntryBucket ?? ''}/ --recursive
  # events as they come
  aws sqs create-queue --queue-name look
  aws events put-rule --event-bus-name ${Bus ?? ''} --name look --event-pattern '{"source": ["pilotless"]}'
  aws events put-targets --event-bus-name ${Bus ?? ''} --rule look \\
    --targets Id=look,Arn=arn:aws:sqs:${aws.region}:${aws.accountId}:look
  aws sqs receive-message --queue-url ${aws.url}/${aws.accountId}/look --max-number-of-messages 10
  # what the functions log
  less ${aws.logFile}

Ctrl-C ends it.
`;
}

const [, , document = SAMPLE] = process.argv;
void deployLocally(document);
