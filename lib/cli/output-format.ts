import { stringify } from 'yaml';

export const OUTPUT_FORMATS = ['table', 'json', 'yaml'] as const;

export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** One document, indented, for a command that ends. */
export function formatDocument(format: Exclude<OutputFormat, 'table'>, value: unknown): string {
  return format === 'json'
    ? JSON.stringify(value, undefined, 2)
    : stringify(value, { aliasDuplicateObjects: false }).trimEnd();
}

/** One document of a stream: a line of JSON, or a YAML document with its separator. */
export function formatStreamed(format: Exclude<OutputFormat, 'table'>, value: unknown): string {
  return format === 'json' ? JSON.stringify(value) : `---\n${formatDocument(format, value)}`;
}
