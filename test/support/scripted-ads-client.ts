import type { AdsAnswer, AdsClient, AdsStream } from '../../lib/registries/mcp/ads-stream';
import type { AnyMessage } from './mcp-messages';

type Step = AdsAnswer | 'silence' | Error;

/** What the registry did with a stream, in order. */
export type Deed =
  | { readonly subscribe: string; readonly names: readonly string[] }
  | { readonly acknowledge: string; readonly version: string }
  | { readonly refuse: string; readonly reason: string }
  | { readonly wait: number | undefined }
  | 'close';

/** A stream that gives what the test has written down, whatever the registry does, and notes what it does. */
export class ScriptedAdsClient implements AdsClient {
  readonly deeds: Deed[] = [];
  readonly #streams: (readonly Step[])[];

  constructor(...streams: readonly (readonly Step[])[]) {
    this.#streams = [...streams];
  }

  open(): Promise<AdsStream> {
    const steps = [...(this.#streams.shift() ?? [])];
    const { deeds } = this;
    const done = (deed: Deed): void => void deeds.push(deed);
    return Promise.resolve({
      subscribe: (typeUrl, names = []) => done({ subscribe: typeUrl, names }),
      acknowledge: ({ typeUrl, version }) => done({ acknowledge: typeUrl, version }),
      refuse: ({ typeUrl }, reason) => done({ refuse: typeUrl, reason }),
      next: (waitMs) => {
        done({ wait: waitMs });
        const step = steps.shift() ?? new Error('the script is at its end');
        if (step instanceof Error) return Promise.reject(step);
        return Promise.resolve(step === 'silence' ? undefined : step);
      },
      takeCost: () => ({ requests: 1, bytes: 10 }),
      close: () => {
        done('close');
        return Promise.resolve();
      },
    });
  }
}

export function adsAnswer(typeUrl: string, version: string, resources: readonly AnyMessage[] = []): AdsAnswer {
  return {
    typeUrl,
    version,
    nonce: `${version} of ${typeUrl}`,
    resources: resources.map(({ typeUrl, value }) => ({ typeUrl, value })),
  };
}
