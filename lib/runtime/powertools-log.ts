import { Logger } from '@aws-lambda-powertools/logger';
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

  /**
   * Puts the request id on each line until the next invocation. Not the whole context, as Powertools' `addContext` does:
   * the log group names the function already, and each byte is paid for.
   */
  startInvocation(requestId: string): void {
    this.#logger.resetKeys();
    this.#logger.appendKeys({ requestId });
  }

  debug: Log['debug'] = (message, facts = {}) => this.#logger.debug(message, facts);
  info: Log['info'] = (message, facts = {}) => this.#logger.info(message, facts);
  warn: Log['warn'] = (message, facts = {}) => this.#logger.warn(message, facts);
  error: Log['error'] = (message, facts = {}) => this.#logger.error(message, facts);
}
