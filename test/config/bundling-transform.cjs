const { buildSync } = require('esbuild');

/**
 * Makes one CommonJS file of a package: for packages that are ESM only, and for those of many files, which each suite
 * would have to find, read and compile one by one.
 */
module.exports = {
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
