import type * as z from 'zod';
import type { ProviderId } from '../model/provider-id';
import type { Registry } from './registry';

/** What every registry of an installation shares, after defaults were applied. */
export type RegistryContext = {
  readonly cluster: string;
  readonly mode: 'poll' | 'watch';
  /** Suffix of generated host names, e.g. `cluster.local`. */
  readonly domainSuffix: string;
  /** SPIFFE trust domain of generated identities. */
  readonly trustDomain: string;
  /** Folder that relative paths of the settings are relative to: that of the configuration document. */
  readonly baseDir: string;
};

/**
 * A provider as the configuration sees it: the settings of its own and how a registry is made of them. `settings` is pure,
 * so that the stack can check a document without loading clients; `load` brings the adapter.
 */
export type ProviderDefinition<Shape extends z.ZodRawShape = z.ZodRawShape> = {
  readonly provider: ProviderId;
  /** The keys that this provider adds to the common ones of a registry (cluster, mode, interval, …), as a zod shape. */
  readonly settings: Shape;
  /** Whether `mode: watch` is possible, and whether it is the default. */
  readonly watch: 'unsupported' | 'supported' | 'default';
  readonly load: () => Promise<RegistryFactory<z.infer<z.ZodObject<Shape>>>>;
  /** A second registry that one registry of this provider can stand for. */
  readonly companion?: Companion<Shape>;
};

/**
 * Another registry of the same cluster, with the same settings: it is read, written and judged by itself, so that neither
 * takes the other down. Which provider it is of says what it holds.
 */
export type Companion<Shape extends z.ZodRawShape = z.ZodRawShape> = {
  readonly provider: ProviderId;
  /** Name of the setting that asks for it with `true`. */
  readonly wantedBy: keyof Shape & string;
  readonly load: () => Promise<RegistryFactory<z.infer<z.ZodObject<Shape>>>>;
};

/**
 * Written as a method for its looser variance: whoever holds definitions of several providers cannot know the settings of
 * each, and those that it hands over have passed the shape that stands beside.
 */
export type RegistryFactory<Settings> = { make(context: RegistryContext, settings: Settings): Registry }['make'];

/** Loads what makes registries of the provider: the definition's own, or its companion's. */
export function loadFactory<Shape extends z.ZodRawShape>(
  { provider: own, load, companion }: ProviderDefinition<Shape>,
  provider: ProviderId,
): Promise<RegistryFactory<z.infer<z.ZodObject<Shape>>>> {
  if (provider === own) return load();
  if (provider === companion?.provider) return companion.load();
  throw new TypeError(`The provider ${own} makes no registries of ${provider}`);
}
