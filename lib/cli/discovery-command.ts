import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { parseConfiguration } from '../bootstrap/parse-configuration';
import { PROVIDERS } from '../bootstrap/providers';
import { EmbeddedServer } from '../embedded/embedded-server';
import { describeError } from '../model/app-error';
import { HOUR_MS } from '../model/duration';
import { MemoryMetrics } from '../runtime/memory-metrics';
import { systemClock } from '../runtime/system-clock';
import { DEFAULT_PORT } from './catalog-access';
import { EXIT_FAILED, EXIT_OK, type CliIo } from './cli-io';
import { DiscoveryOutput } from './discovery-output';
import { OUTPUT_FORMATS, type OutputFormat } from './output-format';
import { addProviderFlags, overridesOfFlags, type ProviderFlagValues } from './provider-flags';
import { countOption, durationOption, listOption } from './parse-option';
import { LOG_LEVELS, textLog, type LogLevel } from './text-log';
import { UsageError } from './usage-error';

/** Bounds of `--resync`: wider than those of `interval`, since it is for trying things out. */
const RESYNC = { min: 100, max: HOUR_MS };

type DiscoveryOptions = ProviderFlagValues & {
  readonly registries?: readonly string[];
  readonly config?: string;
  readonly dataDir?: string;
  readonly domain?: string;
  readonly resync?: number;
  readonly port?: number;
  readonly once?: boolean;
  readonly output: OutputFormat;
  readonly logLevel: LogLevel;
};

const EXAMPLES = `
Examples:
  pilotless discovery --registries Mock                      try it: two test services
  pilotless discovery --registries Kubernetes --kubeconfig ~/.kube/config
  pilotless discovery --registries Consul --consul-address http://127.0.0.1:8500
  pilotless discovery --config pilotless.yaml                the registries of a configuration document
  pilotless discovery --config pilotless.yaml --once -o json read once, print one document, exit
  pilotless discovery --registries MCP --mcp-address xdss://istiod.example.com:15012 --mcp-token-file ./token
  pilotless discovery --data-dir ./state --port 8000         keep the catalog over restarts
`;

/** `pilotless discovery`: all stages in this process. */
export function discoveryCommand(io: CliIo, exit: (code: number) => void): Command {
  const command = new Command('discovery')
    .description('Merge service registries and print what changes, in this process alone')
    .option('--registries <list>', 'providers to use, separated by commas, such as Mock,External', listOption)
    .option('--config <file>', 'configuration document (YAML)')
    .option('--data-dir <dir>', 'keep the tables in this folder; without it they are gone when the server ends')
    .option('--domain <suffix>', "suffix of generated host names, in place of the document's domainSuffix")
    .addOption(
      new Option('--resync <duration>', 'time between two readings, in place of every interval').argParser(
        durationOption(RESYNC),
      ),
    )
    .option(
      '--port <number>',
      `loopback port of the tables; 0 = any free one (default: ${DEFAULT_PORT}, with --once any)`,
      countOption(0, 65_535),
    )
    .option('--once', 'read every registry once, print what there is, and exit')
    .addOption(new Option('-o, --output <format>', 'what to print').choices(OUTPUT_FORMATS).default('table'))
    .addOption(new Option('--log-level <level>', 'what to log on stderr').choices(LOG_LEVELS).default('warn'))
    .addHelpText('after', EXAMPLES)
    .action(async (options: DiscoveryOptions) => exit(await runDiscovery(options, io)));
  return addProviderFlags(command);
}

async function runDiscovery(options: DiscoveryOptions, io: CliIo): Promise<number> {
  const log = textLog(io.err, options.logLevel);
  const { configuration, warnings, baseDir } = await readConfiguration(options, io);
  for (const warning of warnings) log.warn(warning);
  const server = await EmbeddedServer.open({
    configuration,
    providers: PROVIDERS,
    baseDir,
    port: options.port ?? (options.once === true ? 0 : DEFAULT_PORT),
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
    clock: systemClock,
    log,
    metrics: new MemoryMetrics(),
  });
  const output = new DiscoveryOutput(options.output, io);
  server.appendEventHandler((event) => output.event(event));
  try {
    if (options.once === true) {
      await server.readOnce(io.stopped);
      const catalog = await server.catalog.services();
      output.document(catalog);
      const { failed, degraded, neverSynced } = catalog.completeness;
      return failed.length + degraded.length + neverSynced.length === 0 ? EXIT_OK : EXIT_FAILED;
    }
    io.err(`Tables at ${server.endpoint}`);
    await server.start();
    await server.firstReadings(io.stopped);
    output.follow(await server.catalog.services());
    await aborted(io.stopped);
    return EXIT_OK;
  } finally {
    await server.stop();
  }
}

/** An absent document is an empty one: the registries of `--registries`, and External. */
async function readConfiguration(options: DiscoveryOptions, io: CliIo) {
  const baseDir = options.config === undefined ? process.cwd() : dirname(resolve(options.config));
  const text = options.config === undefined ? '' : await readDocument(options.config);
  const parsed = parseConfiguration(text, {
    file: options.config ?? 'command line',
    definitions: PROVIDERS,
    environment: io.environment,
    ...(options.registries === undefined ? {} : { select: options.registries }),
    ...(options.resync === undefined ? {} : { intervalMs: options.resync }),
    overrides: overridesOfFlags(options, process.cwd()),
    ...(options.domain === undefined ? {} : { domainSuffix: options.domain }),
  });
  return { ...parsed, baseDir };
}

async function readDocument(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read configuration document ${file}: ${describeError(error).message}`);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
