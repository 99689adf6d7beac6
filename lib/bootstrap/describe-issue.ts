import type * as z from 'zod';
import type { DocumentPath } from './configuration-document';

/** A mistake before it is placed in the document: what is wrong where. */
export type DescribedIssue = { readonly path: DocumentPath; readonly message: string; readonly value?: unknown };

/**
 * Puts a schema's complaint into the words of a configuration error: what is wrong and what is allowed. Unknown keys
 * become one mistake each; `keysAt` tells the keys that are allowed at a path.
 */
export function describeIssue(
  issue: z.core.$ZodIssue,
  root: unknown,
  keysAt: (path: DocumentPath) => readonly string[],
): readonly DescribedIssue[] {
  const value = valueAt(root, issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...issue.path, key],
        message:
          keysAt(issue.path).length === 0 ? 'unknown key' : `unknown key; allowed: ${keysAt(issue.path).join(', ')}`,
        value: valueAt(root, [...issue.path, key]),
      }));
    case 'invalid_value':
      return [{ path: issue.path, message: `not allowed; allowed: ${issue.values.map(String).join(', ')}`, value }];
    case 'invalid_type':
      if (value === undefined) return [{ path: issue.path, message: `missing; allowed: ${expectation(issue)}` }];
      return [{ path: issue.path, message: expectationMessage(issue), value }];
    case 'invalid_union': {
      const alternatives = issue.errors.flat().map((nested) => nested.message);
      const message = alternatives.length === 0 ? issue.message : [...new Set(alternatives)].join(', or ');
      return [{ path: issue.path, message, value }];
    }
    case 'too_big':
    case 'too_small':
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return [{ path: issue.path, message: issue.message, value }];
  }
}

/** The value at a path of a plain value; `undefined` where there is none. */
export function valueAt(root: unknown, path: DocumentPath): unknown {
  return path.reduce<unknown>((value, part) => {
    if (typeof value !== 'object' || value === null) return undefined;
    return Object.entries(value).find(([name]) => name === String(part))?.[1] as unknown;
  }, root);
}

function expectation(issue: z.core.$ZodIssueInvalidType): string {
  const custom = /allowed: (.*)$/s.exec(issue.message)?.[1];
  return custom ?? NAMES_OF_TYPES[issue.expected] ?? issue.expected;
}

function expectationMessage(issue: z.core.$ZodIssueInvalidType): string {
  return issue.message.includes('allowed: ') ? issue.message : `wrong type; allowed: ${expectation(issue)}`;
}

const NAMES_OF_TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true, false',
  int: 'a whole number',
  number: 'a number',
  object: 'keys and values',
  record: 'keys and values',
  string: 'text',
};
