import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { hasCode } from './has-code';
import { waitUntil } from './wait-until';

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const LOG_TAIL_CHARACTERS = 4_000;

export type ServerProgram = {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Working folder, with the log `<name>.log`. */
  readonly folder: string;
  /** True once the server serves; false or an error means not yet. */
  readonly isReady: (signal: AbortSignal) => Promise<boolean>;
  /** What the kernel sends to the server when the test process dies. @default KILL */
  readonly deathSignal?: 'KILL' | 'TERM';
};

/** What every server of the tests can do. Ports and data stay the same over stop, kill and start. */
export interface Restartable {
  /** Resolves when the server serves again. */
  start(): Promise<void>;
  /** SIGTERM, and SIGKILL if that is not enough. Nothing happens if it is not running. */
  stop(): Promise<void>;
  /** SIGKILL: what a crash or a lost machine looks like. */
  kill(): Promise<void>;
}

/**
 * A real server as a child process. It leads a process group, so that its own children end with it, and the kernel ends it
 * when the test process dies in whatever way (`setpriv --pdeathsig`; a test runner hides `exit` events from tests).
 */
export class ServerProcess implements Restartable {
  readonly logFile: string;
  readonly #program: ServerProgram;
  #child: ChildProcess | undefined;

  constructor(program: ServerProgram) {
    this.#program = program;
    this.logFile = path.join(program.folder, `${program.name}.log`);
  }

  get isRunning(): boolean {
    return this.#child?.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async start(): Promise<void> {
    if (this.isRunning) return;
    const child = this.#spawn();
    this.#child = child;
    try {
      await once(child, 'spawn');
      await waitUntil({
        what: `${this.#program.name} is ready`,
        attempt: async (signal) => (await this.#program.isReady(signal)) || undefined,
        timeoutMs: READY_TIMEOUT_MS,
        giveUp: () => this.#refuseExited(),
      });
    } catch (error) {
      await this.kill();
      throw new Error(`${String(error)}\n${await this.#logTail()}`, { cause: error });
    }
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  #spawn(): ChildProcess {
    const { file, args, env, folder, deathSignal = 'KILL' } = this.#program;
    const log = openSync(this.logFile, 'a');
    const child = spawn('setpriv', ['--pdeathsig', deathSignal, '--', file, ...args], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    child.unref();
    return child;
  }

  #refuseExited(): void {
    if (this.isRunning) return;
    const { exitCode, signalCode } = this.#child ?? {};
    throw new Error(`${this.#program.name} ended before it was ready (${String(signalCode ?? exitCode)})`);
  }

  async #logTail(): Promise<string> {
    const log = await readFile(this.logFile, 'utf8');
    return `${this.logFile} ends with:\n${log.slice(-LOG_TAIL_CHARACTERS).trim()}`;
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    if (this.isRunning) {
      const exit = once(child, 'exit');
      const overdue = setTimeout(signalGroup, STOP_TIMEOUT_MS, child.pid, 'SIGKILL');
      signalGroup(child.pid, signal);
      await exit;
      clearTimeout(overdue);
    }
    signalGroup(child.pid, 'SIGKILL');
    this.#child = undefined;
  }
}

/** Signals a server and its children; no error if none of them is left. */
function signalGroup(leader: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
