import { readFileSync } from 'node:fs';

/** The version of the package that this command belongs to, as its package.json says. */
export function packageVersion(): string {
  // By the package's own name: sources and build stand at different depths below it.
  const { version } = JSON.parse(readFileSync(require.resolve('pilotless/package.json'), 'utf8')) as {
    readonly version: string;
  };
  return version;
}
