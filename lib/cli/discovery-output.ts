import type { PilotlessEvent } from '../changes/pilotless-event';
import { viewHash } from '../discovery/catalog-client';
import type { Answer } from '../discovery/completeness';
import type { CatalogEntry } from '../model/catalog-entry';
import type { CliIo } from './cli-io';
import { formatDocument, formatStreamed, type OutputFormat } from './output-format';
import { renderConflicts, renderEvent, renderIncompleteness, renderRegistries, renderServices } from './render-catalog';

/**
 * What `pilotless discovery` prints: the catalog once, then what happens. Events that come before the catalog are part of
 * it and kept quiet; one that comes while it is being read is printed after it.
 */
export class DiscoveryOutput {
  readonly #format: OutputFormat;
  readonly #io: CliIo;
  #early: PilotlessEvent[] | undefined = [];

  constructor(format: OutputFormat, io: CliIo) {
    this.#format = format;
    this.#io = io;
  }

  /** Prints one event, or keeps it while the catalog has not been printed yet. */
  event(event: PilotlessEvent): void {
    if (this.#early === undefined) this.#print(event);
    else this.#early.push(event);
  }

  /** The catalog as one document, for `--once`. */
  document(catalog: Answer<readonly CatalogEntry[]>): void {
    if (this.#format === 'table') this.#table(catalog);
    else this.#io.out(formatDocument(this.#format, catalogDocument(catalog)));
  }

  /** The catalog, and from now on every event; of those before, the ones that are no part of the catalog. */
  follow(catalog: Answer<readonly CatalogEntry[]>): void {
    if (this.#format === 'table') this.#table(catalog);
    else this.#io.out(formatStreamed(this.#format, { type: 'Catalog', detail: catalogDocument(catalog) }));
    const early = this.#early ?? [];
    this.#early = undefined;
    const shown = new Map(catalog.data.map(({ key, version }) => [key, version]));
    for (const event of early) if (!isShown(event, shown)) this.#print(event);
  }

  #print(event: PilotlessEvent): void {
    this.#io.out(this.#format === 'table' ? renderEvent(event) : formatStreamed(this.#format, event));
  }

  #table({ data, completeness }: Answer<readonly CatalogEntry[]>): void {
    const sections = [renderServices(data), renderRegistries(completeness.registries), renderConflicts(data)];
    this.#io.out(sections.filter((section) => section !== '').join('\n\n'));
    const incomplete = renderIncompleteness(completeness);
    if (incomplete !== '') this.#io.err(incomplete);
  }
}

/** Services, registries and what is not known, in one value. */
export function catalogDocument({ data, completeness }: Answer<readonly CatalogEntry[]>): unknown {
  const { registries, ...rest } = completeness;
  return { viewHash: viewHash(data), completeness: rest, registries, services: data };
}

function isShown(event: PilotlessEvent, shown: ReadonlyMap<string, number>): boolean {
  switch (event.type) {
    case 'Service Added':
    case 'Service Updated':
    case 'Endpoints Changed':
      return (shown.get(event.detail.service.key) ?? 0) >= event.detail.service.version;
    case 'Service Deleted':
      return !shown.has(event.detail.service.key);
    case 'Push Requested':
    case 'Registry Failed':
    case 'Registry Recovered':
    case 'Removal Held':
    case 'Removal Released':
      return false;
  }
}
