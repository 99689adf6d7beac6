import * as z from 'zod';
import { kubernetesSettings } from '../../../lib/registries/kubernetes/settings';

const schema = z.strictObject(kubernetesSettings);

test('nothing has to be said', () => {
  expect(schema.parse({})).toEqual({
    namespaces: { include: [], exclude: [] },
    workloads: true,
    serviceEntries: false,
    publishUnhealthy: false,
    network: '',
    systemNamespace: 'istio-system',
    pageSize: 500,
    maxConcurrency: 4,
    requestsPerSecond: 20,
  });
});

test('everything can be', () => {
  const settings = {
    kubeconfig: 'config',
    context: 'prod',
    inCluster: false,
    eks: { name: 'prod', region: 'eu-west-1', roleArn: 'arn:aws-cn:iam::111122223333:role/a/b' },
    namespaces: { include: ['a'], exclude: ['b-1'] },
    labelSelector: 'a=b',
    workloads: false,
    serviceEntries: true,
    publishUnhealthy: true,
    network: 'n',
    systemNamespace: 'mesh',
    pageSize: 10,
    maxConcurrency: 1,
    requestsPerSecond: 1.5,
  };
  expect(schema.parse(settings)).toEqual(settings);
});

test('one side of the filter of namespaces is enough', () => {
  expect(schema.parse({ namespaces: { include: ['a'] } }).namespaces).toEqual({ include: ['a'], exclude: [] });
});

test.each([
  { rule: 'an unknown key of the cluster', settings: { eks: { name: 'a', region: 'b', role: 'c' } }, message: 'role' },
  { rule: 'no region', settings: { eks: { name: 'a' } }, message: 'region' },
  {
    rule: 'a role that is none',
    settings: { eks: { name: 'a', region: 'b', roleArn: 'admin' } },
    message: 'not the ARN of a role',
  },
  { rule: 'an unknown key of the filter', settings: { namespaces: { only: ['a'] } }, message: 'only' },
  {
    rule: 'a namespace in capitals',
    settings: { namespaces: { include: ['Shop'] } },
    message: 'not the name of a namespace',
  },
  {
    rule: 'a name that is too long',
    settings: { systemNamespace: 'a'.repeat(64) },
    message: 'not the name of a namespace',
  },
  { rule: 'a page of nothing', settings: { pageSize: 9 }, message: '>=10' },
  { rule: 'too many at once', settings: { maxConcurrency: 21 }, message: '<=20' },
  { rule: 'no requests at all', settings: { requestsPerSecond: 0 }, message: '>=1' },
])('refused: $rule', ({ settings, message }) => {
  expect(() => schema.parse(settings)).toThrow(message);
});
