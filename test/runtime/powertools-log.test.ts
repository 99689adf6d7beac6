import { Logger } from '@aws-lambda-powertools/logger';
import { PowertoolsLog } from '../../lib/runtime/powertools-log';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Lines that a log with this level writes, parsed. */
function lines(write: (log: PowertoolsLog) => void): readonly Record<string, unknown>[] {
  const written: Record<string, unknown>[] = [];
  const logger = new Logger({ serviceName: 'pilotless', logLevel: 'DEBUG' });
  const keep = (line: string): void => void written.push(JSON.parse(line) as Record<string, unknown>);
  Reflect.set(logger, 'console', Object.fromEntries(LEVELS.map((level) => [level, keep])));
  write(new PowertoolsLog(logger));
  return written;
}

test.each(LEVELS)('%s: a constant message, the facts as keys beside it', (level) => {
  expect(lines((log) => log[level]('Registry read', { registry: 'Mock/demo', services: 2 }))).toMatchObject([
    { level: level.toUpperCase(), message: 'Registry read', service: 'pilotless', registry: 'Mock/demo', services: 2 },
  ]);
});

test('the request id is on each line of its invocation', () => {
  const written = lines((log) => {
    log.startInvocation('one');
    log.info('first');
    log.startInvocation('two');
    log.info('second');
  });

  expect(written).toMatchObject([
    { message: 'first', requestId: 'one' },
    { message: 'second', requestId: 'two' },
  ]);
});
