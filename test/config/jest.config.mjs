import { fileURLToPath } from 'node:url';

/** ESM-only packages that jest's CommonJS mode has to transform. */
const ESM_PACKAGES = ['@kubernetes/client-node', 'openid-client', 'oauth4webapi', 'jose', 'jsonpath-plus'];

export default {
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/servers/'],
  transform: {
    '\\.[cm]?[tj]s$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${ESM_PACKAGES.join('|')})/)`],
  reporters: ['default', '<rootDir>/test/config/closing-line-reporter.cjs'],
  restoreMocks: true,
  // Jest leaves one core to itself, which on two cores is half of them.
  maxWorkers: '100%',
  // No test measures time by it; a busy machine may need many times what an idle one does.
  testTimeout: 60_000,
};
