import { AppError } from '../model/app-error';

/** One mistake in a configuration document. */
export type ConfigurationProblem = {
  /** Where, e.g. `registries[0].interval`; empty for the document itself. */
  readonly path: string;
  /** What is wrong and what is allowed. */
  readonly message: string;
  /** The value that was found, as JSON, cut at 100 characters; absent when there is none. */
  readonly value?: string;
  readonly line?: number;
};

/** A configuration document that cannot be used: every mistake in one message, with path, value and what is allowed. */
export class ConfigurationError extends AppError {
  readonly problems: readonly ConfigurationProblem[];

  constructor(file: string, problems: readonly ConfigurationProblem[]) {
    const count = problems.length === 1 ? '1 mistake' : `${problems.length} mistakes`;
    super(`${file}: ${count}\n${problems.map((problem) => `  ${formatProblem(problem)}`).join('\n')}`, {
      code: 'ConfigurationError',
      details: { file, problems },
    });
    this.problems = problems;
  }
}

function formatProblem({ path, message, value, line }: ConfigurationProblem): string {
  const where = path === '' ? 'document' : path;
  return `${where}${line === undefined ? '' : ` (line ${line})`}: ${value === undefined ? '' : `${value}: `}${message}`;
}
