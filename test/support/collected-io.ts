import type { CliIo } from '../../lib/cli/cli-io';
import { runCli } from '../../lib/cli/run-cli';
import type { Environment } from '../../lib/bootstrap/configuration-document';
import { systemClock } from '../../lib/runtime/system-clock';

/** What a command line gave: its exit code, its data and everything else that it said. */
export type CliResult = { readonly code: number; readonly out: string; readonly err: string };

/** Runs a command line in this process. `stopped` is what a signal would abort. */
export async function cli(
  args: readonly string[],
  options: {
    readonly environment?: Environment;
    readonly stopped?: AbortSignal;
    /** Called with each piece of data as it comes. */
    readonly onOut?: (text: string) => void;
    readonly onErr?: (text: string) => void;
  } = {},
): Promise<CliResult> {
  const out: string[] = [];
  const err: string[] = [];
  const io: CliIo = {
    out: (text) => {
      out.push(text);
      options.onOut?.(text);
    },
    err: (text) => {
      err.push(text);
      options.onErr?.(text);
    },
    environment: options.environment ?? {},
    clock: systemClock,
    stopped: options.stopped ?? new AbortController().signal,
  };
  const code = await runCli(args, io);
  return { code, out: out.join('\n'), err: err.join('\n') };
}
