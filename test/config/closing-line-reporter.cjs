// Prints one closing line that tools can read: `tests: N passed, N failed`. A suite that cannot run counts as failed.
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests > 0 ? `, ${results.numPendingTests} skipped` : '';
    process.stdout.write(`tests: ${results.numPassedTests} passed, ${failed} failed${skipped}\n`);
  }
};
