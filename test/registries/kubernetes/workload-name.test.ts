import { workloadNameOfPod } from '../../../lib/registries/kubernetes/workload-name';

const pod = { name: 'cart-6f-x2k4p', generateName: 'cart-6f-', labels: {}, owners: [] };

function ownedBy(kind: string, name: string, labels: Readonly<Record<string, string>> = {}) {
  return { ...pod, labels, owners: [{ kind, name, controller: true }] };
}

describe('of a Pod', () => {
  test.each([
    {
      rule: 'its label',
      of: { ...ownedBy('ReplicaSet', 'x'), labels: { 'service.istio.io/workload-name': 'named' } },
      is: 'named',
    },
    {
      rule: 'itself without a generated name',
      of: { ...ownedBy('StatefulSet', 'cart'), generateName: '' },
      is: 'cart-6f-x2k4p',
    },
    { rule: 'itself without an owner', of: pod, is: 'cart-6f-x2k4p' },
    {
      rule: 'itself when no owner controls it',
      of: { ...pod, owners: [{ kind: 'ReplicaSet', name: 'x', controller: false }] },
      is: 'cart-6f-x2k4p',
    },
    { rule: 'its owner', of: ownedBy('DaemonSet', 'cart'), is: 'cart' },
    {
      rule: 'the Deployment behind a ReplicaSet',
      of: ownedBy('ReplicaSet', 'cart-6f', { 'pod-template-hash': '6f' }),
      is: 'cart',
    },
    {
      rule: 'the Rollout behind a ReplicaSet',
      of: ownedBy('ReplicaSet', 'cart-6f', { 'rollouts-pod-template-hash': '6f' }),
      is: 'cart',
    },
    {
      rule: 'a ReplicaSet of its own',
      of: ownedBy('ReplicaSet', 'cart-6f', { 'pod-template-hash': '77' }),
      is: 'cart-6f',
    },
    { rule: 'a ReplicaSet without hash', of: ownedBy('ReplicaSet', 'cart-6f'), is: 'cart-6f' },
    { rule: 'a name that is just the hash', of: ownedBy('ReplicaSet', '6f', { 'pod-template-hash': '6f' }), is: '6f' },
    {
      rule: 'the DeploymentConfig of a ReplicationController',
      of: ownedBy('ReplicationController', 'cart-3', { deploymentconfig: 'cart' }),
      is: 'cart',
    },
    { rule: 'a ReplicationController of its own', of: ownedBy('ReplicationController', 'cart-3'), is: 'cart-3' },
    { rule: 'the CronJob behind a Job', of: ownedBy('Job', 'report-28390120'), is: 'report' },
    { rule: 'a Job of its own', of: ownedBy('Job', 'report-2839'), is: 'report-2839' },
    { rule: 'a Job with too many digits', of: ownedBy('Job', 'report-28390120123'), is: 'report-28390120123' },
    { rule: 'itself when the owner has no name', of: ownedBy('Foo', ''), is: 'cart-6f-x2k4p' },
  ])('$rule', ({ of, is }) => {
    expect(workloadNameOfPod(of)).toBe(is);
  });
});
