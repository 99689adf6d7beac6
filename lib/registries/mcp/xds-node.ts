/** How the client introduces itself. */
export type XdsNode = {
  readonly id: string;
  /** The namespace that its identity is of. */
  readonly namespace: string;
  readonly metadata: Readonly<Record<string, string>>;
};

/**
 * Addresses for documentation (RFC 5737, RFC 3849): istiod looks for the workload of a client by its IP, and we are none.
 * One of each family, since addresses of a family that a client does not have are not shown to it.
 */
const NO_WORKLOAD_IP = '192.0.2.1';
const NO_WORKLOAD_IPV6 = '2001:db8::1';

/**
 * A node that istiod serves its configuration to as it is (`GENERATOR: api`), instead of what an Envoy makes of it
 * (istio pilot/pkg/networking/apigen). The namespace has to be that of the caller's identity (pilot/pkg/xds/auth.go).
 */
export function xdsNode(options: {
  /** Of the registry, so that its stream can be told apart in istiod's logs. */
  readonly cluster: string;
  readonly namespace: string;
  readonly domainSuffix: string;
  /** The cluster, by istiod's name for it, as a client of which one asks. */
  readonly clusterId?: string | undefined;
}): XdsNode {
  const { cluster, namespace, domainSuffix, clusterId } = options;
  return {
    id: `sidecar~${NO_WORKLOAD_IP}~pilotless-${cluster}.${namespace}~${namespace}.svc.${domainSuffix}`,
    namespace,
    metadata: {
      GENERATOR: 'api',
      NAMESPACE: namespace,
      INSTANCE_IPS: `${NO_WORKLOAD_IP},${NO_WORKLOAD_IPV6}`,
      // The workloads' own addresses, not those of tunnels to them.
      DISABLE_HBONE_SEND: 'true',
      ...(clusterId === undefined ? {} : { CLUSTER_ID: clusterId }),
    },
  };
}
