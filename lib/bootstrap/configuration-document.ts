import { isNode, LineCounter, parseDocument } from 'yaml';
import type { ConfigurationProblem } from './configuration-error';

/** Where in a document: member names and list positions from the root. */
export type DocumentPath = readonly PropertyKey[];

/** A parsed YAML document: its plain value, and where each part of it stands. */
export type ConfigurationDocument = {
  /** `undefined` when the text is not YAML; an empty document is `{}`. */
  readonly value: unknown;
  readonly problems: readonly ConfigurationProblem[];
  /** Line of the value at the path, or of its nearest parent that has one. */
  lineOf(path: DocumentPath): number | undefined;
};

/** Environment variables that `${NAME}` may name; `undefined` where the document has to stand for itself (on AWS). */
export type Environment = Readonly<Record<string, string | undefined>>;

/** `registries[0].interval`. */
export function formatPath(path: DocumentPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

/**
 * Parses YAML 1.2. Syntax errors and repeated keys are problems; so are references to environment variables that are
 * unset or empty and have no default, and any reference where there is no environment.
 */
export function parseConfigurationDocument(text: string, environment: Environment | undefined): ConfigurationDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const lineOf = (path: DocumentPath): number | undefined => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return undefined;
  };
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => ({
      path: '',
      message:
        error.code === 'DUPLICATE_KEY'
          ? `${duplicateKey(text, error.pos[0])} stands twice; allowed: once`
          : error.message,
      line: lines.linePos(error.pos[0]).line,
    }));
    return { value: undefined, problems, lineOf };
  }
  const problems: ConfigurationProblem[] = [];
  const value = substitute(document.toJS() as unknown, environment, [], (path, message, found) => {
    const line = lineOf(path);
    problems.push({
      path: formatPath(path),
      message,
      value: JSON.stringify(found),
      ...(line === undefined ? {} : { line }),
    });
  });
  return { value: value ?? {}, problems, lineOf };
}

function duplicateKey(text: string, position: number): string {
  const key = /^[^\s:,}]+/.exec(text.slice(position))?.[0] ?? 'a key';
  return `key ${key}`;
}

const REFERENCE = /\$\{([^}]*)\}/g;
const REFERENCE_BODY = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

type Report = (path: DocumentPath, message: string, found: string) => void;

function substitute(value: unknown, environment: Environment | undefined, path: DocumentPath, report: Report): unknown {
  if (typeof value === 'string') return substituteText(value, environment, path, report);
  if (Array.isArray(value)) return value.map((item, index) => substitute(item, environment, [...path, index], report));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, substitute(member, environment, [...path, name], report)]),
    );
  }
  return value;
}

function substituteText(
  text: string,
  environment: Environment | undefined,
  path: DocumentPath,
  report: Report,
): string {
  return text.replaceAll(REFERENCE, (reference: string, body: string) => {
    const match = REFERENCE_BODY.exec(body);
    if (environment === undefined) {
      report(path, 'no environment variables here; allowed: plain values, secrets by ARN', text);
      return reference;
    }
    if (match === null) {
      report(path, `${reference} names no variable; allowed: \${NAME} or \${NAME:-default}`, text);
      return reference;
    }
    const [, name = '', fallback] = match;
    const found = environment[name];
    if (found !== undefined && found !== '') return found;
    if (fallback !== undefined) return fallback;
    report(
      path,
      `environment variable ${name} is unset or empty; set it, or give a default: \${${name}:-default}`,
      text,
    );
    return reference;
  });
}
