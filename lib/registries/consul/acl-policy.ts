/**
 * The rules of the ACL policy that a registry's token needs, and no more (HCL). Service and node are read for the lists,
 * the health of services counts the checks of nodes; nothing is written, and no key, session, agent or operator right is
 * used. `service` narrows it to the services of a prefix; combine that with `aclFiltered: accept`.
 */
export function aclPolicy(servicePrefix = ''): string {
  return [
    `service_prefix ${JSON.stringify(servicePrefix)} {`,
    '  policy = "read"',
    '}',
    'node_prefix "" {',
    '  policy = "read"',
    '}',
    '',
  ].join('\n');
}
