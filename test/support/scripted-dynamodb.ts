import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer of the scripted server; without a status it never answers. */
export type ScriptedAnswer = { readonly status?: number; readonly body?: object };

/** A DynamoDB that answers as told, in order, for failures that dynalite does not have. The last answer repeats. */
export class ScriptedDynamoDb {
  readonly requests: unknown[] = [];
  readonly client: DynamoDBClient;
  readonly #server: Server;

  private constructor(server: Server, client: DynamoDBClient) {
    this.#server = server;
    this.client = client;
  }

  static async start(answers: readonly ScriptedAnswer[]): Promise<ScriptedDynamoDb> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = new DynamoDBClient({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
    });
    const scripted = new ScriptedDynamoDb(server, client);
    server.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const answer = answers[Math.min(scripted.requests.length, answers.length - 1)];
        scripted.requests.push(JSON.parse(body));
        if (answer?.status === undefined) return;
        response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
        response.end(JSON.stringify(answer.body ?? {}));
      });
    });
    return scripted;
  }

  async close(): Promise<void> {
    this.client.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
