import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { waitUntil } from '../processes/wait-until';
import type { StackOutputs } from './cdk';

/** A firing of the schedule comes after at most 70 s in the emulator, and a broken lease takes a minute more. */
const WAIT_MS = 180_000;

const entrySchema = z.looseObject({
  service: z.string(),
  version: z.number(),
  deleted: z.boolean().optional(),
  ports: z.array(z.looseObject({ number: z.number() })).optional(),
});

const rowSchema = z.looseObject({
  registry: z.string(),
  state: z.string(),
  generation: z.number(),
  configVersion: z.string(),
  services: z.number(),
  leaseOwner: z.string().optional(),
  leaseUntil: z.string().optional(),
  lastError: z.looseObject({ code: z.string() }).optional(),
  unreadable: z.array(z.looseObject({ source: z.string(), reason: z.string() })).default([]),
});

export type Entry = z.output<typeof entrySchema>;
export type Row = z.output<typeof rowSchema>;

/** The tables of a stack as any reader sees them: by the AWS SDK. */
export class DeployedTables {
  readonly #client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  readonly #outputs: StackOutputs;

  constructor(outputs: StackOutputs) {
    this.#outputs = outputs;
  }

  async entry(service: string): Promise<Entry | undefined> {
    const { Item: item } = await this.#client.send(
      new GetCommand({ TableName: this.#outputs.CatalogTable, Key: { service }, ConsistentRead: true }),
    );
    return item === undefined ? undefined : entrySchema.parse(item);
  }

  /** Keys of the services in the catalog. */
  async services(): Promise<readonly string[]> {
    const { Items: items = [] } = await this.#client.send(new ScanCommand({ TableName: this.#outputs.CatalogTable }));
    const live = items.map((item) => entrySchema.parse(item)).filter(({ deleted }) => deleted !== true);
    return live.map(({ service }) => service).sort();
  }

  async row(registry: string): Promise<Row | undefined> {
    const { Item: item } = await this.#client.send(
      new GetCommand({ TableName: this.#outputs.RegistriesTable, Key: { registry }, ConsistentRead: true }),
    );
    return item === undefined ? undefined : rowSchema.parse(item);
  }

  waitForServices(what: string, areThey: (services: readonly string[]) => boolean): Promise<readonly string[]> {
    return waitUntil({
      what,
      timeoutMs: WAIT_MS,
      attempt: async () => {
        const services = await this.services();
        return areThey(services) ? services : undefined;
      },
    });
  }

  waitForRow(registry: string, what: string, isIt: (row: Row) => boolean): Promise<Row> {
    return waitUntil({
      what: `${registry} ${what}`,
      timeoutMs: WAIT_MS,
      attempt: async () => {
        const row = await this.row(registry);
        return row !== undefined && isIt(row) ? row : undefined;
      },
    });
  }
}
