import { parseAllDocuments } from 'yaml';
import { cli } from '../support/collected-io';

async function rbac(...args: readonly string[]) {
  const { code, out, err } = await cli(['kubernetes', 'rbac', ...args]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return parseAllDocuments(out).map((document) => document.toJS() as Record<string, unknown>);
}

const resourcesOf = (role: Record<string, unknown> | undefined) =>
  (role?.rules as readonly { readonly resources: readonly string[] }[]).flatMap(({ resources }) => resources).sort();

describe('pilotless kubernetes rbac', () => {
  test('binds a group to what a registry reads', async () => {
    const [role, binding] = await rbac();
    expect(role).toMatchObject({ kind: 'ClusterRole', metadata: { name: 'pilotless' } });
    expect(resourcesOf(role)).toEqual(['endpointslices', 'namespaces', 'nodes', 'pods', 'services']);
    expect(binding).toMatchObject({ kind: 'ClusterRoleBinding', subjects: [{ kind: 'Group', name: 'pilotless' }] });
  });

  test('follows the settings', async () => {
    const [role] = await rbac('--no-workloads', '--service-entries');
    expect(resourcesOf(role)).toEqual(['endpointslices', 'serviceentries', 'services', 'workloadentries']);
    const roles = await rbac('--include', 'shop,test', '--exclude', 'test', '--no-workloads');
    expect(roles.map(({ kind, metadata }) => [kind, metadata])).toEqual([
      ['Role', { name: 'pilotless', namespace: 'shop' }],
      ['RoleBinding', { name: 'pilotless', namespace: 'shop' }],
    ]);
  });

  test('binds another group, or a service account', async () => {
    expect((await rbac('--group', 'readers'))[1]).toMatchObject({ subjects: [{ kind: 'Group', name: 'readers' }] });
    expect((await rbac('--service-account', 'mesh/poller'))[1]).toMatchObject({
      subjects: [{ kind: 'ServiceAccount', namespace: 'mesh', name: 'poller' }],
    });
  });

  test.each(['poller', '/poller', 'mesh/', 'a/b/c'])('refuses the service account %s', async (account) => {
    const { code, err } = await cli(['kubernetes', 'rbac', '--service-account', account]);
    expect(code).toBe(2);
    expect(err).toContain('is not of the form namespace/name');
  });
});

test('pilotless kubernetes eks-access-entry', async () => {
  const role = 'arn:aws:iam::123456789012:role/poll';
  const args = ['--name', 'prod', '--region', 'eu-west-1', '--role-arn', role];
  const { code, out } = await cli(['kubernetes', 'eks-access-entry', ...args]);
  expect(code).toBe(0);
  expect(out.split(' \\\n  ')).toEqual([
    'aws eks create-access-entry',
    '--cluster-name prod',
    '--region eu-west-1',
    `--principal-arn ${role}`,
    '--kubernetes-groups pilotless',
    '--type STANDARD',
  ]);
  expect((await cli(['kubernetes', 'eks-access-entry', '--name', 'prod'])).code).toBe(2);
});

test('pilotless consul acl-policy', async () => {
  expect((await cli(['consul', 'acl-policy'])).out).toBe(
    'service_prefix "" {\n  policy = "read"\n}\nnode_prefix "" {\n  policy = "read"\n}',
  );
  expect((await cli(['consul', 'acl-policy', '--service-prefix', 'shop-'])).out).toContain('service_prefix "shop-"');
});
