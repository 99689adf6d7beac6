import * as z from 'zod';

/** What a namespace may be called (RFC 1123 label, Kubernetes "Object Names and IDs"). */
const namespaceName = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'not the name of a namespace');

const roleArn = z
  .string()
  .regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/.+$/, 'not the ARN of a role (arn:aws:iam::…:role/…)');

/** The settings that a Kubernetes registry has beside those of every registry. */
export const kubernetesSettings = {
  /** Path of a kubeconfig, relative to the configuration. Without it, `inCluster` and `eks`: as kubectl finds one. */
  kubeconfig: z.string().min(1).exactOptional(),
  /** Context of the kubeconfig. @default its current one */
  context: z.string().min(1).exactOptional(),
  /** The account of the Pod that this runs in. */
  inCluster: z.boolean().exactOptional(),
  /** A cluster of Amazon EKS: found by name, entered with the function's role or the one named here. */
  eks: z
    .strictObject({ name: z.string().min(1), region: z.string().min(1), roleArn: roleArn.exactOptional() })
    .exactOptional(),
  /** Namespaces to read. `include` asks for each by itself, which needs no right to the whole cluster. @default all */
  namespaces: z
    .strictObject({ include: z.array(namespaceName).default([]), exclude: z.array(namespaceName).default([]) })
    .default({ include: [], exclude: [] }),
  /** Label selector of services, as kubectl takes it; evaluated by the server. */
  labelSelector: z.string().min(1).exactOptional(),
  /** Reads Pods, Nodes and Namespaces: labels, accounts, localities. Without them endpoints are bare addresses. */
  workloads: z.boolean().default(true),
  /**
   * Reads ServiceEntry and WorkloadEntry custom resources: the former become a registry of their own, `External/<cluster>`,
   * the latter endpoints of the services and entries that select them.
   */
  serviceEntries: z.boolean().default(false),
  /** Publishes endpoints that are not ready, with their health. */
  publishUnhealthy: z.boolean().default(false),
  /** Network of workloads that name none. */
  network: z.string().default(''),
  /** Namespace whose label `topology.istio.io/network` names the network of the whole cluster. */
  systemNamespace: namespaceName.default('istio-system'),
  /** Objects a page. client-go lists 500 at a time. */
  pageSize: z.int().min(10).max(5_000).default(500),
  /** Lists under way at once. */
  maxConcurrency: z.int().min(1).max(20).default(4),
  /** Requests that may be begun in a second. */
  requestsPerSecond: z.number().min(1).max(1_000).default(20),
} as const;

export type KubernetesSettings = z.infer<z.ZodObject<typeof kubernetesSettings>>;
