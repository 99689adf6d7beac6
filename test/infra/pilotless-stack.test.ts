import * as z from 'zod';
import { makeApp, makeStack, templateOf } from '../support/synthesize';

const OUTPUTS = z.record(
  z.string(),
  z.looseObject({ Value: z.looseObject({ 'Fn::GetAtt': z.array(z.string()).optional() }) }),
);

const ROLES = z.record(z.string(), z.looseObject({ Properties: z.looseObject({ Description: z.string() }) }));

test('the role of each poller is an output, so that clusters and other accounts can let it in', () => {
  const document = `
registries:
  - { provider: Kubernetes, cluster: eks-prod, eks: { name: prod, region: eu-west-1 } }
  - { provider: Consul, cluster: dc1, address: "https://consul.internal:8501" }
`;
  const template = templateOf(makeStack(makeApp(), { document }));
  const outputs = OUTPUTS.parse(template.findOutputs('*'));
  const roles = ROLES.parse(template.findResources('AWS::IAM::Role'));
  const ofRoles = Object.entries(outputs).filter(([name]) => name.startsWith('Role'));
  const described = ofRoles.map(([name, { Value: value }]) => {
    const [role = '', attribute] = value['Fn::GetAtt'] ?? [];
    return `${name}: ${attribute ?? ''} of what ${roles[role]?.Properties.Description ?? ''}`;
  });

  expect(described.sort()).toEqual([
    'RoleConsuldc1: Arn of what Reads Consul/dc1 into the Snapshots table of pilotless',
    'RoleExternaldefault: Arn of what Reads External/default into the Snapshots table of pilotless',
    'RoleKuberneteseksprod: Arn of what Reads Kubernetes/eks-prod into the Snapshots table of pilotless',
  ]);
});
