/** Which instances are read at all. Everything here is applied by Consul, so that the rest never travels. */
export type Selection = {
  /** All of these have to be on an instance. */
  readonly tags: readonly string[];
  /** An expression over the answers of `/v1/health/service`, e.g. `Service.Meta.env == "prod"`. */
  readonly filter?: string;
  /** Connect proxies and gateways as well. */
  readonly proxies: boolean;
  /** The service `consul`, which is the servers themselves. */
  readonly consulService: boolean;
};

/** What a tag may hold to stand in a filter expression, whose strings know no escapes (go-bexpr `grammar.peg`). */
export const TAG_IN_FILTER = /^[^"`\\]+$/;

/** Selects nothing: the answer is its index and no body. */
export const NO_SERVICE_INSTANCE = 'Service.ID == ""';
export const NO_REGISTRATION = 'ID == ""';

/** Passing checks have no effect on health. */
export const NOT_PASSING = 'Status != "passing"';

/** For `/v1/catalog/services`, whose rows are one an instance. */
export function serviceListFilter(selection: Selection): string {
  return conjunction([
    ...(selection.proxies ? [] : ['ServiceKind == ""']),
    ...(selection.consulService ? [] : ['ServiceName != "consul"']),
    ...selection.tags.map((tag) => `"${tag}" in ServiceTags`),
  ]);
}

/** For `/v1/health/service/<name>`. */
export function instanceFilter(selection: Selection): string {
  return conjunction([
    ...(selection.proxies ? [] : ['Service.Kind == ""']),
    ...selection.tags.map((tag) => `"${tag}" in Service.Tags`),
    ...(selection.filter === undefined ? [] : [`(${selection.filter})`]),
  ]);
}

/** For `/v1/catalog/node-services/<node>`. */
export function registrationFilter(selection: Selection): string {
  return conjunction([
    ...(selection.proxies ? [] : ['Kind == ""']),
    ...(selection.consulService ? [] : ['Service != "consul"']),
    ...selection.tags.map((tag) => `"${tag}" in Tags`),
  ]);
}

function conjunction(terms: readonly string[]): string {
  return terms.join(' and ');
}
