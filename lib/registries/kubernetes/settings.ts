import * as z from 'zod';

/** What a namespace may be called (RFC 1123 label, Kubernetes "Object Names and IDs"). */
const namespaceName = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'not the name of a namespace');

const roleArn = z
  .string()
  .regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/.+$/, 'not the ARN of a role (arn:aws:iam::…:role/…)');

/** The settings that a Kubernetes registry has beside those of every registry. */
export const kubernetesSettings = {
  kubeconfig: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      'Path of a kubeconfig, relative to the configuration. Without it, inCluster and eks: as kubectl finds one.',
    ),
  context: z.string().min(1).exactOptional().describe('Context of the kubeconfig. Default: its current one.'),
  inCluster: z.boolean().exactOptional().describe('The account of the Pod that this runs in. Default false.'),
  eks: z
    .strictObject({ name: z.string().min(1), region: z.string().min(1), roleArn: roleArn.exactOptional() })
    .exactOptional()
    .describe("A cluster of Amazon EKS: found by name, entered with the function's role or the one named here."),
  namespaces: z
    .strictObject({ include: z.array(namespaceName).default([]), exclude: z.array(namespaceName).default([]) })
    .default({ include: [], exclude: [] })
    .describe(
      'Namespaces to read. include asks for each by itself, which needs no right to the whole cluster. Default: all.',
    ),
  labelSelector: z
    .string()
    .min(1)
    .exactOptional()
    .describe('Label selector of services, as kubectl takes it; evaluated by the server. Default: all.'),
  workloads: z
    .boolean()
    .default(true)
    .describe(
      'Reads Pods, Nodes and Namespaces: labels, accounts, localities. Without them endpoints are bare addresses. Default true.',
    ),
  serviceEntries: z
    .boolean()
    .default(false)
    .describe(
      'Reads ServiceEntry and WorkloadEntry custom resources: the former become a registry of their own, External/<cluster>, the latter endpoints of the services and entries that select them. Default false.',
    ),
  publishUnhealthy: z
    .boolean()
    .default(false)
    .describe('Publishes endpoints that are not ready, with their health. Default false.'),
  network: z.string().default('').describe('Network of workloads that name none. Default: none.'),
  systemNamespace: namespaceName
    .default('istio-system')
    .describe(
      'Namespace whose label topology.istio.io/network names the network of the whole cluster. Default istio-system.',
    ),
  pageSize: z.int().min(10).max(5_000).default(500).describe('Objects a page. Default 500, as client-go lists them.'),
  maxConcurrency: z.int().min(1).max(20).default(4).describe('Lists under way at once. Default 4.'),
  requestsPerSecond: z
    .number()
    .min(1)
    .max(1_000)
    .default(20)
    .describe('Requests that may be begun in a second. Default 20.'),
} as const;

export type KubernetesSettings = z.infer<z.ZodObject<typeof kubernetesSettings>>;
