import { NO_ADDRESS } from '../../model/ip-address';
import { makePort, portKey } from '../../model/port';
import { makeService, type Resolution, type Service, type ServiceAttributes } from '../../model/service';
import { spiffeId } from '../../model/spiffe';
import type { KubeNamespace, KubeService } from './kube-objects';
import { inferProtocol } from './infer-protocol';
import { trafficDistribution } from './traffic-distribution';

/** What a conversion has to know beside the objects. */
export type ServiceConversion = {
  readonly cluster: string;
  readonly domainSuffix: string;
  readonly trustDomain: string;
};

/** What Kubernetes writes for "no cluster IP, by intent" (Service API reference, `clusterIP`). */
const HEADLESS = 'None';

export function hostnameOfService(name: string, namespace: string, domainSuffix: string): string {
  return `${name}.${namespace}.svc.${domainSuffix}`;
}

/** One service per object (Istio `kube/conversion.go`, ConvertService). */
export function convertService(
  object: KubeService,
  namespace: KubeNamespace | undefined,
  conversion: ServiceConversion,
): Service {
  const { cluster, domainSuffix, trustDomain } = conversion;
  const external = externalAddresses(object);
  return makeService({
    hostname: hostnameOfService(object.name, object.namespace, domainSuffix),
    namespace: object.namespace,
    name: object.name,
    address: clusterVips(object)[0] ?? NO_ADDRESS,
    addresses: object.clusterIps.length > 1 ? clusterVips(object) : [],
    ports: object.ports.map((port) =>
      makePort({ name: port.name, number: port.port, protocol: inferProtocol(port), transport: port.protocol }),
    ),
    resolution: resolutionOf(object),
    meshExternal: aliasOf(object) !== undefined,
    serviceAccounts: accountsOfAnnotations(object, trustDomain),
    exportTo: exportToOf(object),
    labels: object.labels,
    ...(object.creationTime === undefined ? {} : { creationTime: object.creationTime }),
    clusterVips: { [cluster]: clusterVips(object) },
    externalAddresses: external.length === 0 ? {} : { [cluster]: external },
    attributes: attributesOf(object, namespace),
  });
}

/**
 * Headless wins over ExternalName. An ExternalName is an alias that leads to no endpoints (Istio 1.6 gave it DNS endpoints;
 * its successors follow the CNAME as Kubernetes does).
 */
export function resolutionOf(object: KubeService): Resolution {
  if (object.clusterIp === HEADLESS) return 'Passthrough';
  return aliasOf(object) === undefined ? 'ClientSideLB' : 'Alias';
}

function aliasOf(object: KubeService): string | undefined {
  return object.type === 'ExternalName' && object.externalName !== '' ? object.externalName : undefined;
}

/** The cluster IP, all of them when there are several, `0.0.0.0` for headless services and those without one. */
function clusterVips(object: KubeService): readonly string[] {
  if (object.clusterIp === '' || object.clusterIp === HEADLESS) return [NO_ADDRESS];
  return object.clusterIps.length > 1 ? object.clusterIps : [object.clusterIp];
}

/** Ingress of a load balancer (unresolved: addresses behind an ELB's name change), and external IPs on any type. */
function externalAddresses(object: KubeService): readonly string[] {
  return [...(object.type === 'LoadBalancer' ? object.ingress : []), ...object.externalIps];
}

function accountsOfAnnotations(object: KubeService, trustDomain: string): readonly string[] {
  return [
    ...splitAnnotation(object, 'alpha.istio.io/canonical-serviceaccounts'),
    ...splitAnnotation(object, 'alpha.istio.io/kubernetes-serviceaccounts').map((name) =>
      spiffeId(trustDomain, object.namespace, name),
    ),
  ];
}

function exportToOf(object: KubeService): readonly string[] {
  return splitAnnotation(object, 'networking.istio.io/exportTo')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function splitAnnotation(object: KubeService, name: string): readonly string[] {
  const text = object.annotations[name] ?? '';
  return text === '' ? [] : text.split(',');
}

function attributesOf(object: KubeService, namespace: KubeNamespace | undefined): ServiceAttributes {
  const externalName = aliasOf(object);
  const distribution = trafficDistribution(object, namespace);
  const nodePorts = nodePortsOf(object);
  return {
    type: object.type,
    ...(externalName === undefined ? {} : { externalName }),
    ...(Object.keys(object.selector).length === 0 ? {} : { selector: object.selector }),
    ...(object.sessionAffinity === undefined ? {} : { sessionAffinity: object.sessionAffinity }),
    ...(object.internalTrafficPolicy === undefined ? {} : { internalTrafficPolicy: object.internalTrafficPolicy }),
    ...(distribution === undefined ? {} : { trafficDistribution: distribution }),
    ...(object.publishNotReadyAddresses === undefined
      ? {}
      : { publishNotReadyAddresses: object.publishNotReadyAddresses }),
    ...(nodePorts === undefined ? {} : { nodePorts }),
  };
}

/** Node ports matter where a gateway is reached through nodes: services that name the nodes by annotation. */
function nodePortsOf(object: KubeService): Readonly<Record<string, number>> | undefined {
  if (object.type !== 'NodePort' || object.annotations['traffic.istio.io/nodeSelector'] === undefined) return undefined;
  return Object.fromEntries(
    object.ports.map((port) => [portKey({ transport: port.protocol, number: port.port }), port.nodePort ?? 0]),
  );
}
