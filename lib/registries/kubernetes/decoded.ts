import type { KubeObject } from './kube-objects';

/**
 * What an object of the API comes to: the part of it that is kept, nothing (it does not count, as if it did not exist), or
 * a reason why it could not be understood.
 */
export type Decoded =
  | { readonly type: 'object'; readonly object: KubeObject }
  | { readonly type: 'irrelevant' }
  | { readonly type: 'undecodable'; readonly reason: string };
