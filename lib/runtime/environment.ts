import * as z from 'zod';
import { AppError } from '../model/app-error';

const name = z.string().min(1, { error: 'empty' });
const milliseconds = z.coerce.number({ error: 'not a number' }).int().min(0);

/**
 * Every environment variable that a function may get; a function picks those it needs. The stack sets them by these names.
 */
export const environmentSchema = z.object({
  REGISTRIES_TABLE: name,
  SNAPSHOTS_TABLE: name,
  CATALOG_TABLE: name,
  PUBLISHED_TABLE: name,
  CHANGES_TABLE: name,
  /** Name of the bus that changes go to. */
  EVENT_BUS: name,
  /** The queue in which change events wait to be merged into a push. */
  PUSH_QUEUE_URL: name,
  PUSH_QUIET_MS: milliseconds,
  PUSH_MAX_MS: milliseconds,
  /** The queue for keys that a stage cannot process. */
  DEAD_LETTER_QUEUE_URL: name,
  /** Set by Lambda itself. */
  AWS_LAMBDA_FUNCTION_NAME: name,
});

/** What the stack gives to a function. */
export type FunctionEnvironment = Readonly<Partial<Record<keyof typeof environmentSchema.shape, string>>>;

/**
 * The environment of a function, checked once when it starts.
 *
 * @param schema what the function needs, picked from {@link environmentSchema}.
 * @throws AppError `EnvironmentError` that names every variable that is missing or wrong.
 */
export function parseEnvironment<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Readonly<Record<string, string | undefined>>,
): z.output<z.ZodObject<Shape>> {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const variable = path.join('.');
    const value = environment[variable];
    return value === undefined ? `${variable} is missing` : `${variable}=${JSON.stringify(value)} is ${message}`;
  });
  throw new AppError(`Environment of the function: ${problems.join('; ')}. The stack sets these; deploy it anew`, {
    code: 'EnvironmentError',
    details: { problems },
  });
}
