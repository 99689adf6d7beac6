import type { RegistryReading } from '../../lib/registries/registry';
import type { Unreadable } from '../../lib/model/registry-row';
import type { ServiceSnapshot } from '../../lib/model/service-snapshot';

/** What a registry's readings come to, by the rules of `registry.ts`: the smallest stage that stands for polling. */
export class AppliedSnapshots {
  readonly byKey = new Map<string, ServiceSnapshot>();
  readonly readings: RegistryReading[] = [];

  apply(reading: RegistryReading): void {
    this.readings.push(reading);
    switch (reading.type) {
      case 'full':
        this.#applyFull(reading.snapshots, reading.unreadable);
        break;
      case 'delta':
        for (const snapshot of reading.upserts) this.byKey.set(snapshot.key, snapshot);
        for (const key of reading.removals) this.byKey.delete(key);
        break;
    }
  }

  /** Key and hash of each snapshot, in order: equal when the snapshots are. */
  get content(): readonly string[] {
    return [...this.byKey.values()].map(({ key, hash }) => `${key} ${hash}`).sort();
  }

  #applyFull(snapshots: readonly ServiceSnapshot[], unreadable: readonly Unreadable[]): void {
    const all = new Set(unreadable.map(({ source }) => source));
    const wholly = new Set(unreadable.filter(({ seenInPart }) => seenInPart !== true).map(({ source }) => source));
    const present = new Set<string>();
    for (const snapshot of snapshots) {
      present.add(snapshot.key);
      if (!snapshot.sources.some((source) => wholly.has(source))) this.byKey.set(snapshot.key, snapshot);
    }
    for (const [key, { sources }] of this.byKey) {
      if (!present.has(key) && !sources.some((source) => all.has(source))) this.byKey.delete(key);
    }
  }
}
