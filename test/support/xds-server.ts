import * as grpc from '@grpc/grpc-js';
import { mcpMessage, type AnyMessage } from './mcp-messages';

const METHOD = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

export type SeenRequest = {
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly responseNonce: string;
  readonly resourceNames: readonly string[];
  readonly node: { readonly id: string; readonly metadata: unknown } | null;
  readonly errorDetail: { readonly code: number; readonly message: string } | null;
};

export type SentAnswer = {
  readonly typeUrl: string;
  readonly versionInfo?: string;
  readonly nonce?: string;
  readonly resources?: readonly AnyMessage[];
};

type Call = grpc.ServerDuplexStream<SeenRequest, SentAnswer | Buffer>;

/** One stream as the server sees it. */
export class SeenStream {
  readonly requests: SeenRequest[] = [];
  readonly authorization: string | undefined;
  /** Set when the client has ended its half. */
  halfClosed = false;
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
    this.authorization = call.metadata.get('authorization')[0]?.toString();
  }

  /** The answer, or bytes in its place. */
  send(answer: SentAnswer | Buffer): void {
    this.#call.write(answer);
  }

  /** Ends the stream: properly, or with a status of gRPC. */
  end(status?: { readonly code: number; readonly details: string }): void {
    if (status === undefined) this.#call.end();
    else this.#call.emit('error', status);
  }
}

export type XdsServerOptions = {
  /** What to do about a request. */
  readonly onRequest: (stream: SeenStream, request: SeenRequest) => void;
  /** Whether to end its half when the client has ended its own, as istiod does. @default true */
  readonly endsWithClient?: boolean;
  readonly credentials?: grpc.ServerCredentials;
};

/** A gRPC server in this process that does what the test says. */
export class XdsServer {
  readonly streams: SeenStream[] = [];
  readonly target: string;
  readonly #server: grpc.Server;

  private constructor(server: grpc.Server, port: number, streams: SeenStream[]) {
    this.#server = server;
    this.target = `127.0.0.1:${port}`;
    this.streams = streams;
  }

  static async start(options: XdsServerOptions): Promise<XdsServer> {
    const streams: SeenStream[] = [];
    const server = new grpc.Server();
    server.register(METHOD, handler(options, streams), serialize, deserialize, 'bidi');
    const credentials = options.credentials ?? grpc.ServerCredentials.createInsecure();
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
    });
    return new XdsServer(server, port, streams);
  }

  stop(): void {
    this.#server.forceShutdown();
  }
}

function handler(options: XdsServerOptions, streams: SeenStream[]) {
  return (call: Call): void => {
    const stream = new SeenStream(call);
    streams.push(stream);
    call.on('data', (request: SeenRequest) => {
      stream.requests.push(request);
      options.onRequest(stream, request);
    });
    call.on('end', () => {
      stream.halfClosed = true;
      if (options.endsWithClient ?? true) call.end();
    });
  };
}

const request = mcpMessage('envoy.service.discovery.v3.DiscoveryRequest');
const response = mcpMessage('envoy.service.discovery.v3.DiscoveryResponse');

function deserialize(bytes: Buffer): SeenRequest {
  return request.deserialize(bytes) as SeenRequest;
}

function serialize(answer: SentAnswer | Buffer): Buffer {
  return Buffer.isBuffer(answer) ? answer : response.serialize(answer);
}
