import { decodeCustomResource } from '../../../lib/registries/kubernetes/decode-custom-resources';
import { serviceEntryManifest, workloadEntryManifest } from '../../support/kube-manifests';

test('a ServiceEntry, with its source', () => {
  expect(decodeCustomResource('serviceentries', serviceEntryManifest())).toMatchObject({
    type: 'object',
    object: {
      resource: 'serviceentries',
      namespace: 'shop',
      name: 'pay',
      entry: { source: 'serviceentries/shop', spec: { hosts: ['pay.example.com'], resolution: 'STATIC' } },
    },
  });
});

test('a WorkloadEntry, with its source', () => {
  expect(decodeCustomResource('workloadentries', workloadEntryManifest())).toMatchObject({
    type: 'object',
    object: {
      namespace: 'shop',
      name: 'vm-1',
      entry: { source: 'workloadentries/shop', spec: { address: '172.16.0.1' } },
    },
  });
});

test('fields of a later Istio take nothing away', () => {
  const later = { later: true };
  const spec = {
    later,
    ports: [{ number: 1, name: 'a', ...later }],
    endpoints: [{ address: '10.0.0.1', ...later }],
    workloadSelector: { labels: { a: 'b' }, ...later },
  };
  expect(decodeCustomResource('serviceentries', serviceEntryManifest('pay', { spec }))).toMatchObject({
    type: 'object',
    object: {
      entry: {
        spec: {
          ports: [{ number: 1 }],
          endpoints: [{ address: '10.0.0.1' }],
          workloadSelector: { labels: { a: 'b' } },
        },
      },
    },
  });
  expect(decodeCustomResource('workloadentries', workloadEntryManifest('vm-1', { spec: later }))).toMatchObject({
    type: 'object',
  });
});

test.each([
  { rule: 'no object', raw: 'x', reason: 'it is no object' },
  {
    rule: 'no list of ports',
    raw: serviceEntryManifest('pay', { spec: { ports: 'all' } }),
    reason: 'spec.ports is "all", must be a list',
  },
  { rule: 'no spec', raw: { metadata: { name: 'a', namespace: 'b' } }, reason: 'spec is missing, must be an object' },
  { rule: 'no metadata', raw: { metadata: 7, spec: {} }, reason: 'metadata is 7, must be an object with a name' },
])('undecodable: $rule', ({ raw, reason }) => {
  expect(decodeCustomResource('serviceentries', raw)).toEqual({ type: 'undecodable', reason });
});
