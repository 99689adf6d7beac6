import { eksAccessEntry, rbacManifest, type RbacRequest } from '../../../lib/registries/kubernetes/rbac-manifest';

const request: RbacRequest = {
  subject: { kind: 'Group', name: 'pilotless-readers' },
  namespaces: { include: [], exclude: [] },
  workloads: true,
  serviceEntries: false,
};

test('the whole cluster: list and watch of what is read, and nothing else', () => {
  expect(rbacManifest(request)).toBe(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: pilotless
rules:
  - apiGroups:
      - discovery.k8s.io
    resources:
      - endpointslices
    verbs:
      - list
      - watch
  - apiGroups:
      - ""
    resources:
      - services
      - pods
      - nodes
      - namespaces
    verbs:
      - list
      - watch
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: pilotless
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: pilotless
subjects:
  - kind: Group
    name: pilotless-readers
    apiGroup: rbac.authorization.k8s.io
`);
});

test('by settings: without workloads nothing of them, with custom resources those too', () => {
  const manifest = rbacManifest({ ...request, workloads: false, serviceEntries: true, name: 'reader' });
  expect(manifest).not.toMatch(/pods|nodes|namespaces/);
  expect(manifest).toContain(`
  - apiGroups:
      - networking.istio.io
    resources:
      - workloadentries
      - serviceentries
`);
  expect(manifest).toContain('name: reader');
});

test('some namespaces: a role in each, and a cluster role for what has no namespace', () => {
  const namespaces = { include: ['shop', 'skipped', 'bank'], exclude: ['skipped'] };
  const subject = { kind: 'ServiceAccount', name: 'reader', namespace: 'ops' } as const;
  const manifest = rbacManifest({ ...request, namespaces, subject });
  const kinds = [...manifest.matchAll(/^kind: (.*)\nmetadata:\n {2}name: pilotless\n(?: {2}namespace: (.*)\n)?/gm)];
  expect(kinds.map(([, kind, namespace]) => [kind, namespace])).toEqual([
    ['ClusterRole', undefined],
    ['ClusterRoleBinding', undefined],
    ['Role', 'shop'],
    ['RoleBinding', 'shop'],
    ['Role', 'bank'],
    ['RoleBinding', 'bank'],
  ]);
  const [clusterRole = '', , role = ''] = manifest.split('---\n');
  expect([...clusterRole.matchAll(/ {6}- (nodes|namespaces|pods|services)/g)].map(([, name]) => name)).toEqual([
    'nodes',
    'namespaces',
  ]);
  expect([...role.matchAll(/ {6}- (nodes|namespaces|pods|services)/g)].map(([, name]) => name)).toEqual([
    'services',
    'pods',
  ]);
  expect(role).not.toContain('apiGroups: []');
  expect(manifest).toContain('  - kind: ServiceAccount\n    name: reader\n    namespace: ops\n');
});

test('some namespaces without workloads need no right to the whole cluster', () => {
  const manifest = rbacManifest({ ...request, namespaces: { include: ['shop'], exclude: [] }, workloads: false });
  expect(manifest).not.toContain('ClusterRole');
});

test('the access entry of an EKS cluster', () => {
  const entry = {
    cluster: 'prod',
    region: 'eu-west-1',
    roleArn: 'arn:aws:iam::111122223333:role/poller',
    group: 'readers',
  };
  expect(eksAccessEntry(entry)).toBe(
    `aws eks create-access-entry \\
  --cluster-name prod \\
  --region eu-west-1 \\
  --principal-arn arn:aws:iam::111122223333:role/poller \\
  --kubernetes-groups readers \\
  --type STANDARD`,
  );
});
