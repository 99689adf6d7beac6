/** The parts of an EKS token that its cluster needs: the query to send, and the host that was signed. */
export type StsQuestion = { readonly host: string; readonly search: string };

const PREFIX = 'k8s-aws-v1.';
/** How old a token may be (aws-iam-authenticator `pkg/token/token.go`, presignedURLExpiration). */
const LIFE_MS = 15 * 60_000;

/** All that may stand in the query, once each (`pkg/token/token.go`, parameterWhitelist). */
const PARAMETERS: ReadonlySet<string> = new Set([
  'action',
  'version',
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expires',
  'x-amz-security-token',
  'x-amz-signature',
  'x-amz-signedheaders',
  'x-amz-user-agent',
  'x-amz-content-sha256',
]);

/**
 * What a token asks of STS, if it is one that the authenticator of EKS would send there: the checks of
 * aws-iam-authenticator's `tokenVerifier.Verify`, in its order. The signature is for STS to check.
 *
 * @throws Error that says what is wrong with it.
 */
export function questionOf(token: string, region: string, nowMs: number): StsQuestion {
  if (!token.startsWith(PREFIX)) throw new Error(`the token does not begin with ${PREFIX}`);
  const url = new URL(Buffer.from(token.slice(PREFIX.length), 'base64url').toString('utf8'));
  demand(url.protocol === 'https:', `the scheme is ${url.protocol}, not https:`);
  demand(url.host === `sts.${region}.amazonaws.com`, `${url.host} is not STS of ${region}`);
  demand(url.pathname === '/', `the path is ${url.pathname}, not /`);
  const parameters = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    const key = name.toLowerCase();
    demand(PARAMETERS.has(key) && !parameters.has(key), `the parameter ${name} is not allowed, or stands there twice`);
    parameters.set(key, value);
  }
  const of = (name: string) => parameters.get(name) ?? '';
  demand(of('action') === 'GetCallerIdentity', `the action is ${of('action')}`);
  const signed = of('x-amz-signedheaders').split(';');
  demand(signed.includes('x-k8s-aws-id') && signed.includes('host'), `only ${signed.join(', ')} are signed`);
  const expires = Number(of('x-amz-expires'));
  demand(expires >= 0 && expires * 1000 <= LIFE_MS, `the token expires after ${expires} s`);
  const age = nowMs - timeOf(of('x-amz-date'));
  demand(age < LIFE_MS, `the token is ${age} ms old`);
  return { host: url.host, search: url.search };
}

/** `20260102T030405Z` in ms. */
function timeOf(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

function demand(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}
