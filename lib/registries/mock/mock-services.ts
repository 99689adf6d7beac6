import { makeEndpoint, type Endpoint } from '../../model/endpoint';
import { makePort, type Port } from '../../model/port';
import { makeService, type Service } from '../../model/service';
import { spiffeId } from '../../model/spiffe';

/** A service as the mock registry holds it. */
export type MockService = { readonly service: Service; readonly endpoints: readonly Endpoint[] };

export type MockNames = { readonly domainSuffix: string; readonly trustDomain: string };

const NAMESPACE = 'default';

/** Ports of both test services (Istio 1.7 `pilot/pkg/proxy/envoy/v2/mem.go` and `serviceregistry/mock`). */
const PORTS: readonly Port[] = [
  makePort({ name: 'http', number: 80, protocol: 'HTTP' }),
  makePort({ name: 'http-status', number: 81, protocol: 'HTTP' }),
  makePort({ name: 'custom', number: 90, protocol: 'TCP' }),
  makePort({ name: 'mongo', number: 100, protocol: 'Mongo' }),
  makePort({ name: 'redis', number: 110, protocol: 'Redis' }),
  makePort({ name: 'mysql', number: 120, protocol: 'MySQL' }),
];

const VERSIONS = ['v0', 'v1'] as const;

/** Where a service port leads: port 80 to 80, every other one to its number + 1000. */
function targetPort(port: number): number {
  return port === 80 ? 80 : port + 1000;
}

/** The two hard-coded test services of Istio's walkthrough, 12 endpoints each. */
export function walkthroughServices({ domainSuffix, trustDomain }: MockNames): readonly MockService[] {
  const accounts = ['serviceaccount1', 'serviceaccount2'].map((name) => spiffeId(trustDomain, NAMESPACE, name));
  return [
    walkthroughService('hello', '10.1.0.0', [], domainSuffix),
    walkthroughService('world', '10.2.0.0', accounts, domainSuffix),
  ];
}

function walkthroughService(
  name: string,
  address: string,
  serviceAccounts: readonly string[],
  domainSuffix: string,
): MockService {
  const service = makeService({
    hostname: `${name}.${NAMESPACE}.svc.${domainSuffix}`,
    namespace: NAMESPACE,
    name,
    address,
    ports: PORTS,
    resolution: 'ClientSideLB',
    serviceAccounts,
  });
  const endpoints = PORTS.flatMap((port) =>
    VERSIONS.map((version, index) =>
      makeEndpoint({
        addresses: [workloadAddress(address, index)],
        port: targetPort(port.number),
        servicePort: port.name,
        labels: { version },
        locality: 'region/zone',
        workload: { name: `${name}-${version}`, namespace: NAMESPACE },
      }),
    ),
  );
  return { service, endpoints };
}

/** The service's address with 1 as its third part and the version as its fourth. */
function workloadAddress(address: string, version: number): string {
  const [first = '', second = ''] = address.split('.');
  return `${first}.${second}.1.${version}`;
}
