import { X509Certificate } from 'node:crypto';
import * as grpc from '@grpc/grpc-js';
import { AppError } from '../../model/app-error';
import { isoTime, type Clock } from '../../runtime/clock';
import type { Credentials, CredentialSource } from '../credential-settings';
import type { CallCircumstances } from './ads-error';
import type { AdsClient, AdsStream } from './ads-stream';
import { GrpcAdsStream } from './grpc-ads-stream';
import { encodeDiscoveryRequest, type DiscoveryRequest } from './xds-messages';
import type { ServerAddress } from './server-address';
import { tokenExpiryMs } from './token-expiry';
import type { XdsNode } from './xds-node';

/** gRPC path of the one call that there is. */
const STREAM_METHOD = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

/** Below the half minute that istiod takes for the least time between two pings, and NAT's idle limits (istio pkg/keepalive). */
const KEEP_ALIVE_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 10_000;

/** gRPC's own limit of 4 MB is some 10,000 entries; what is beyond this one would not fit into a function's memory either. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

export type GrpcAdsClientOptions = {
  readonly server: ServerAddress;
  readonly node: XdsNode;
  readonly credentials: CredentialSource;
  readonly clock: Clock;
};

/** The aggregated discovery service over gRPC. Nothing is shared between two streams, not even a connection. */
export class GrpcAdsClient implements AdsClient {
  readonly #options: GrpcAdsClientOptions;

  constructor(options: GrpcAdsClientOptions) {
    this.#options = options;
  }

  async open(signal: AbortSignal): Promise<AdsStream> {
    signal.throwIfAborted();
    const { server, node, clock } = this.#options;
    const credentials = await this.#options.credentials();
    signal.throwIfAborted();
    const metadata = callMetadata(server, credentials);
    const client = new grpc.Client(server.target, channelCredentials(server, credentials), channelOptions(server));
    const call = client.makeBidiStreamRequest(
      STREAM_METHOD,
      (request: DiscoveryRequest) => Buffer.from(encodeDiscoveryRequest(request)),
      (bytes: Buffer) => bytes,
      metadata,
    );
    const circumstances = () => this.#circumstances(credentials);
    return new GrpcAdsStream({ client, call, node, clock, signal, circumstances });
  }

  #circumstances(credentials: Credentials): Omit<CallCircumstances, 'answered'> {
    const { server, node, clock } = this.#options;
    const { token, ca, cert } = credentials;
    const expiresMs = token === undefined ? undefined : tokenExpiryMs(token);
    const isExpired = expiresMs !== undefined && expiresMs <= clock.now();
    const trust = ca === undefined ? 'public' : 'own';
    return {
      address: server.address,
      identity: token !== undefined ? 'token' : cert !== undefined ? 'certificate' : 'none',
      ...(isExpired ? { tokenExpiredAt: isoTime(expiresMs) } : {}),
      trust: server.secure ? trust : 'nothing',
      namespace: node.namespace,
    };
  }
}

/** What a header may hold (gRPC over HTTP/2, "ASCII-Value"). gRPC's own complaint would repeat the token. */
const HEADER_TEXT = /^[\x20-\x7e]+$/;

function callMetadata({ address }: ServerAddress, { token }: Credentials): grpc.Metadata {
  const metadata = new grpc.Metadata();
  if (token === undefined) return metadata;
  if (!HEADER_TEXT.test(token)) throw unusable(address, 'token', 'it holds characters that a token cannot have');
  metadata.set('authorization', `Bearer ${token}`);
  return metadata;
}

function channelCredentials({ secure, address }: ServerAddress, credentials: Credentials): grpc.ChannelCredentials {
  if (!secure) return grpc.credentials.createInsecure();
  const { ca, cert, key } = credentials;
  requireCertificate(address, 'CA', ca);
  requireCertificate(address, 'client certificate', cert);
  try {
    return grpc.credentials.createSsl(pem(ca), pem(key), pem(cert));
  } catch (cause) {
    throw unusable(address, 'client certificate with its key', reasonOf(cause), cause);
  }
}

/** OpenSSL takes a text without certificates for a list of none, and then trusts nobody, which is hard to find out. */
function requireCertificate(address: string, what: string, text: string | undefined): void {
  if (text === undefined) return;
  try {
    new X509Certificate(text);
  } catch (cause) {
    throw unusable(address, what, `it is no certificate in PEM form (${reasonOf(cause)})`, cause);
  }
}

function unusable(address: string, what: string, reason: string, cause?: unknown): AppError {
  return new AppError(`The ${what} for ${address} cannot be used: ${reason}`, {
    code: 'McpCredentialUnusableError',
    details: { address, credential: what },
    cause,
  });
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function pem(text: string | undefined): Buffer | null {
  // grpc-js takes null for "none".
  return text === undefined ? null : Buffer.from(text);
}

function channelOptions({ serverName }: ServerAddress): grpc.ChannelOptions {
  return {
    'grpc.keepalive_time_ms': KEEP_ALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEP_ALIVE_TIMEOUT_MS,
    'grpc.max_receive_message_length': MAX_ANSWER_BYTES,
    'grpc.primary_user_agent': 'pilotless',
    'grpc.service_config_disable_resolution': 1,
    'grpc.use_local_subchannel_pool': 1,
    ...(serverName === undefined
      ? {}
      : { 'grpc.ssl_target_name_override': serverName, 'grpc.default_authority': serverName }),
  };
}
