import type { Registry, RegistryReading } from '../../lib/registries/registry';
import { full } from './readings';

/** What a reading does: gives this, throws this, never answers, or ends without a word. */
export type Script = RegistryReading | Error | 'hangs' | 'nothing';

/** A registry that does as a test says. Without a word it holds nothing. */
export class ScriptedRegistry implements Registry {
  readonly provider = 'Mock';
  readonly cluster: string;
  /** What full readings do from now on; a function is asked anew each time. */
  script: Script | (() => Script | Promise<Script>) = full([]);
  /** How often it was read fully. */
  reads = 0;
  /** Whether a reading is open. */
  open = 0;
  readonly #news: (RegistryReading | Error | 'ends')[] = [];
  #wake: () => void = () => undefined;

  constructor(cluster = 'demo') {
    this.cluster = cluster;
  }

  /** An open watch gives this, breaks by it, or ends. */
  tell(news: RegistryReading | Error | 'ends'): void {
    this.#news.push(news);
    this.#wake();
  }

  async *read(signal: AbortSignal): AsyncGenerator<RegistryReading, void, void> {
    this.reads += 1;
    this.open += 1;
    this.#news.length = 0;
    try {
      const script = typeof this.script === 'function' ? await this.script() : this.script;
      if (script === 'nothing') return;
      if (script === 'hangs') await new Promise(() => undefined);
      else if (script instanceof Error) throw script;
      else yield script;
      yield* this.#watch(signal);
    } finally {
      this.open -= 1;
    }
  }

  async *#watch(signal: AbortSignal): AsyncGenerator<RegistryReading, void, void> {
    signal.addEventListener('abort', () => this.#wake());
    for (;;) {
      const next = this.#news.shift();
      if (signal.aborted || next === 'ends') return;
      if (next instanceof Error) throw next;
      if (next !== undefined) yield next;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
