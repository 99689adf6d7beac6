import {
  awaitedClusters,
  endpointsOfCluster,
  NO_CLUSTERS,
  takeClusters,
  unreadableClusters,
  watchClusters,
} from '../../../lib/registries/mcp/cluster-watch';
import { CLUSTER_ENDPOINTS } from '../../../lib/registries/mcp/cluster-endpoints';
import { anyMessage } from '../../support/mcp-messages';

function answer(...resources: readonly { readonly typeUrl: string; readonly value: Uint8Array }[]) {
  return { typeUrl: CLUSTER_ENDPOINTS, version: '1', nonce: 'n', resources };
}

function cluster(clusterName: string, ...addresses: readonly string[]) {
  const lbEndpoints = addresses.map((address) => ({
    endpoint: { address: { socketAddress: { address, portValue: 1 } } },
  }));
  const { typeUrl, value } = anyMessage(CLUSTER_ENDPOINTS.split('/')[1]!, {
    clusterName,
    endpoints: [{ lbEndpoints }],
  });
  return { typeUrl, value };
}

const watching = watchClusters(NO_CLUSTERS, ['b', 'a', 'b']);

test('clusters are asked for once, in order, and awaited until they come', () => {
  expect(watching.clusters).toEqual(['a', 'b']);
  expect(awaitedClusters(watching)).toEqual(['a', 'b']);
  expect(awaitedClusters(takeClusters(watching, answer(cluster('b'))))).toEqual(['a']);
});

test('an answer with some clusters says nothing of the others', () => {
  const first = takeClusters(watching, answer(cluster('a', '10.0.0.1'), cluster('b', '10.0.0.2')));
  const second = takeClusters(first, answer(cluster('b')));

  expect(endpointsOfCluster(second, 'a')).toMatchObject([{ addresses: ['10.0.0.1'] }]);
  expect(endpointsOfCluster(second, 'b')).toEqual([]);
});

test('what is not asked for any more is forgotten, and passed over when it comes late', () => {
  const both = takeClusters(watching, answer(cluster('a', '10.0.0.1'), cluster('b', '10.0.0.2')));
  const one = takeClusters(watchClusters(both, ['a']), answer(cluster('b', '10.0.0.3')));

  expect(endpointsOfCluster(one, 'a')).toHaveLength(1);
  expect(endpointsOfCluster(one, 'b')).toEqual([]);
  expect(awaitedClusters(watchClusters(one, ['a', 'b']))).toEqual(['b']);
});

test('pitfall 3: a cluster that cannot be decoded is unreadable, and the others count', () => {
  const spoiled = { typeUrl: CLUSTER_ENDPOINTS, value: Buffer.from([0x0a, 1, 0x61, 0x12, 9]) };
  const watch = takeClusters(watching, answer(spoiled, cluster('b', '10.0.0.2')));

  expect(unreadableClusters(watch)).toEqual([
    { source: 'ClusterLoadAssignment/a', reason: expect.stringContaining('They cannot be decoded: ') as string },
  ]);
  expect(endpointsOfCluster(watch, 'b')).toHaveLength(1);
  expect(awaitedClusters(watch)).toEqual([]);
});

test('a cluster that does not say which it is fails the answer', () => {
  const spoiled = { typeUrl: CLUSTER_ENDPOINTS, value: Buffer.from([0x12, 9]) };
  expect(() => takeClusters(watching, answer(spoiled))).toThrow(
    'The endpoints of a cluster cannot be decoded, and it does not say of which: the message: field 2 is cut off',
  );
});
