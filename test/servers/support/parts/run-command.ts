import { spawn } from 'node:child_process';

/** How much of a command's output is kept for an error message. */
const TAIL_BYTES = 6_000;

export type Command = {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** After this many milliseconds the command is killed and counts as failed. */
  readonly timeoutMs: number;
};

/** A command that could not be started, failed or took too long; the message has the end of its output. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';
}

/**
 * Runs a command to its end and returns its standard output, trimmed.
 *
 * @throws CommandFailedError with the command line, how it ended and the tail of what it printed.
 */
export function runCommand(command: Command): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command.file, command.args, {
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
      env: { ...process.env, ...command.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Not the option of `spawn`: its timer goes on when the command could not be started.
    const overdue = setTimeout(() => child.kill('SIGKILL'), command.timeoutMs);
    let stdout = '';
    let tail = '';
    const keepTail = (chunk: string) => (tail = (tail + chunk).slice(-TAIL_BYTES));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      keepTail(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', keepTail);
    const fail = (outcome: string, cause?: Error) => {
      reject(new CommandFailedError(`${commandLine(command)}: ${outcome}\n${tail.trim()}`, { cause }));
    };
    child.on('error', (error) => {
      clearTimeout(overdue);
      fail(`could not be started (${error.message})`, error);
    });
    child.on('close', (code, signal) => {
      clearTimeout(overdue);
      if (code === 0) resolve(stdout.trim());
      else if (signal === null) fail(`exit code ${String(code)}`);
      else fail(`killed by ${signal} (time limit ${command.timeoutMs} ms)`);
    });
  });
}

function commandLine(command: Command): string {
  const where = command.cwd === undefined ? '' : `in ${command.cwd}: `;
  return where + [command.file, ...command.args].join(' ');
}
