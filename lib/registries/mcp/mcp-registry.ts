import type { PollMode, Unreadable } from '../../model/registry-row';
import { makeRegistryId, type RegistryId } from '../../model/registry-id';
import type { FullReading, Registry } from '../registry';
import { silentError } from './ads-error';
import type { AdsAnswer, AdsClient, AdsStream } from './ads-stream';
import { CLUSTER_ENDPOINTS } from './cluster-endpoints';
import {
  awaited,
  beginAnew,
  isOfOneVersion,
  NOTHING_SEEN,
  takeAnswer,
  unreadableIn,
  type ConfigurationView,
} from './configuration-view';
import { contentOfView } from './content-of-view';
import { EntryConversions } from './entry-conversions';
import { SERVICE_ENTRY, WORKLOAD_ENTRY } from './object-kind';

/**
 * istiod pushes the lists one after the other, each with the version of the push. So long the other one is waited for,
 * lest a service that moves from one to the other is seen without endpoints in between.
 */
const SETTLE_MS = 20;

/** Answers that are waited for in this way at most, so that a server with a version for each type is not waited for for ever. */
const MAX_SETTLING = 2;

/** Reasons of refusal are shown in istiod's log, one line each. */
const MAX_REASONS = 3;

export type McpRegistryOptions = {
  readonly cluster: string;
  readonly mode: PollMode;
  readonly trustDomain: string;
  readonly client: AdsClient;
  /** Of the server, for messages. */
  readonly address: string;
  /** Whether Kubernetes services that the server shows as entries are taken. */
  readonly synthetic: boolean;
  /** How long an answer that is due may take. */
  readonly answerTimeoutMs: number;
};

/**
 * The ServiceEntries and WorkloadEntries that an istiod serves over xDS. A reading is full, and there is one when every type
 * has answered; watching, there is one for each push. An object that cannot be decoded is unreadable, and all others count.
 * A stream that breaks, or a server that does not answer in time, fails the reading.
 */
export class McpRegistry implements Registry {
  readonly provider = 'MCP';
  readonly cluster: string;
  readonly #id: RegistryId;
  readonly #options: McpRegistryOptions;
  readonly #conversions: EntryConversions;
  #seen: ConfigurationView = NOTHING_SEEN;

  /** @throws InvalidValueError when the cluster name is not allowed. */
  constructor(options: McpRegistryOptions) {
    this.cluster = options.cluster;
    this.#id = makeRegistryId(this.provider, options.cluster);
    this.#options = options;
    this.#conversions = new EntryConversions(this.#id, options.trustDomain);
  }

  async *read(signal: AbortSignal): AsyncGenerator<FullReading> {
    const stream = await this.#options.client.open(signal);
    try {
      for await (const view of this.#views(stream)) {
        this.#seen = view;
        yield this.#reading(view, stream);
        if (this.#options.mode === 'poll') return;
      }
    } finally {
      await stream.close();
    }
  }

  /** The view each time that all has answered and, as far as one can tell, a push has come as a whole. */
  async *#views(stream: AdsStream): AsyncGenerator<ConfigurationView> {
    stream.subscribe(SERVICE_ENTRY.typeUrl);
    stream.subscribe(WORKLOAD_ENTRY.typeUrl);
    let view = beginAnew(this.#seen);
    for (;;) {
      view = await this.#complete(stream, view);
      yield view;
      const answer = await stream.next();
      if (answer !== undefined) view = this.#take(stream, view, answer);
    }
  }

  async #complete(stream: AdsStream, seen: ConfigurationView): Promise<ConfigurationView> {
    const { address, answerTimeoutMs } = this.#options;
    let view = seen;
    let settling = 0;
    for (;;) {
      const missing = awaited(view);
      if (missing.length === 0 && (isOfOneVersion(view) || settling === MAX_SETTLING)) return view;
      if (missing.length === 0) settling += 1;
      const answer = await stream.next(missing.length > 0 ? answerTimeoutMs : SETTLE_MS);
      if (answer !== undefined) view = this.#take(stream, view, answer);
      else if (missing.length > 0) throw silentError(address, answerTimeoutMs, missing);
      else return view;
    }
  }

  #take(stream: AdsStream, seen: ConfigurationView, answer: AdsAnswer): ConfigurationView {
    const view = takeAnswer(seen, answer, this.#options.synthetic);
    const refused = unreadableIn(view, answer.typeUrl);
    if (refused.length === 0) stream.acknowledge(answer);
    else stream.refuse(answer, refusalOf(refused));
    const { clusters } = view.clusters;
    if (clusters.join() !== seen.clusters.clusters.join()) stream.subscribe(CLUSTER_ENDPOINTS, clusters);
    return view;
  }

  #reading(view: ConfigurationView, stream: AdsStream): FullReading {
    const { synthetic } = this.#options;
    const content = contentOfView(view, { registry: this.#id, synthetic, conversions: this.#conversions });
    return { type: 'full', ...content, cost: stream.takeCost() };
  }
}

function refusalOf(unreadable: readonly Unreadable[]): string {
  const reasons = unreadable.slice(0, MAX_REASONS).map(({ source, reason }) => `${source}: ${reason}`);
  const more = unreadable.length - reasons.length;
  return [...reasons, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
