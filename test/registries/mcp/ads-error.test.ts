import { adsError, answerError, silentError, type CallCircumstances } from '../../../lib/registries/mcp/ads-error';

const circumstances: CallCircumstances = {
  address: 'xdss://istiod:15012',
  answered: false,
  identity: 'token',
  trust: 'own',
  namespace: 'istio-system',
};

/** What grpc-js 1.14 says when it has no connection, with the reason of Node or OpenSSL inside. */
function noConnection(reason: string): string {
  return `No connection established. Last error: ${reason}. Resolution note: `;
}

const OPENSSL = '80ECC1A01C7F0000:error:0A000460:SSL routines:ssl3_read_bytes:';

describe('adsError', () => {
  test.each([
    [
      'nobody is configured to be',
      16,
      'authentication failure',
      { identity: 'none' as const },
      'McpUnauthenticatedError',
      'tokenFile or tokenSecret',
    ],
    [
      'the token is refused',
      16,
      'authentication failure',
      {},
      'McpUnauthenticatedError',
      'audience istio-ca. It said: authentication failure',
    ],
    [
      'the client certificate is refused by istiod',
      16,
      'no',
      { identity: 'certificate' as const },
      'McpUnauthenticatedError',
      'a SPIFFE identity',
    ],
    [
      'the token has expired',
      16,
      'authentication failure',
      { tokenExpiredAt: '2026-01-01T00:00:00.000Z' },
      'McpTokenExpiredError',
      'expired at 2026-01-01T00:00:00.000Z',
    ],
    [
      'the identity is of another namespace',
      7,
      'restricted',
      {},
      'McpForbiddenError',
      '(now istio-system) has to name it. It said: restricted',
    ],
    ['there is no such service', 12, 'unknown method', {}, 'McpWrongServerError', 'It said: unknown method'],
    [
      'a web server answers 404',
      12,
      'Received HTTP status code 404',
      {},
      'McpWrongServerError',
      'istiod: 15010 and 15012',
    ],
    [
      'a web server wants a login',
      7,
      'Received HTTP status code 403',
      {},
      'McpWrongServerError',
      'is not an xDS server',
    ],
    [
      'a web server answers a page, whose first letters look like a length',
      8,
      'Received message larger than max (1752460652 vs 268435456)',
      {},
      'McpAnswerTooLargeError',
      'or is not a gRPC server',
    ],
    [
      'the certificate is of another CA',
      14,
      noConnection('Error: unable to verify the first certificate'),
      {},
      'McpUntrustedServerError',
      'trusted are the certificates of caFile or caSecret',
    ],
    [
      'the certificate is signed by itself',
      14,
      noConnection('Error: self-signed certificate in certificate chain'),
      { trust: 'public' as const },
      'McpUntrustedServerError',
      'public certificates, since there is no caFile or caSecret',
    ],
    [
      'the certificate has another name',
      14,
      noConnection(
        "Error [ERR_TLS_CERT_ALTNAME_INVALID]: Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list: ",
      ),
      {},
      'McpUntrustedServerError',
      '"serverName" is the name to look for in it): Hostname/IP does not match',
    ],
    [
      'the certificate has expired',
      14,
      noConnection('Error: certificate has expired'),
      {},
      'McpUntrustedServerError',
      'certificate has expired',
    ],
    [
      'a client certificate is wanted',
      14,
      noConnection(
        `${OPENSSL}tlsv13 alert certificate required:../deps:1601:SSL alert number 116\n (2026-11-30T04:20:06.233Z)`,
      ),
      {},
      'McpClientCertificateError',
      'or wants one',
    ],
    [
      'HTTP/1 is spoken there, without TLS',
      14,
      noConnection('Protocol error (2026-11-30T04:20:00.065Z)'),
      {},
      'McpWrongServerError',
      'It said: Protocol error',
    ],
    [
      'no TLS is spoken there',
      14,
      noConnection(`Error: ${OPENSSL}wrong version number:../deps:350:\n`),
      {},
      'McpWrongServerError',
      'wrong version number',
    ],
    [
      'no HTTP/2 is spoken there',
      14,
      noConnection(`Error: ${OPENSSL}tlsv1 alert no application protocol:../deps:1601:SSL alert number 120\n`),
      {},
      'McpWrongServerError',
      'no application protocol',
    ],
  ])('says, and not to try again without a change, when %s', (_case, code, details, differing, expected, part) => {
    const error = adsError({ code, details }, { ...circumstances, ...differing });

    expect(error).toMatchObject({ code: expected, transient: false });
    expect(error.message).toContain(part);
    expect(error.message).toContain('xdss://istiod:15012');
    expect(error.details).toEqual({ address: 'xdss://istiod:15012', grpcCode: code, grpcDetails: details });
  });

  test.each([
    [
      'nobody listens',
      14,
      noConnection('Error: connect ECONNREFUSED 127.0.0.1:1'),
      false,
      'McpUnreachableError',
      'or is not ready: connect ECONNREFUSED 127.0.0.1:1',
    ],
    [
      'the name is not known',
      14,
      'Name resolution failed for target dns:x:1',
      false,
      'McpUnreachableError',
      'Name resolution failed',
    ],
    [
      'istiod starts',
      14,
      'server is not ready to serve discovery information',
      false,
      'McpUnreachableError',
      'is not ready',
    ],
    ['the stream breaks later on', 14, 'Connection dropped', true, 'McpStreamBrokenError', 'broke: Connection dropped'],
    ['the server ends the stream', 0, 'OK', true, 'McpStreamEndedError', 'ended the stream without an error'],
    [
      'istiod has no time',
      8,
      'request rate limit exceeded',
      false,
      'McpOverloadedError',
      'request rate limit exceeded',
    ],
    [
      'something else happens',
      13,
      'Received RST_STREAM',
      true,
      'McpStreamError',
      'gRPC status 13: Received RST_STREAM',
    ],
  ])('is worth another attempt when %s', (_case, code, details, answered, expected, part) => {
    const error = adsError({ code, details }, { ...circumstances, answered });

    expect(error).toMatchObject({ code: expected, transient: true });
    expect(error.message).toContain(part);
  });
});

test('silence is an error that names what was awaited', () => {
  expect(silentError('xds://a:1', 10_000, ['networking.istio.io/v1/ServiceEntry'])).toMatchObject({
    code: 'McpSilentError',
    transient: true,
    message:
      'xds://a:1 accepted the connection and then said nothing for 10000 ms; awaited: networking.istio.io/v1/ServiceEntry. Is it a gRPC server of xDS?',
  });
});

test('an answer that makes no sense is an error with its cause', () => {
  const cause = new RangeError('index out of range');
  expect(answerError('xds://a:1', 'its bytes are no DiscoveryResponse', cause)).toMatchObject({
    code: 'McpAnswerUnreadableError',
    message: 'xds://a:1 sent an answer that cannot be read: its bytes are no DiscoveryResponse',
    cause,
  });
});
