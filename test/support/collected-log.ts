import type { Log, LogFacts } from '../../lib/runtime/log';

export type LogLine = { readonly level: string; readonly message: string; readonly facts: LogFacts };

/** A log that keeps its lines. */
export class CollectedLog implements Log {
  readonly lines: LogLine[] = [];

  debug(message: string, facts: LogFacts = {}): void {
    this.lines.push({ level: 'debug', message, facts });
  }

  info(message: string, facts: LogFacts = {}): void {
    this.lines.push({ level: 'info', message, facts });
  }

  warn(message: string, facts: LogFacts = {}): void {
    this.lines.push({ level: 'warn', message, facts });
  }

  error(message: string, facts: LogFacts = {}): void {
    this.lines.push({ level: 'error', message, facts });
  }

  /** The messages of one level, in order. */
  messages(level: string): readonly string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message);
  }
}
