import type { ReadingCost } from '../registry';

/** A message of a named type, as it came over the wire. */
export type EncodedMessage = { readonly typeUrl: string; readonly value: Uint8Array };

/** One answer of the server: all objects of a type, or of a type that is asked for by name those that changed. */
export type AdsAnswer = {
  readonly typeUrl: string;
  readonly version: string;
  readonly nonce: string;
  readonly resources: readonly EncodedMessage[];
};

/**
 * One stream of the aggregated discovery service (xDS, state of the world).
 *
 * Every answer has to be acknowledged or refused before the next one is waited for.
 */
export interface AdsStream {
  /** Asks for all objects of a type, or for those of the names; for another set of names later on, also. */
  subscribe(typeUrl: string, names?: readonly string[]): void;

  /**
   * The next answer; `undefined` when none came within `waitMs` (absent: for ever).
   * @throws AppError when the stream broke or ended, with a code that tells why (see `ads-error.ts`).
   */
  next(waitMs?: number): Promise<AdsAnswer | undefined>;

  /** Tells the server that the answer is in use (ACK). */
  acknowledge(answer: AdsAnswer): void;

  /** Tells the server that something in the answer cannot be used, and what (NACK). */
  refuse(answer: AdsAnswer, reason: string): void;

  /** Messages sent and bytes received since the call before. */
  takeCost(): ReadingCost;

  /** Ends the stream, and the connection. Resolves when both are gone; never rejects. */
  close(): Promise<void>;
}

/** Opens streams, each over a connection of its own with the credentials of that moment. */
export interface AdsClient {
  /**
   * The stream closes when the signal aborts; waiting for an answer then ends with the signal's reason.
   * @throws AppError when credentials cannot be read.
   */
  open(signal: AbortSignal): Promise<AdsStream>;
}
