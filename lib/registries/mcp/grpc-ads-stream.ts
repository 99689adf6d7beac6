import type * as grpc from '@grpc/grpc-js';
import type { Clock } from '../../runtime/clock';
import type { ReadingCost } from '../registry';
import { adsError, answerError, type CallCircumstances, type CallStatus } from './ads-error';
import type { AdsAnswer, AdsStream } from './ads-stream';
import { decodeDiscoveryResponse, type DiscoveryRequest } from './xds-messages';
import type { XdsNode } from './xds-node';

/** How long the server gets to end its half of the stream after we have ended ours. */
const CLOSE_MS = 500;

/** INVALID_ARGUMENT, what xDS clients say of answers that they refuse. */
const REFUSED = 3;

type Call = grpc.ClientDuplexStream<DiscoveryRequest, Buffer>;

export type GrpcAdsStreamOptions = {
  readonly client: grpc.Client;
  readonly call: Call;
  readonly node: XdsNode;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly circumstances: () => Omit<CallCircumstances, 'answered'>;
};

/** What the server has to be told of a type with each request. */
type Subscription = { readonly names: readonly string[]; readonly version: string; readonly nonce: string };

/** A stream over a gRPC call. It closes by itself when its signal aborts. */
export class GrpcAdsStream implements AdsStream {
  readonly #options: GrpcAdsStreamOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #received: Buffer[] = [];
  readonly #ended: Promise<void>;
  #status: CallStatus | undefined;
  #introduced = false;
  #answered = false;
  #cost: ReadingCost = { requests: 0, bytes: 0 };
  #wake: () => void = () => undefined;
  #closing: Promise<void> | undefined;

  constructor(options: GrpcAdsStreamOptions) {
    this.#options = options;
    const { call, signal } = options;
    const onAbort = (): void => void this.close();
    this.#ended = new Promise((resolve) => {
      call.on('status', (status: grpc.StatusObject) => {
        this.#status = { code: status.code, details: status.details };
        signal.removeEventListener('abort', onAbort);
        resolve();
        this.#wake();
      });
    });
    // The status says the same, but an unheard error would end the process.
    call.on('error', () => undefined);
    call.on('data', (bytes: Buffer) => {
      this.#received.push(bytes);
      this.#wake();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  }

  subscribe(typeUrl: string, names: readonly string[] = []): void {
    const { version = '', nonce = '' } = this.#subscriptions.get(typeUrl) ?? {};
    this.#subscriptions.set(typeUrl, { names, version, nonce });
    this.#send(typeUrl);
  }

  async next(waitMs?: number): Promise<AdsAnswer | undefined> {
    const { signal } = this.#options;
    if (!this.#hasNews()) await this.#news(waitMs);
    signal.throwIfAborted();
    const bytes = this.#received.shift();
    if (bytes !== undefined) return this.#read(bytes);
    if (this.#status === undefined) return undefined;
    throw adsError(this.#status, { ...this.#options.circumstances(), answered: this.#answered });
  }

  acknowledge({ typeUrl, version, nonce }: AdsAnswer): void {
    this.#subscriptions.set(typeUrl, { names: this.#namesOf(typeUrl), version, nonce });
    this.#send(typeUrl);
  }

  refuse({ typeUrl, nonce }: AdsAnswer, reason: string): void {
    const { version = '' } = this.#subscriptions.get(typeUrl) ?? {};
    this.#subscriptions.set(typeUrl, { names: this.#namesOf(typeUrl), version, nonce });
    this.#send(typeUrl, reason);
  }

  takeCost(): ReadingCost {
    const cost = this.#cost;
    this.#cost = { requests: 0, bytes: 0 };
    return cost;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { call, client, clock } = this.#options;
    this.#wake();
    call.end();
    const inTime = new AbortController();
    await Promise.race([this.#ended, clock.delay(CLOSE_MS, inTime.signal)]);
    inTime.abort();
    call.cancel();
    client.close();
  }

  #hasNews(): boolean {
    return this.#received.length > 0 || this.#status !== undefined || this.#options.signal.aborted;
  }

  async #news(waitMs: number | undefined): Promise<void> {
    const arrived = new AbortController();
    const news = new Promise<void>((resolve) => (this.#wake = resolve));
    const waits = waitMs === undefined ? [news] : [news, this.#options.clock.delay(waitMs, arrived.signal)];
    await Promise.race(waits);
    arrived.abort();
  }

  #read(bytes: Buffer): AdsAnswer {
    this.#answered = true;
    this.#cost = { ...this.#cost, bytes: this.#cost.bytes + bytes.length };
    const { address } = this.#options.circumstances();
    const answer = decoded(address, bytes);
    if (this.#subscriptions.has(answer.typeUrl)) return answer;
    throw answerError(address, `it is of type ${JSON.stringify(answer.typeUrl)}, which nobody asked for`);
  }

  #namesOf(typeUrl: string): readonly string[] {
    return this.#subscriptions.get(typeUrl)?.names ?? [];
  }

  #send(typeUrl: string, refusal?: string): void {
    if (this.#closing !== undefined || this.#status !== undefined) return;
    const { node, call } = this.#options;
    const { names, version, nonce } = this.#subscriptions.get(typeUrl) ?? { names: [], version: '', nonce: '' };
    const isFirst = !this.#introduced;
    this.#introduced = true;
    this.#cost = { ...this.#cost, requests: this.#cost.requests + 1 };
    call.write({
      typeUrl,
      versionInfo: version,
      responseNonce: nonce,
      resourceNames: names,
      ...(isFirst ? { node: { id: node.id, metadata: metadataStruct(node), userAgentName: 'pilotless' } } : {}),
      ...(refusal === undefined ? {} : { errorDetail: { code: REFUSED, message: refusal } }),
    });
  }
}

function decoded(address: string, bytes: Buffer): AdsAnswer {
  try {
    return decodeDiscoveryResponse(bytes);
  } catch (cause) {
    throw answerError(address, 'its bytes are no DiscoveryResponse', cause);
  }
}

/** A map of texts as google.protobuf.Struct. */
function metadataStruct({ metadata }: XdsNode): object {
  return {
    fields: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, { stringValue: value }])),
  };
}
