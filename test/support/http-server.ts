import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A server on a free port of 127.0.0.1 that does to each request what the test says. */
export class HttpServer implements AsyncDisposable {
  readonly requests: http.IncomingMessage[] = [];
  connections = 0;
  readonly #server: http.Server;
  readonly #sockets = new Set<Socket>();

  private constructor(handle: http.RequestListener) {
    this.#server = http.createServer((request, response) => {
      this.requests.push(request);
      handle(request, response);
    });
    this.#server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(handle: http.RequestListener): Promise<HttpServer> {
    const server = new HttpServer(handle);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#address().port}`;
  }

  /** Closes the connections that are open, as a server does that has had enough of idle ones. */
  closeConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closeConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #address(): AddressInfo {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the server does not listen');
    return address;
  }
}
