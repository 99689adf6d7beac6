import { LineCounter, parseAllDocuments, type Document } from 'yaml';

/** A document of a YAML stream: what it holds, or what is wrong with it. `name` says which one it is. */
export type YamlDocument = { readonly name: string } & (
  { readonly value: unknown } | { readonly faults: readonly string[] }
);

/**
 * The documents of a YAML 1.2 stream; JSON is one. Merge keys (`<<`) are followed, as kubectl does; doubled keys, unknown
 * tags and aliases that would blow the document up are faults.
 */
export function parseYamlDocuments(text: string): readonly YamlDocument[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: true,
    logLevel: 'error',
  });
  if ('empty' in documents) {
    const faults = describeFaults([...documents.errors, ...documents.warnings], lines);
    return faults.length === 0 ? [] : [{ name: 'document 1 (line 1)', faults }];
  }
  return documents.map((document, index) => {
    const { line } = lines.linePos(document.contents?.range[0] ?? document.range[0]);
    const name = `document ${index + 1} (line ${line})`;
    const faults = describeFaults([...document.errors, ...document.warnings], lines);
    return faults.length === 0 ? { name, ...valueOf(document) } : { name, faults };
  });
}

function describeFaults(faults: Document['errors'] | Document['warnings'], lines: LineCounter): readonly string[] {
  return faults.map(({ message, pos: [start] }) => {
    const { line, col } = lines.linePos(start);
    return `${message} at line ${line}, column ${col}`;
  });
}

/** Aliases are followed only here, so that only here an unknown one, or too many of them, comes to light. */
function valueOf(document: Document.Parsed): { readonly value: unknown } | { readonly faults: readonly string[] } {
  try {
    return { value: document.toJS() };
  } catch (error) {
    return { faults: [error instanceof Error ? error.message : String(error)] };
  }
}
