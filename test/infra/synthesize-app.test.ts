import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { synthesizeApp } from '../../infra/synthesize-app';
import { emptyFunctions } from '../support/synthesize';

const folder = mkdtempSync(path.join(tmpdir(), 'pilotless-app-'));

/** Synthesizes into a folder as with `-c name=value`. @returns the warnings. */
function synthesizeWith(context: Readonly<Record<string, string>>): readonly string[] {
  const warnings: string[] = [];
  process.env.CDK_VALIDATION = 'false';
  synthesizeApp(new App({ outdir: path.join(folder, 'cdk.out'), context }), (warning) => warnings.push(warning));
  return warnings;
}

function fileOf(document: string): string {
  const file = path.join(folder, 'pilotless.yaml');
  writeFileSync(file, document);
  return file;
}

describe('synthesizeApp', () => {
  test('makes the stack of the document, under its name, and passes on what is not as meant', () => {
    const config = fileOf('registries: [{ provider: Mock }, { provider: Mock }]');

    const warnings = synthesizeWith({ config, functions: emptyFunctions(), stack: 'mesh', emulated: 'true' });

    expect(warnings).toEqual([expect.stringContaining('Mock/default')]);
    expect(readdirSync(path.join(folder, 'cdk.out'))).toContain('mesh.template.json');
  });

  test('a document that is not there is named', () => {
    expect(() => synthesizeWith({ config: '/nowhere.yaml' })).toThrow(
      /^Configuration \/nowhere.yaml cannot be read: .*ENOENT/,
    );
  });

  test('context that means nothing is named with what is allowed', () => {
    expect(() => synthesizeWith({ data: 'keep' })).toThrow(/^Context \(-c\): .*"retain"\|"destroy".*at data$/s);
  });
});
