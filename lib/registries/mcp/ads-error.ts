import { AppError } from '../../model/app-error';

/** How a gRPC call ended; code 0 is a proper end. */
export type CallStatus = { readonly code: number; readonly details: string };

/** What was asked, so that an error can name what is missing. */
export type CallCircumstances = {
  /** As configured. */
  readonly address: string;
  /** Whether an answer had come. */
  readonly answered: boolean;
  readonly identity: 'none' | 'token' | 'certificate';
  /** ISO 8601, when the token says that it had expired at the time of the call. */
  readonly tokenExpiredAt?: string;
  /** Where the certificates to trust come from. */
  readonly trust: 'nothing' | 'own' | 'public';
  /** The namespace that the identity has to be of. */
  readonly namespace: string;
};

/** Status codes of gRPC (grpc/grpc doc/statuscodes.md). */
const OK = 0;
const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const UNIMPLEMENTED = 12;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

type Explanation = { readonly code: string; readonly message: string; readonly transient: boolean };

/** The error that a call which ended in this way is: what was wrong, and what to look at. Details hold the server's words. */
export function adsError(status: CallStatus, circumstances: CallCircumstances): AppError {
  const { code, message, transient } = explain(status, circumstances);
  const { address } = circumstances;
  return new AppError(message, {
    code,
    transient,
    details: { address, grpcCode: status.code, grpcDetails: status.details },
  });
}

/** Nothing came for so long, although answers were due. */
export function silentError(address: string, waitedMs: number, awaited: readonly string[]): AppError {
  const message = `${address} accepted the connection and then said nothing for ${waitedMs} ms; awaited: ${awaited.join(', ')}. Is it a gRPC server of xDS?`;
  return new AppError(message, { code: 'McpSilentError', transient: true, details: { address, waitedMs, awaited } });
}

/** An answer that cannot be made sense of as a whole. */
export function answerError(address: string, reason: string, cause?: unknown): AppError {
  return new AppError(`${address} sent an answer that cannot be read: ${reason}`, {
    code: 'McpAnswerUnreadableError',
    details: { address },
    cause,
  });
}

function explain(status: CallStatus, circumstances: CallCircumstances): Explanation {
  const { address, namespace } = circumstances;
  const words = spoken(status.details);
  if (status.code !== UNAVAILABLE && words.startsWith(HTTP_STATUS)) return noXds(address, words);
  switch (status.code) {
    case OK:
      return because('McpStreamEndedError', `${address} ended the stream without an error; it has to stay open`, true);
    case UNAUTHENTICATED:
      return explainUnauthenticated(words, circumstances);
    case PERMISSION_DENIED:
      return because(
        'McpForbiddenError',
        `${address} does not give its configuration to this identity; allowed: a service account in the root namespace of the mesh, and "namespace" (now ${namespace}) has to name it. It said: ${words}`,
      );
    case UNIMPLEMENTED:
      return noXds(address, words);
    case RESOURCE_EXHAUSTED:
      if (words.includes('larger than max')) return tooLarge(address, words);
      return because('McpOverloadedError', `${address} takes no further requests for now: ${words}`, true);
    case UNAVAILABLE:
      return explainUnavailable(words, circumstances);
    default:
      return because('McpStreamError', `${address} ended the stream with gRPC status ${status.code}: ${words}`, true);
  }
}

/** What grpc-js says of an answer that is HTTP and not gRPC; of 429 and 5xx it makes UNAVAILABLE, for those may pass. */
const HTTP_STATUS = 'Received HTTP status code';

/** What grpc-js puts around the reason why it has no connection. */
const NO_CONNECTION =
  /^No connection established\. Last error: (?:Error(?: \[\w+\])?: )?(.*?)(?: \([-:.TZ\d]+\))?\. Resolution note: $/s;

function spoken(details: string): string {
  const [, reason = details] = NO_CONNECTION.exec(details) ?? [];
  return reason.trim();
}

function because(code: string, message: string, transient = false): Explanation {
  return { code, message, transient };
}

function explainUnauthenticated(words: string, circumstances: CallCircumstances): Explanation {
  const { address, identity, tokenExpiredAt } = circumstances;
  const said = `It said: ${words}`;
  if (tokenExpiredAt !== undefined) {
    const message = `The token for ${address} expired at ${tokenExpiredAt}; such tokens have to be renewed before, as Kubernetes does with those that it mounts. ${said}`;
    return because('McpTokenExpiredError', message);
  }
  switch (identity) {
    case 'none':
      return because(
        'McpUnauthenticatedError',
        `${address} wants to know who asks, and nothing is configured; allowed: tokenFile or tokenSecret with a service account token of audience istio-ca, or clientCert. ${said}`,
      );
    case 'token':
      return because(
        'McpUnauthenticatedError',
        `${address} does not accept the token; allowed: a service account token of its own cluster with audience istio-ca. ${said}`,
      );
    case 'certificate':
      return because(
        'McpUnauthenticatedError',
        `${address} does not accept the client certificate; allowed: one with a SPIFFE identity that its CA has signed. ${said}`,
      );
  }
}

/** What Node and OpenSSL say of a server's certificate that they do not accept (node tls, "X509 certificate error codes"). */
const UNTRUSTED =
  /unable to verify|self[- ]signed certificate|unable to get (local )?issuer|certificate has expired|not yet valid|altnames|invalid CA certificate/i;

/** TLS alerts by which a server refuses a client's certificate, or wants one (RFC 8446, 6.2). */
const CERTIFICATE_REFUSED =
  /alert (certificate required|bad certificate|unknown ca|certificate expired|certificate revoked|certificate unknown|handshake failure)/i;

/** What comes of speaking TLS or HTTP/2 to a server that does not. */
const OTHER_PROTOCOL =
  /wrong version number|no application protocol|protocol error|packet length too long|http request/i;

function explainUnavailable(words: string, circumstances: CallCircumstances): Explanation {
  const { address, answered, trust } = circumstances;
  if (UNTRUSTED.test(words)) {
    const trusted =
      trust === 'own'
        ? 'the certificates of caFile or caSecret'
        : 'public certificates, since there is no caFile or caSecret';
    return because(
      'McpUntrustedServerError',
      `The certificate of ${address} is not accepted (trusted are ${trusted}; "serverName" is the name to look for in it): ${words}`,
    );
  }
  if (CERTIFICATE_REFUSED.test(words)) {
    return because(
      'McpClientCertificateError',
      `${address} does not accept the client certificate, or wants one: ${words}`,
    );
  }
  if (OTHER_PROTOCOL.test(words)) return noXds(address, words);
  if (answered) return because('McpStreamBrokenError', `The stream from ${address} broke: ${words}`, true);
  return because('McpUnreachableError', `${address} cannot be reached, or is not ready: ${words}`, true);
}

function noXds(address: string, words: string): Explanation {
  const message = `${address} is not an xDS server, or not on this port; allowed: a gRPC server, with xds:// in the clear and xdss:// over TLS (istiod: 15010 and 15012). It said: ${words}`;
  return because('McpWrongServerError', message);
}

function tooLarge(address: string, words: string): Explanation {
  return because(
    'McpAnswerTooLargeError',
    `${address} sent more than fits in one answer, or is not a gRPC server: ${words}`,
  );
}
