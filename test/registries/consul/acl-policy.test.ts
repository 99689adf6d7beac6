import { aclPolicy } from '../../../lib/registries/consul/acl-policy';

test.each([
  [undefined, 'service_prefix "" {\n  policy = "read"\n}\nnode_prefix "" {\n  policy = "read"\n}\n'],
  ['shop-', 'service_prefix "shop-" {\n  policy = "read"\n}\nnode_prefix "" {\n  policy = "read"\n}\n'],
])('services with prefix %s are read, and nothing is written', (prefix, rules) => {
  expect(aclPolicy(prefix)).toBe(rules);
});
