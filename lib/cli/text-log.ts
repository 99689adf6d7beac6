import type { Log, LogFacts } from '../runtime/log';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** A log for people at a terminal: one line each, `level  message  key=value …`, from the given level on. */
export function textLog(write: (line: string) => void, from: LogLevel): Log {
  const at =
    (level: LogLevel) =>
    (message: string, facts: LogFacts = {}): void => {
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(from)) return;
      const members = Object.entries(facts).map(([name, value]) => `${name}=${formatFact(value)}`);
      write([level, message, ...members].join('  '));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function formatFact(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return value === undefined ? '-' : JSON.stringify(value);
}
