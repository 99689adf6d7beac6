import quick from './jest.config.mjs';

/** Real servers: installed or built on first use, started by the tests. One file at a time, for each fills the machine. */
export default {
  ...quick,
  testMatch: ['<rootDir>/test/servers/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 120_000,
};
