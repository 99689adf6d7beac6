import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import type { Log } from './log';

/**
 * The log of a function: one JSON object a line, `message` constant, the facts as keys beside it. Level and service name
 * come from `POWERTOOLS_LOG_LEVEL` and `POWERTOOLS_SERVICE_NAME`.
 */
export class PowertoolsLog implements Log {
  readonly #logger: Logger;

  constructor(logger = new Logger()) {
    this.#logger = logger;
  }

  /** Puts the request id and whether it was a cold start on each line until the next invocation. */
  startInvocation(context: Context): void {
    this.#logger.addContext(context);
  }

  debug: Log['debug'] = (message, facts = {}) => this.#logger.debug(message, facts);
  info: Log['info'] = (message, facts = {}) => this.#logger.info(message, facts);
  warn: Log['warn'] = (message, facts = {}) => this.#logger.warn(message, facts);
  error: Log['error'] = (message, facts = {}) => this.#logger.error(message, facts);
}
