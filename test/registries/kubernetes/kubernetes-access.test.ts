import { clusterAccess } from '../../../lib/registries/kubernetes/kubernetes-access';
import { KubeconfigAccess } from '../../../lib/registries/kubernetes/kubernetes-kubeconfig-access';
import { systemClock } from '../../../lib/runtime/system-clock';

const at = { cluster: 'prod', baseDir: '/etc/pilotless' };
const eks = { name: 'prod', region: 'eu-west-1' };

test.each([
  {
    rule: 'a kubeconfig, relative to the configuration',
    ways: { kubeconfig: 'config' },
    message: 'Kubeconfig /etc/pilotless/config cannot be read',
  },
  {
    rule: 'a kubeconfig anywhere',
    ways: { kubeconfig: '/x/config', context: 'a' },
    message: 'Kubeconfig /x/config cannot be read',
  },
  { rule: "the Pod's account", ways: { inCluster: true }, message: "The Pod's own account cannot be read" },
])('$rule', async ({ ways, message }) => {
  delete process.env.KUBERNETES_SERVICE_HOST;
  await expect(clusterAccess(at, ways, systemClock).connect()).rejects.toThrow(message);
});

test('nothing said: as kubectl does', () => {
  expect(clusterAccess(at, {}, systemClock)).toBeInstanceOf(KubeconfigAccess);
  expect(clusterAccess(at, { inCluster: false, context: 'a' }, systemClock)).toBeInstanceOf(KubeconfigAccess);
});

test('an EKS cluster brings the AWS clients only when it is entered', () => {
  const access = clusterAccess(at, { eks }, systemClock);
  expect(access).not.toBeInstanceOf(KubeconfigAccess);
  expect(() => {
    access.refused();
    access.close();
  }).not.toThrow();
});

test.each([
  {
    ways: { kubeconfig: 'a', inCluster: true },
    message: 'Registry Kubernetes/prod has kubeconfig and inCluster: only one way in is allowed',
  },
  {
    ways: { inCluster: true, eks },
    message: 'Registry Kubernetes/prod has inCluster and eks: only one way in is allowed',
  },
  {
    ways: { context: 'a', eks },
    message: 'Registry Kubernetes/prod has a context, which belongs to a kubeconfig, beside eks',
  },
])('refused: $message', ({ ways, message }) => {
  expect(() => clusterAccess(at, ways, systemClock)).toThrow(message);
});
