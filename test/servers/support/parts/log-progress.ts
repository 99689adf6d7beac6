/** One line to standard error, where it does not mix with the output of the test runner. */
export function logProgress(message: string): void {
  process.stderr.write(`servers: ${message}\n`);
}
