import { localityOfLabels, localityOfNode } from '../../../lib/registries/kubernetes/locality';

test.each([
  { rule: 'none', labels: {}, is: undefined },
  { rule: 'dots stand for slashes', labels: { 'istio-locality': 'r.z.s' }, is: 'r/z/s' },
  { rule: 'a slash leaves dots alone', labels: { 'istio-locality': 'r/z.1' }, is: 'r/z.1' },
  {
    rule: 'the present label first',
    labels: { 'topology.istio.io/locality': 'a.b', 'istio-locality': 'r' },
    is: 'a/b',
  },
  {
    rule: 'an empty one hides the older',
    labels: { 'topology.istio.io/locality': '', 'istio-locality': 'r' },
    is: undefined,
  },
])('of labels: $rule', ({ labels, is }) => {
  expect(localityOfLabels(labels)).toBe(is);
});

const region = 'topology.kubernetes.io/region';
const zone = 'topology.kubernetes.io/zone';
const betaRegion = 'failure-domain.beta.kubernetes.io/region';
const betaZone = 'failure-domain.beta.kubernetes.io/zone';

test.each([
  { rule: 'none', labels: {}, is: '' },
  { rule: 'always three parts', labels: { [region]: 'r', [zone]: 'z' }, is: 'r/z/' },
  { rule: 'a zone alone', labels: { [zone]: 'z' }, is: '/z/' },
  { rule: 'with a subzone', labels: { [region]: 'r', [zone]: 'z', 'topology.istio.io/subzone': 's' }, is: 'r/z/s' },
  { rule: 'a subzone alone', labels: { 'topology.istio.io/subzone': 's' }, is: '//s' },
  { rule: 'the beta labels', labels: { [betaRegion]: 'r', [betaZone]: 'z' }, is: 'r/z/' },
  {
    rule: 'the present labels first',
    labels: { [region]: 'r', [betaRegion]: 'old', [zone]: '', [betaZone]: 'z' },
    is: 'r/z/',
  },
])('of a node: $rule', ({ labels, is }) => {
  expect(localityOfNode(labels)).toBe(is);
});
