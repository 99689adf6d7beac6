import { fileURLToPath } from 'node:url';

/**
 * Packages of which suites load one file instead of all: one that is ESM only, which jest's CommonJS mode cannot load, and
 * one of which each of thirty suites would find, read and compile seventy.
 */
const BUNDLED = ['@kubernetes/client-node', 'yaml'];

export default {
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  roots: ['<rootDir>/test'],
  // In full: Stryker, which wraps it, does not know <rootDir>.
  testEnvironment: fileURLToPath(new URL('lean-environment.cjs', import.meta.url)),
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/servers/'],
  transform: {
    [`/node_modules/(${BUNDLED.join('|')})/.*\\.[cm]?js$`]: '<rootDir>/test/config/bundling-transform.cjs',
    '\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${BUNDLED.join('|')})/)`],
  // Zod loads its 60 translations wherever it is loaded, in a hundred suites; only English, loaded by itself, is used.
  moduleNameMapper: { '^\\.\\./locales/index\\.cjs$': 'zod/v4/locales/en.cjs' },
  reporters: ['default', '<rootDir>/test/config/closing-line-reporter.cjs'],
  restoreMocks: true,
  // Jest leaves one core to itself, which on two cores is half of them.
  maxWorkers: '100%',
  // No test measures time by it; a busy machine may need many times what an idle one does.
  testTimeout: 60_000,
};
