import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';

const requestSchema = z.object({
  Entries: z.array(
    z.object({
      EventBusName: z.string(),
      Source: z.string(),
      DetailType: z.string(),
      Detail: z.string(),
      Time: z.number(),
    }),
  ),
});

export type ReceivedEntry = z.infer<typeof requestSchema>['Entries'][number];

/** What the server does with one entry: takes it, or gives an error code. */
export type Verdict = { readonly code: string; readonly message?: string } | undefined;

/** What the server does with a whole call instead of judging its entries; without a status it never answers. */
export type CallAnswer = { readonly status?: number; readonly body?: object };

/** EventBridge's `PutEvents` on loopback, for the real client: takes what it is not told to refuse. */
export class PutEventsServer {
  /** The entries of every call, in order, those that were refused included. */
  readonly calls: (readonly ReceivedEntry[])[] = [];
  readonly taken: ReceivedEntry[] = [];
  readonly client: EventBridgeClient;
  /** @param call number of the call, from 1. */
  judge: (entry: ReceivedEntry, call: number) => Verdict = () => undefined;
  answer: (call: number) => CallAnswer | undefined = () => undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.client = new EventBridgeClient({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
    });
  }

  static async start(): Promise<PutEventsServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const bus = new PutEventsServer(server);
    server.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const answer = bus.#answerTo(body);
        if (answer.status === undefined) return;
        response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' });
        response.end(JSON.stringify(answer.body ?? {}));
      });
    });
    return bus;
  }

  /** Forgets every call and every instruction. */
  reset(): void {
    this.calls.length = 0;
    this.taken.length = 0;
    this.judge = () => undefined;
    this.answer = () => undefined;
  }

  async close(): Promise<void> {
    this.client.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answerTo(body: string): CallAnswer {
    const { Entries } = requestSchema.parse(JSON.parse(body));
    this.calls.push(Entries);
    return this.answer(this.calls.length) ?? { status: 200, body: this.#judgeAll(Entries) };
  }

  #judgeAll(entries: readonly ReceivedEntry[]): object {
    const results = entries.map((entry) => {
      const verdict = this.judge(entry, this.calls.length);
      if (verdict !== undefined) return { ErrorCode: verdict.code, ErrorMessage: verdict.message };
      this.taken.push(entry);
      return { EventId: `event-${this.taken.length}` };
    });
    return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results };
  }
}
