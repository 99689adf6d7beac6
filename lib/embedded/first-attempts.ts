import type { RegistryId } from '../model/registry-id';

/** Knows when each of some registries has been tried once, well or not. */
export class FirstAttempts {
  readonly #missing: Set<RegistryId>;
  #waiting: (() => void)[] = [];

  constructor(registries: readonly RegistryId[]) {
    this.#missing = new Set(registries);
  }

  saw(registry: RegistryId): void {
    this.#missing.delete(registry);
    if (this.#missing.size > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting = [];
  }

  /** Resolves when every one of them has been tried. */
  async all(): Promise<void> {
    if (this.#missing.size === 0) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
