import { Readable } from 'node:stream';
import { SQSClient } from '@aws-sdk/client-sqs';

export type SqsCall = { readonly operation: string; readonly input: Readonly<Record<string, unknown>> };

type HttpRequest = { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array };

/** A real SQS client whose requests are answered by a function instead of AWS; they are recorded as they went out. */
export function scriptedSqs(answer: (call: SqsCall) => object): {
  readonly client: SQSClient;
  readonly calls: readonly SqsCall[];
} {
  const calls: SqsCall[] = [];
  const handle = ({ headers, body }: HttpRequest) => {
    const operation = String(headers['x-amz-target']).replace('AmazonSQS.', '');
    const call = { operation, input: JSON.parse(new TextDecoder().decode(body)) as SqsCall['input'] };
    calls.push(call);
    const response = {
      statusCode: 200,
      headers: { 'content-type': 'application/x-amz-json-1.0' },
      body: Readable.from([Buffer.from(JSON.stringify(answer(call)))]),
    };
    return Promise.resolve({ response });
  };
  const client = new SQSClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    md5: false,
    requestHandler: { handle: (request: unknown) => handle(request as HttpRequest) },
  });
  return { client, calls };
}
