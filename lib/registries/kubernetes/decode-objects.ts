import * as z from 'zod';
import { canonicalAddress } from '../../model/ip-address';
import { decodeCustomResource, type CustomResource } from './decode-custom-resources';
import type { Decoded } from './decoded';
import type {
  KubeNamespace,
  KubeNode,
  KubeObject,
  KubePod,
  KubeService,
  KubeSlice,
  ObjectName,
  Resource,
} from './kube-objects';
import { localityOfNode } from './locality';
import { TRAFFIC_DISTRIBUTION_ANNOTATION } from './traffic-distribution';
import { workloadNameOfPod } from './workload-name';

/** Go writes empty lists and maps as absent or `null`, depending on the field's tags. */
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const labels = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});
const flag = z.boolean().nullish();

function listOf<T extends z.ZodType>(item: T) {
  return z
    .array(item)
    .nullish()
    .transform((value) => value ?? []);
}

const identitySchema = z.object({ metadata: z.object({ namespace: text, name: z.string().min(1) }) });

/** Namespace (empty for none) and name of any object of the API. @throws ZodError when it has none. */
export function identityOf(raw: unknown): ObjectName {
  return identitySchema.parse(raw).metadata;
}

const versionSchema = z.object({ metadata: z.object({ resourceVersion: z.string().min(1) }) });

/** The version that an object, a bookmark or a list is of. @throws ZodError when it has none. */
export function versionOf(raw: unknown): string {
  return versionSchema.parse(raw).metadata.resourceVersion;
}

/** The part of a raw object that is kept. Never throws. */
export function decodeObject(resource: Resource, raw: unknown): Decoded {
  if (resource === 'serviceentries' || resource === 'workloadentries') return decodeCustomResource(resource, raw);
  const result = decode(resource, raw);
  if (!result.success) return { type: 'undecodable', reason: reasonOf(result.error) };
  return result.data === undefined ? { type: 'irrelevant' } : { type: 'object', object: result.data };
}

function decode(
  resource: Exclude<Resource, CustomResource>,
  raw: unknown,
): z.ZodSafeParseResult<KubeObject | undefined> {
  switch (resource) {
    case 'services':
      return serviceSchema.safeParse(raw);
    case 'endpointslices':
      return sliceSchema.safeParse(raw);
    case 'pods':
      return podSchema.safeParse(raw);
    case 'nodes':
      return nodeSchema.safeParse(raw);
    case 'namespaces':
      return namespaceSchema.safeParse(raw);
  }
}

function reasonOf(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}

const serviceSchema = z
  .object({
    metadata: z.object({
      namespace: z.string(),
      name: z.string(),
      labels,
      annotations: labels,
      creationTimestamp: text,
    }),
    spec: z.object({
      type: text,
      clusterIP: text,
      clusterIPs: listOf(z.string()),
      externalName: text,
      externalIPs: listOf(z.string()),
      selector: labels,
      sessionAffinity: z.string().optional(),
      internalTrafficPolicy: z.string().optional(),
      trafficDistribution: z.string().optional(),
      publishNotReadyAddresses: z.boolean().optional(),
      ports: listOf(
        z.object({
          name: text,
          port: z.number(),
          protocol: z.enum(['TCP', 'UDP', 'SCTP']).default('TCP'),
          appProtocol: z.string().optional(),
          targetPort: z.union([z.number(), z.string()]).optional(),
          nodePort: z.number().optional(),
        }),
      ),
    }),
    status: z
      .object({ loadBalancer: z.object({ ingress: listOf(z.object({ ip: text, hostname: text })) }).optional() })
      .optional(),
  })
  .transform(({ metadata, spec, status }): KubeService => {
    return {
      resource: 'services',
      namespace: metadata.namespace,
      name: metadata.name,
      labels: metadata.labels,
      annotations: relevantAnnotations(metadata.annotations),
      ...(metadata.creationTimestamp === '' ? {} : { creationTime: metadata.creationTimestamp }),
      type: spec.type,
      clusterIp: spec.clusterIP,
      clusterIps: spec.clusterIPs,
      externalName: spec.externalName,
      externalIps: spec.externalIPs,
      ports: spec.ports.map(withoutUndefined),
      selector: spec.selector,
      ...withoutUndefined({
        sessionAffinity: spec.sessionAffinity,
        internalTrafficPolicy: spec.internalTrafficPolicy,
        trafficDistribution: spec.trafficDistribution,
        publishNotReadyAddresses: spec.publishNotReadyAddresses,
      }),
      ingress: (status?.loadBalancer?.ingress ?? [])
        .map(({ ip, hostname }) => (ip === '' ? hostname : ip))
        .filter((address) => address !== ''),
    };
  });

/** Annotations of services that the conversion reads; others (a whole manifest from `kubectl apply`) are not kept. */
const SERVICE_ANNOTATIONS = [
  'alpha.istio.io/canonical-serviceaccounts',
  'alpha.istio.io/kubernetes-serviceaccounts',
  'networking.istio.io/exportTo',
  'traffic.istio.io/nodeSelector',
  TRAFFIC_DISTRIBUTION_ANNOTATION,
];

function relevantAnnotations(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    SERVICE_ANNOTATIONS.flatMap((name) => {
      const value = annotations[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Slices made for imports of other clusters are not this cluster's (Istio `endpointSliceSelector`). */
const MCS_SERVICE_LABEL = 'multicluster.kubernetes.io/service-name';

const sliceSchema = z
  .object({
    metadata: z.object({ namespace: z.string(), name: z.string(), labels }),
    addressType: z.string(),
    ports: listOf(z.object({ name: text, port: z.number().nullish() })),
    endpoints: listOf(
      z.object({
        addresses: listOf(z.string()),
        conditions: z.object({ ready: flag, serving: flag, terminating: flag }).nullish(),
        targetRef: z.object({ kind: text, namespace: text, name: text }).nullish(),
      }),
    ),
  })
  .transform(({ metadata, addressType, ports, endpoints }): KubeSlice | undefined => {
    const service = metadata.labels['kubernetes.io/service-name'] ?? '';
    if (service === '' || metadata.labels[MCS_SERVICE_LABEL] !== undefined || addressType === 'FQDN') return undefined;
    const { namespace } = metadata;
    return {
      resource: 'endpointslices',
      namespace,
      name: metadata.name,
      service,
      addressType,
      ports: ports.map(({ name, port }) => ({ name, port: port ?? 0 })),
      endpoints: endpoints.map(({ addresses, conditions, targetRef }) => ({
        addresses,
        ...withoutUndefined({
          ready: conditions?.ready ?? undefined,
          serving: conditions?.serving ?? undefined,
          terminating: conditions?.terminating ?? undefined,
        }),
        ...(targetRef?.kind === 'Pod'
          ? { pod: { namespace: targetRef.namespace === '' ? namespace : targetRef.namespace, name: targetRef.name } }
          : {}),
      })),
    };
  });

const podSchema = z
  .object({
    metadata: z.object({
      namespace: z.string(),
      name: z.string(),
      generateName: text,
      labels,
      deletionTimestamp: text,
      ownerReferences: listOf(z.object({ kind: z.string(), name: z.string(), controller: flag })),
    }),
    spec: z.object({
      nodeName: text,
      serviceAccountName: text,
      hostname: text,
      subdomain: text,
      containers: listOf(containerSchema()),
      initContainers: listOf(containerSchema()),
    }),
    status: z
      .object({
        phase: text,
        podIP: text,
        podIPs: listOf(z.object({ ip: text })),
        conditions: listOf(z.object({ type: z.string(), status: z.string() })),
      })
      .optional(),
  })
  .transform(({ metadata, spec, status }): KubePod | undefined => {
    // A failed Pod is gone for good; Istio does not list them either (`status.phase!=Failed`).
    if (status?.phase === 'Failed') return undefined;
    return {
      resource: 'pods',
      namespace: metadata.namespace,
      name: metadata.name,
      labels: metadata.labels,
      ips: podIps(status),
      node: spec.nodeName,
      serviceAccountName: spec.serviceAccountName,
      hostname: spec.hostname,
      subdomain: spec.subdomain,
      ready: status?.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false,
      terminal: status?.phase === 'Succeeded',
      terminating: metadata.deletionTimestamp !== '',
      workloadName: workloadNameOfPod({
        ...metadata,
        owners: metadata.ownerReferences.map(({ kind, name, controller }) => ({
          kind,
          name,
          controller: controller === true,
        })),
      }),
      ports: namedPorts([
        ...spec.containers,
        ...spec.initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always'),
      ]),
    };
  });

function containerSchema() {
  return z.object({
    restartPolicy: text,
    ports: listOf(z.object({ name: text, containerPort: z.number(), protocol: text })),
  });
}

function podIps(status: { readonly podIP: string; readonly podIPs: readonly { readonly ip: string }[] } | undefined) {
  const listed = (status?.podIPs ?? []).map(({ ip }) => ip).filter((ip) => ip !== '');
  const primary = status?.podIP ?? '';
  return (listed.length === 0 && primary !== '' ? [primary] : listed).map(canonicalAddress);
}

/** Of containers and native sidecars; of one name the first counts (kubernetes 54213). */
function namedPorts(
  containers: readonly { readonly ports: readonly { name: string; containerPort: number; protocol: string }[] }[],
): Readonly<Record<string, number>> {
  const named = containers
    .flatMap(({ ports }) => ports)
    .filter(({ name, protocol }) => name !== '' && (protocol === 'TCP' || protocol === ''));
  return Object.fromEntries(named.reverse().map(({ name, containerPort }) => [name, containerPort]));
}

const nodeSchema = z
  .object({ metadata: z.object({ name: z.string(), labels }) })
  .transform(({ metadata }): KubeNode => {
    return { resource: 'nodes', namespace: '', name: metadata.name, locality: localityOfNode(metadata.labels) };
  });

const namespaceSchema = z
  .object({ metadata: z.object({ name: z.string(), labels, annotations: labels }) })
  .transform(({ metadata }): KubeNamespace => {
    return {
      resource: 'namespaces',
      namespace: '',
      name: metadata.name,
      network: metadata.labels['topology.istio.io/network'] ?? '',
      trafficDistribution: metadata.annotations[TRAFFIC_DISTRIBUTION_ANNOTATION] ?? '',
    };
  });

type Defined<T> = { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/** The members that are set: absent and `undefined` are different things under `exactOptionalPropertyTypes`. */
function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>;
}
