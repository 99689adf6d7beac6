import { xdsNode } from '../../../lib/registries/mcp/xds-node';

const options = { cluster: 'east', namespace: 'istio-system', domainSuffix: 'cluster.local' };

test('asks for configuration, as the namespace of the identity', () => {
  expect(xdsNode(options)).toEqual({
    id: 'sidecar~192.0.2.1~pilotless-east.istio-system~istio-system.svc.cluster.local',
    namespace: 'istio-system',
    metadata: {
      GENERATOR: 'api',
      NAMESPACE: 'istio-system',
      INSTANCE_IPS: '192.0.2.1,2001:db8::1',
      DISABLE_HBONE_SEND: 'true',
    },
  });
});

test('asks as a client of a cluster when that is given', () => {
  expect(xdsNode({ ...options, clusterId: 'Kubernetes' }).metadata).toMatchObject({ CLUSTER_ID: 'Kubernetes' });
});
