import { Command, Option } from 'commander';
import type { CatalogClient } from '../discovery/catalog-client';
import type { Completeness } from '../discovery/completeness';
import type { CatalogEntry } from '../model/catalog-entry';
import { HOUR_MS } from '../model/duration';
import { parseRegistryId } from '../model/registry-id';
import { parseServiceKey, type ServiceKey } from '../model/service-key';
import { approveRemovals } from '../polling/approve-removals';
import { requestSync } from '../polling/request-sync';
import { catalogAccessOptions, withCatalog, type CatalogAccess } from './catalog-access';
import { EXIT_FAILED, EXIT_OK, type CliIo } from './cli-io';
import { catalogDocument } from './discovery-output';
import { formatDocument, OUTPUT_FORMATS, type OutputFormat } from './output-format';
import { countOption, durationOption } from './parse-option';
import { renderChanges, renderIncompleteness, renderRegistries, renderService, renderServices } from './render-catalog';
import { UsageError } from './usage-error';

type ReadingOptions = CatalogAccess & { readonly output: OutputFormat };

/** What a command prints: the value as a document, or the text for people. */
type Printed = { readonly value: unknown; readonly text: string; readonly completeness?: Completeness };

const outputOption = () =>
  new Option('-o, --output <format>', 'what to print').choices(OUTPUT_FORMATS).default('table');

function readingCommand(name: string, description: string, examples: readonly string[]): Command {
  const command = new Command(name).description(description);
  for (const option of [...catalogAccessOptions(), outputOption()]) command.addOption(option);
  return command.addHelpText('after', ['', 'Examples:', ...examples.map((example) => `  ${example}`)].join('\n'));
}

function print(printed: Printed, format: OutputFormat, io: CliIo): void {
  io.out(format === 'table' ? printed.text : formatDocument(format, printed.value));
  const incomplete = printed.completeness === undefined ? '' : renderIncompleteness(printed.completeness);
  if (incomplete !== '') io.err(incomplete);
}

/** `pilotless services`. */
export function servicesCommand(io: CliIo, exit: (code: number) => void): Command {
  return readingCommand('services', 'List the services of the catalog', [
    'pilotless services',
    'pilotless services -n shop -o json',
    'pilotless services --data-dir ./state',
  ])
    .option('-n, --namespace <name>', 'only this namespace')
    .action(async (options: ReadingOptions & { readonly namespace?: string }) => {
      const answer = await withCatalog(options, io, ({ client }) =>
        options.namespace === undefined ? client.services() : client.servicesOfNamespace(options.namespace),
      );
      const { completeness, data } = answer;
      print({ value: catalogDocument(answer), text: renderServices(data), completeness }, options.output, io);
      exit(EXIT_OK);
    });
}

/** `pilotless service NAME`. */
export function serviceCommand(io: CliIo, exit: (code: number) => void): Command {
  return readingCommand('service', 'Show one service: ports, endpoints, where each comes from, conflicts', [
    'pilotless service hello',
    'pilotless service hello.default.svc.cluster.local',
    'pilotless service default/hello.default.svc.cluster.local -o yaml',
  ])
    .argument('<name>', 'namespace/hostname, a host name, or the part of it before the first dot')
    .action(async (name: string, options: ReadingOptions) => {
      const { data, completeness } = await withCatalog(options, io, ({ client }) => client.findServices(name));
      const [entry] = data;
      if (entry !== undefined && data.length > 1) throw ambiguous(name, data);
      if (entry !== undefined) print({ value: entry, text: renderService(entry), completeness }, options.output, io);
      else io.err(notFound(name, completeness));
      exit(entry === undefined ? EXIT_FAILED : EXIT_OK);
    });
}

function ambiguous(name: string, entries: readonly CatalogEntry[]): UsageError {
  return new UsageError(
    `${name} names ${entries.length} services; say which: ${entries.map(({ key }) => key).join(', ')}`,
  );
}

function notFound(name: string, completeness: Completeness): string {
  const unknown = completeness.complete ? '' : ' as far as is known';
  return [`No service ${name}${unknown}.`, renderIncompleteness(completeness)].filter((line) => line !== '').join('\n');
}

/** `pilotless registries`. */
export function registriesCommand(io: CliIo, exit: (code: number) => void): Command {
  return readingCommand('registries', 'Show the registries: state, counts, age of the data, errors, what is held', [
    'pilotless registries',
    'pilotless registries -o json',
  ]).action(async (options: ReadingOptions) => {
    const { rows, completeness } = await withCatalog(options, io, async ({ client }) => ({
      rows: await client.registries(),
      completeness: await client.completeness(),
    }));
    print({ value: rows, text: renderRegistries(completeness.registries) }, options.output, io);
    exit(EXIT_OK);
  });
}

/** How far back `--since` goes: as long as changes are kept. */
const SINCE = { min: 1000, max: 14 * 24 * HOUR_MS };

/** `pilotless changes [NAME]`. */
export function changesCommand(io: CliIo, exit: (code: number) => void): Command {
  return readingCommand('changes', 'Show the changes that were published, oldest first', [
    'pilotless changes',
    'pilotless changes hello --since 24h',
    'pilotless changes --since 10m -o json',
  ])
    .argument('[name]', 'only of this service (as in `pilotless service`)')
    .addOption(new Option('--since <duration>', 'how far back').argParser(durationOption(SINCE)).default(HOUR_MS, '1h'))
    .option('--limit <count>', 'only the newest ones', countOption(1, 100_000))
    .action(async (name: string | undefined, options: ReadingOptions & { since: number; limit?: number }) => {
      const records = await withCatalog(options, io, async ({ client }) => {
        const query = { sinceMs: io.clock.now() - options.since, ...limitOf(options) };
        return client.changes(name === undefined ? query : { ...query, key: await keyOf(client, name) });
      });
      print({ value: records, text: renderChanges(records) }, options.output, io);
      exit(EXIT_OK);
    });
}

function limitOf(options: { readonly limit?: number }): { readonly limit?: number } {
  return options.limit === undefined ? {} : { limit: options.limit };
}

/** A deleted service is not in the catalog any more, so its history is found by its key alone. */
async function keyOf(client: CatalogClient, name: string): Promise<ServiceKey> {
  const { data } = await client.findServices(name);
  const [entry] = data;
  if (entry !== undefined && data.length > 1) throw ambiguous(name, data);
  if (entry !== undefined) return entry.key;
  if (name.includes('/')) return parseServiceKey(name).key;
  throw new UsageError(`No service ${name} now; the changes of one that was deleted are found by namespace/hostname`);
}

/** `pilotless sync REGISTRY`. */
export function syncCommand(io: CliIo, exit: (code: number) => void): Command {
  return wishCommand('sync', 'Ask for a full reading of a registry now', 'pilotless sync External/shared').action(
    async (registry: string, options: CatalogAccess) => {
      const { id } = parseRegistryId(registry);
      await withCatalog(options, io, ({ stores }) =>
        requestSync({ registries: stores.registries, clock: io.clock }, id),
      );
      io.err(`A full reading of ${id} was asked for; pilotless registries shows when it was made.`);
      exit(EXIT_OK);
    },
  );
}

/** `pilotless approve REGISTRY`. */
export function approveCommand(io: CliIo, exit: (code: number) => void): Command {
  return wishCommand(
    'approve',
    'Release the removals of a registry that are held',
    'pilotless approve Consul/dc1',
  ).action(async (registry: string, options: CatalogAccess) => {
    const { id } = parseRegistryId(registry);
    const held = await withCatalog(options, io, ({ stores }) =>
      approveRemovals({ registries: stores.registries, clock: io.clock }, id),
    );
    io.err(`Approved for ${id}: ${held.services} services and ${held.endpoints} endpoints go with the next reading.`);
    exit(EXIT_OK);
  });
}

function wishCommand(name: string, description: string, example: string): Command {
  const command = new Command(name).description(description).argument('<registry>', 'provider/cluster');
  for (const option of catalogAccessOptions()) command.addOption(option);
  return command.addHelpText('after', `\nExamples:\n  ${example}`);
}
