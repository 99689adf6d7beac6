import * as z from 'zod';

import type { PollMode } from '../../../../lib/model/registry-row';
import type { ServiceSnapshot } from '../../../../lib/model/service-snapshot';
import { clientSettings, consulRegistry } from '../../../../lib/registries/consul/consul-provider';
import type { ConsulRegistry } from '../../../../lib/registries/consul/consul-registry';
import { HttpConsulClient } from '../../../../lib/registries/consul/http-consul-client';
import { consulSettings } from '../../../../lib/registries/consul/settings';
import type { RegistryReading } from '../../../../lib/registries/registry';
import { credentialSource } from '../../../../lib/registries/secrets-credentials';
import { systemClock } from '../../../../lib/runtime/system-clock';
import { AppliedSnapshots } from '../../../support/applied-snapshots';

const WAIT_MS = 20_000;

export type Settings = Readonly<Record<string, unknown>> & { readonly address: string };

export type ConsulParts = { readonly registry: ConsulRegistry; readonly client: HttpConsulClient };

/** A registry as the provider makes it, with its client at hand. */
export function makeConsulRegistry(mode: PollMode, settings: Settings, cluster = 'dc1'): ConsulParts {
  const parsed = z.strictObject(consulSettings).parse(settings);
  const client = new HttpConsulClient(clientSettings(parsed), credentialSource(parsed, '.'), systemClock);
  return { client, registry: consulRegistry({ cluster, mode }, parsed, client, systemClock) };
}

/** The one reading of poll mode. */
export async function readOnce(registry: ConsulRegistry): Promise<RegistryReading & { readonly type: 'full' }> {
  for await (const reading of registry.read(new AbortController().signal)) {
    if (reading.type === 'full') return reading;
  }
  throw new Error('no full reading');
}

/** A registry that is being watched, and what its readings have come to. */
export class FollowedRegistry {
  readonly applied = new AppliedSnapshots();
  readonly client: HttpConsulClient;
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;
  #error: unknown;
  #changed: () => void = () => undefined;

  private constructor({ registry, client }: ConsulParts) {
    this.client = client;
    this.#ended = this.#follow(registry);
  }

  /** Resolves after the first reading. */
  static async start(settings: Settings): Promise<FollowedRegistry> {
    const followed = new FollowedRegistry(makeConsulRegistry('watch', settings));
    await followed.expectUntil('the first reading', () => followed.applied.readings.length > 0);
    return followed;
  }

  get keys(): readonly string[] {
    return [...this.applied.byKey.keys()].sort();
  }

  snapshot(name: string): ServiceSnapshot | undefined {
    return this.applied.byKey.get(`default/${name}.service.consul`);
  }

  /** Resolves as soon as a reading makes it so. @throws Error when it does not come, or the registry fails. */
  async expectUntil(what: string, isSo: () => boolean): Promise<void> {
    const deadline = AbortSignal.timeout(WAIT_MS);
    while (!isSo()) {
      if (this.#error !== undefined) throw new Error(`${what}: the registry failed`, { cause: this.#error });
      await new Promise<void>((resolve, reject) => {
        this.#changed = resolve;
        deadline.onabort = () => reject(new Error(`${what}: not so after ${WAIT_MS} ms`));
      });
    }
  }

  /** What the registry threw, once it has. */
  async failure(): Promise<unknown> {
    await this.#ended;
    return this.#error;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#ended;
    this.client.reconnect();
  }

  async #follow(registry: ConsulRegistry): Promise<void> {
    try {
      for await (const reading of registry.read(this.#abort.signal)) {
        this.applied.apply(reading);
        this.#changed();
      }
    } catch (error) {
      this.#error = error;
      this.#changed();
    }
  }
}
