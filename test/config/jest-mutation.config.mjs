import quick from './jest.config.mjs';

/** What the mutated folders are judged by: their own suites and the properties of pure code, which take seconds. */
export default {
  ...quick,
  testMatch: [
    '<rootDir>/test/{model,aggregation,changes,push,polling}/*.test.ts',
    '<rootDir>/test/properties/{change-events,diff-entry,emitted-events,item-codecs,merge-service,polling,push-requests}.test.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/', '/dynamodb-', '/eventbridge-'],
  testSequencer: '<rootDir>/test/config/properties-last-sequencer.cjs',
};
