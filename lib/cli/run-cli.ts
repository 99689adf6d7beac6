import { Command, CommanderError } from 'commander';
import { ConfigurationError } from '../bootstrap/configuration-error';
import { AppError, InvalidValueError } from '../model/app-error';
import {
  approveCommand,
  changesCommand,
  registriesCommand,
  serviceCommand,
  servicesCommand,
  syncCommand,
} from './catalog-commands';
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE, type CliIo } from './cli-io';
import { discoveryCommand } from './discovery-command';
import { packageVersion } from './package-version';
import { consulCommand, kubernetesCommand } from './permission-commands';
import { UsageError } from './usage-error';

/**
 * Runs one command line (without the names of node and script) and gives its exit code. Data goes to `io.out`, everything
 * else to `io.err`. Never rejects but for a bug.
 */
export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  let code = EXIT_OK;
  const exit = (wanted: number): void => {
    code = wanted;
  };
  const program = new Command('pilotless')
    .description('Merges service registries into one catalog and turns every change into an event and a push request.')
    .option('-V, --version', 'Print the version')
    .showHelpAfterError('(add --help for more)');
  // Not by commander's version(), which every command would read the package's description for.
  program.on('option:version', () => {
    io.out(packageVersion());
    throw new CommanderError(EXIT_OK, 'commander.version', 'The version was asked for');
  });
  for (const make of [
    discoveryCommand,
    servicesCommand,
    serviceCommand,
    registriesCommand,
    changesCommand,
    syncCommand,
    approveCommand,
    kubernetesCommand,
    consulCommand,
  ]) {
    program.addCommand(make(io, exit));
  }
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, io);
  }
}

/** The command and all below it: what commander is told of one, it does not tell those that were added to it. */
function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function exitCodeOf(error: unknown, io: CliIo): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
  if (!(error instanceof AppError)) throw error;
  io.err(`error: ${error.message}`);
  const isUsage =
    error instanceof UsageError || error instanceof ConfigurationError || error instanceof InvalidValueError;
  return isUsage ? EXIT_USAGE : EXIT_FAILED;
}
