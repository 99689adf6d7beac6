import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Where `npm run bundle` puts the functions, `dist/functions` of this package: beside the nearest `package.json`, so that
 * it is found from the sources and from a published build alike.
 */
export const FUNCTIONS_FOLDER = path.join(packageFolder(__dirname), 'dist', 'functions');

function packageFolder(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error(`no package.json above ${__dirname}`);
  return packageFolder(parent);
}
