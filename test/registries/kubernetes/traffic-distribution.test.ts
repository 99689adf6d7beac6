import { trafficDistribution } from '../../../lib/registries/kubernetes/traffic-distribution';

const annotation = (value: string) => ({ 'networking.istio.io/traffic-distribution': value });

test.each([
  { rule: 'any by default', spec: undefined, annotations: {}, namespace: '', is: undefined },
  {
    rule: 'the spec',
    spec: 'PreferSameZone',
    annotations: annotation('PreferSameNode'),
    namespace: '',
    is: 'PreferSameZone',
  },
  { rule: 'the older name', spec: 'PreferClose', annotations: {}, namespace: '', is: 'PreferSameZone' },
  { rule: 'the same node', spec: 'PreferSameNode', annotations: {}, namespace: '', is: 'PreferSameNode' },
  {
    rule: 'an unknown spec is skipped',
    spec: 'Other',
    annotations: annotation('preferclose'),
    namespace: '',
    is: 'PreferSameZone',
  },
  {
    rule: 'the annotation in any case',
    spec: undefined,
    annotations: annotation('PREFERSAMENODE'),
    namespace: 'PreferClose',
    is: 'PreferSameNode',
  },
  {
    rule: 'an unknown annotation ends the search',
    spec: undefined,
    annotations: annotation('x'),
    namespace: 'PreferClose',
    is: undefined,
  },
  {
    rule: 'an empty annotation does not',
    spec: undefined,
    annotations: annotation(''),
    namespace: 'PreferClose',
    is: 'PreferSameZone',
  },
  { rule: "the namespace's", spec: undefined, annotations: {}, namespace: 'PreferSameNode', is: 'PreferSameNode' },
])('$rule', ({ spec, annotations, namespace, is }) => {
  const service = { annotations, ...(spec === undefined ? {} : { trafficDistribution: spec }) };
  expect(trafficDistribution(service, { trafficDistribution: namespace })).toBe(is);
});

test('without a known namespace', () => {
  expect(trafficDistribution({ annotations: {} }, undefined)).toBeUndefined();
});
