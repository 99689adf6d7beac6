const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { buildSync } = require('esbuild');

/** What a bundle is made by and of: this file, and the version of every package. */
const INPUTS = [__filename, path.join(__dirname, '..', '..', 'package-lock.json')];
const inputs = INPUTS.map((file) => readFileSync(file, 'utf8')).join();

/**
 * Makes one CommonJS file of a package: for packages that are ESM only, and for those of many files, which each suite
 * would have to find, read and compile one by one.
 */
module.exports = {
  // Jest looks at nothing but the entry, which says the same in many versions.
  getCacheKey: (_text, file) => createHash('sha256').update(`${file}\n${inputs}`).digest('hex'),
  process(_text, file) {
    const { outputFiles } = buildSync({
      entryPoints: [file],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      minifySyntax: true,
      minifyWhitespace: true,
      write: false,
      logLevel: 'error',
    });
    return { code: outputFiles[0].text };
  },
};
