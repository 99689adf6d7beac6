import type * as z from 'zod';

/** Where something stands in a document, e.g. `['spec', 'ports', 0, 'number']`. */
export type Path = readonly PropertyKey[];

/** One thing that is wrong in a document. */
export type Problem = {
  readonly path: Path;
  /** What stands there; `undefined` when nothing does. Left out when the problem is not about a value. */
  readonly value?: unknown;
  /** What is allowed there, as the end of a sentence: `must be …`. */
  readonly rule: string;
};

/** Longest piece of a value that a message shows. */
const MAX_VALUE_TEXT = 80;

/** `spec.ports[0].number is 70000, must be …`, or `spec.hosts is missing, must …`. */
export function formatProblem({ path, rule, ...problem }: Problem): string {
  const where = path.length === 0 ? 'the document' : formatPath(path);
  if (!('value' in problem)) return `${where} ${rule}`;
  if (problem.value === undefined) return `${where} is missing, ${rule}`;
  return `${where} is ${showValue(problem.value)}, ${rule}`;
}

/** The value as JSON, cut short; numbers that JSON does not know by their names. */
export function showValue(value: unknown): string {
  const json = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return json.length <= MAX_VALUE_TEXT ? json : `${json.slice(0, MAX_VALUE_TEXT)}…`;
}

/** `spec.ports[0].number`; a name that is not a plain word stands in brackets and quotes. */
export function formatPath(path: Path): string {
  return path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = String(part);
      return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    })
    .join('')
    .replace(/^\./, '');
}

/** The findings of a schema. Ask the schema to report its input: `safeParse(value, { reportInput: true })`. */
export function problemsOf(error: z.ZodError, at: Path): readonly Problem[] {
  return error.issues.flatMap((issue): readonly Problem[] => {
    const path = [...at, ...issue.path];
    if (issue.code !== 'unrecognized_keys') return [{ path, value: issue.input, rule: issue.message }];
    const members = new Map(Object.entries(issue.input ?? {}));
    return issue.keys.map((key) => ({ path: [...path, key], value: members.get(key), rule: issue.message }));
  });
}

/** Keeps a reason within what a registry's row can hold (DynamoDB items are limited to 400 KB). */
const MAX_PROBLEMS_LISTED = 20;

/** One sentence of all problems, for the reason of an unreadable source. */
export function describeProblems(problems: readonly string[]): string {
  const more = problems.length - MAX_PROBLEMS_LISTED;
  return [...problems.slice(0, MAX_PROBLEMS_LISTED), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
