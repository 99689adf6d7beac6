import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';

/** One request that a DynamoDB in this process has got, e.g. `UpdateItem Registries`. */
export type TableRequest = { readonly operation: string; readonly table: string };

/** Published by Node for each request that an HTTP server of this process gets, before its handler runs. */
const SERVER_REQUEST = 'http.server.request.start';

const target = z.string().regex(/^DynamoDB_\d+\.\w+$/);
const body = z.looseObject({ TableName: z.string().default('several tables') });

/** Counts what the tables of embedded servers are asked, at the wire: nothing that is written can go around it. */
export class TableRequests {
  readonly requests: TableRequest[] = [];
  readonly #listen = (message: unknown): void => {
    const { request } = z.object({ request: z.custom<IncomingMessage>() }).parse(message);
    const named = target.safeParse(request.headers['x-amz-target']);
    if (!named.success) return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { TableName: table } = body.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      this.requests.push({ operation: named.data.split('.')[1] ?? '', table });
    });
  };

  constructor() {
    subscribe(SERVER_REQUEST, this.#listen);
  }

  end(): void {
    unsubscribe(SERVER_REQUEST, this.#listen);
  }

  /** How many requests of each operation and table there were from number `from` on. */
  counts(from = 0): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { operation, table } of this.requests.slice(from)) {
      const name = `${operation} ${table}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }
}
