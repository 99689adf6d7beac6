import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError, describeError } from '../lib/model/app-error';
import { parseConfiguration, type ParsedConfiguration } from '../lib/bootstrap/parse-configuration';
import type { DeployedProvider } from './providers/deployed-provider';
import { DEPLOYED_PROVIDERS } from './providers/deployed-providers';

/**
 * Reads a configuration document for the stack.
 *
 * @throws ConfigurationError with every mistake at once, each with its path, value and what is allowed; AppError
 * `ConfigurationUnreadableError` when there is no such file.
 */
export function readConfiguration(
  file: string,
  providers: readonly DeployedProvider[] = DEPLOYED_PROVIDERS,
): ParsedConfiguration {
  return parseConfiguration(textOf(file), {
    file: path.relative(process.cwd(), file),
    definitions: providers.map(({ definition }) => definition),
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AppError(`Configuration ${file} cannot be read: ${describeError(error).message}`, {
      code: 'ConfigurationUnreadableError',
      cause: error,
    });
  }
}
