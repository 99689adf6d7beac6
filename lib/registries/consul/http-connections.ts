import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import type { Duplex } from 'node:stream';
import * as tls from 'node:tls';
import type { Credentials, CredentialSource } from '../credential-settings';

/** Waiting requests are silent for minutes; this keeps their connections within the 350 s that AWS's NAT and network load balancers allow an idle connection. */
const TCP_KEEP_ALIVE_MS = 60_000;

/**
 * Keep-alive connections to one server. Each is opened with the credentials of that moment and remembers its token, so that
 * a rotated credential needs no restart and no request mixes the old with the new.
 */
export class HttpConnections {
  readonly #credentials: CredentialSource;
  readonly #secure: boolean;
  readonly #serverName: string | undefined;
  readonly #tokens = new WeakMap<Duplex, string>();
  #agent: http.Agent;
  #reading: Promise<Credentials> | undefined;
  #opened = 0;

  constructor(options: {
    readonly secure: boolean;
    readonly credentials: CredentialSource;
    /** The name that the server's certificate has to have. @default the host of the address */
    readonly serverName?: string;
  }) {
    this.#secure = options.secure;
    this.#credentials = options.credentials;
    this.#serverName = options.serverName;
    this.#agent = this.#makeAgent();
  }

  get agent(): http.Agent {
    return this.#agent;
  }

  /** How many connections were opened so far. */
  get opened(): number {
    return this.#opened;
  }

  /** The token that the connection was opened with. */
  tokenOf(socket: Duplex): string | undefined {
    return this.#tokens.get(socket);
  }

  /** Closes every connection, busy ones too. Requests made from now on get new ones. */
  renew(): void {
    this.#agent.destroy();
    this.#agent = this.#makeAgent();
  }

  #makeAgent(): http.Agent {
    const agent = this.#secure ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true });
    agent.createConnection = (options, callback) => {
      this.#open({ host: options.host ?? 'localhost', port: Number(options.port) }).then(
        (socket) => callback?.(null, socket),
        // Node looks at no stream beside an error, but its types want one.
        (error: unknown) => callback?.(error instanceof Error ? error : new Error(String(error)), new net.Socket()),
      );
      return undefined;
    };
    return agent;
  }

  async #open(place: { readonly host: string; readonly port: number }): Promise<Duplex> {
    const { token, ...certificates } = await this.#readCredentials();
    this.#opened += 1;
    const socket = this.#secure
      ? tls.connect({ ...place, ...certificates, servername: this.#certificateName(place.host) })
      : net.connect(place);
    socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    if (token !== undefined && token !== '') this.#tokens.set(socket, token);
    return socket;
  }

  /** Connections that are opened at the same time share one look at the credentials: a secret costs money to read. */
  async #readCredentials(): Promise<Credentials> {
    this.#reading ??= this.#credentials().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** RFC 6066 allows no IP address as a server name; the certificate's addresses are compared all the same. */
  #certificateName(host: string): string {
    return this.#serverName ?? (net.isIP(host) === 0 ? host : '');
  }
}
