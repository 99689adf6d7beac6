/** What the SDK for JavaScript v3 throws for an answer that is an error (its `ServiceException`). */
type ServiceFailure = Error & {
  readonly $fault: 'client' | 'server';
  readonly $metadata: { readonly httpStatusCode?: number | undefined };
};

/** Refusals that pass by themselves: too many requests, or credentials that ran out on the way (AWS "Common errors"). */
const PASSING: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'Throttling',
  'TooManyRequestsException',
  'RequestLimitExceeded',
  'ExpiredToken',
  'ExpiredTokenException',
]);

/**
 * Whether a call to AWS that failed may succeed when it is made again: yes for throttling, answers of 500 and above,
 * timeouts and broken connections; no for what the service finds wrong or does not permit, and for bugs.
 */
export function isPassingAwsFailure(error: unknown): boolean {
  if (isServiceFailure(error)) {
    const status = error.$metadata.httpStatusCode ?? 0;
    return error.$fault === 'server' || status >= 500 || status === 429 || PASSING.has(error.name);
  }
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}

function isServiceFailure(error: unknown): error is ServiceFailure {
  return error instanceof Error && '$fault' in error && '$metadata' in error;
}
