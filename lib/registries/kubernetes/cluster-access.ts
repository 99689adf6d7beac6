import type { Agent } from 'node:http';
import { AppError } from '../../model/app-error';

/** How to reach an API server right now. */
export type ApiConnection = {
  /** Without a trailing slash, perhaps with a path. */
  readonly baseUrl: string;
  /** Authorization and what else identifies the caller. */
  readonly headers: Readonly<Record<string, string>>;
  /** Verifies the server, presents a client certificate, keeps connections; absent only for plain HTTP on this machine. */
  readonly agent?: Agent;
};

/** Where the credentials come from. They may change at any time, so each connection asks anew. */
export interface ClusterAccess {
  /** @throws AccessError when they cannot be had. */
  connect(): Promise<ApiConnection>;
  /** The server refused the credentials: whatever was remembered of them is worthless. */
  refused(): void;
  /** Gives connections back. */
  close(): void;
}

/** The way to the cluster could not be found: a kubeconfig, a token, a certificate, an AWS call. */
export class AccessError extends AppError {
  constructor(message: string, options: { readonly cause?: unknown; readonly transient?: boolean } = {}) {
    super(message, { code: 'AccessError', ...options });
  }
}
