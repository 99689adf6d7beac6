/** True for a system error of that code. Not by `instanceof`: a test runner's `Error` is not that of Node's own modules. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
