import { stringify } from 'yaml';
import { resourcesOf, RESOURCE_KINDS, type NamespaceFilter } from './resource-sources';
import type { Resource } from './kube-objects';

export type RbacRequest = {
  /** Name of the roles and bindings. @default `pilotless` */
  readonly name?: string;
  readonly subject:
    | { readonly kind: 'Group' | 'User'; readonly name: string }
    | { readonly kind: 'ServiceAccount'; readonly name: string; readonly namespace: string };
  readonly namespaces: NamespaceFilter;
  readonly workloads: boolean;
  readonly serviceEntries: boolean;
};

const RBAC = 'rbac.authorization.k8s.io';
const VERBS = ['list', 'watch'];

/**
 * The least that a registry with these settings has to be allowed, as YAML for `kubectl apply`: `list` and `watch` of what
 * it reads and nothing else. With `namespaces.include` a Role in each of them, and a ClusterRole only for what has no
 * namespace.
 */
export function rbacManifest(request: RbacRequest): string {
  const resources = [
    ...resourcesOf({ ...request, services: 'kubernetes' }),
    ...(request.serviceEntries ? (['serviceentries'] as const) : []),
  ];
  const include = request.namespaces.include.filter((name) => !request.namespaces.exclude.includes(name));
  const clusterWide =
    request.namespaces.include.length === 0 ? resources : resources.filter((one) => !isNamespaced(one));
  const documents = [
    ...(clusterWide.length === 0 ? [] : roleAndBinding(request, 'ClusterRole', clusterWide)),
    ...include.flatMap((namespace) => roleAndBinding(request, 'Role', resources.filter(isNamespaced), namespace)),
  ];
  return documents.map((document) => stringify(document, { aliasDuplicateObjects: false })).join('---\n');
}

/**
 * The command that lets an IAM role into an EKS cluster as a member of a Kubernetes group, which the manifest binds
 * (Amazon EKS User Guide, "Create access entries").
 */
export function eksAccessEntry(entry: {
  readonly cluster: string;
  readonly region: string;
  readonly roleArn: string;
  readonly group: string;
}): string {
  return [
    'aws eks create-access-entry',
    `--cluster-name ${entry.cluster}`,
    `--region ${entry.region}`,
    `--principal-arn ${entry.roleArn}`,
    `--kubernetes-groups ${entry.group}`,
    '--type STANDARD',
  ].join(' \\\n  ');
}

function isNamespaced(resource: Resource): boolean {
  return RESOURCE_KINDS[resource].namespaced;
}

function groupOf(resource: Resource): string {
  return RESOURCE_KINDS[resource].group;
}

function roleAndBinding(
  { name = 'pilotless', subject }: RbacRequest,
  kind: 'ClusterRole' | 'Role',
  resources: readonly Resource[],
  namespace?: string,
): readonly object[] {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  const apiGroups = [...new Set(resources.map(groupOf))];
  return [
    {
      apiVersion: `${RBAC}/v1`,
      kind,
      metadata,
      rules: apiGroups.map((group) => ({
        apiGroups: [group],
        resources: resources.filter((resource) => groupOf(resource) === group),
        verbs: VERBS,
      })),
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: RBAC, kind, name },
      subjects: [subject.kind === 'ServiceAccount' ? subject : { ...subject, apiGroup: RBAC }],
    },
  ];
}
