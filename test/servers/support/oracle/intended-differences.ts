import { sortedEndpoints, type ComparableCatalog, type ComparableEndpoint, type ComparableService } from './comparable';

/** Where we do otherwise on purpose: how istiod's word has to be read to be ours, and why. */
export type IntendedDifference = {
  readonly name: string;
  readonly reason: string;
  /** Services whose endpoints istiod does not tell. */
  readonly withoutEndpoints?: (theirs: ComparableService) => boolean;
  readonly endpoint?: (theirs: ComparableEndpoint, context: { readonly namespace: string }) => ComparableEndpoint;
};

export const INTENDED: Readonly<Record<'Kubernetes' | 'External', readonly IntendedDifference[]>> = {
  Kubernetes: [
    {
      name: 'BareEndpointNamespace',
      reason:
        'An endpoint that no Pod stands behind is told from others by its address and namespace; istiod gives it none.',
      endpoint: (theirs, { namespace }) => (theirs.namespace === '' ? { ...theirs, namespace } : theirs),
    },
    {
      name: 'EndpointsOfHiddenServices',
      reason:
        'istiod pushes no endpoints of a service that is exported to nobody (serviceNeedsPush); a catalog is not only for proxies.',
      withoutEndpoints: ({ exportTo }) => exportTo.includes('~'),
    },
  ],
  External: [
    {
      name: 'InlineEndpointName',
      reason: 'istiod appends the position in the list, so that removing the first endpoint renames all others.',
      endpoint: (theirs) => ({ ...theirs, workload: theirs.workload.replace(/^(e-\d+)-\d+$/, '$1') }),
    },
  ],
};

/** istiod's catalog as it would be if it did what we do on purpose. */
export function withIntended(
  theirs: ComparableCatalog,
  ours: ComparableCatalog,
  intended: readonly IntendedDifference[],
): ComparableCatalog {
  return new Map(
    [...theirs].map(([key, { service, endpoints }]) => {
      const context = { namespace: key.slice(0, key.indexOf('/')) };
      const untold = intended.some(({ withoutEndpoints }) => withoutEndpoints?.(service) ?? false);
      const read = endpoints.map((endpoint) =>
        intended.reduce((said, { endpoint: apply }) => apply?.(said, context) ?? said, endpoint),
      );
      return [key, { service, endpoints: untold ? (ours.get(key)?.endpoints ?? []) : sortedEndpoints(read) }] as const;
    }),
  );
}
