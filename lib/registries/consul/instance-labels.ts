import { sortedUnique } from '../../model/compare';
import { makeLabels, type Labels } from '../../model/labels';
import type { Instance } from './instance';

/**
 * Labels of an instance: service meta, and its tags. `key=value` and `key|value` are labels (the latter as in Istio 1.7's
 * `consul/conversion.go`), any other tag `t` is `tag/t: true`. Meta wins over tags, and of two tags with one key the first in
 * order; Consul's own order of tags varies between answers. Empty keys are left out.
 */
export function instanceLabels(instance: Pick<Instance, 'meta' | 'tags'>): Labels {
  const pairs = [...sortedUnique(instance.tags).map(tagLabel).reverse(), ...Object.entries(instance.meta)];
  return makeLabels(Object.fromEntries(pairs.filter(([key]) => key !== '' && key !== 'tag/')));
}

/** The value of the first tag `key=value` or `key|value` with that key, in order of the tags. */
export function tagValue(tags: readonly string[], key: string): string | undefined {
  return sortedUnique(tags)
    .map(tagLabel)
    .find(([name]) => name === key)?.[1];
}

function tagLabel(tag: string): readonly [string, string] {
  const at = tag.search(/[=|]/);
  return at < 0 ? [`tag/${tag}`, 'true'] : [tag.slice(0, at), tag.slice(at + 1)];
}
