/** The protocols of Istio (`pkg/config/protocol/instance.go`). `Unsupported` means: sniff; it counts as non-HTTP. */
export const PROTOCOLS = [
  'HTTP',
  'HTTP2',
  'HTTPS',
  'GRPC',
  'GRPC-Web',
  'HTTP_PROXY',
  'TCP',
  'TLS',
  'UDP',
  'Mongo',
  'Redis',
  'MySQL',
  'Unsupported',
] as const;

export type Protocol = (typeof PROTOCOLS)[number];

const BY_LOWER_CASE: ReadonlyMap<string, Protocol> = new Map([
  ...PROTOCOLS.filter((protocol) => protocol !== 'Unsupported').map(
    (protocol) => [protocol.toLowerCase(), protocol] as const,
  ),
]);

/** The protocol of that name in any case; `undefined` when there is none (the caller decides whether that is a mistake). */
export function parseProtocol(name: string): Protocol | undefined {
  return BY_LOWER_CASE.get(name.toLowerCase());
}

/** Whether requests of the protocol are routed as HTTP (Istio `Instance.IsHTTP`). */
export function isHttp(protocol: Protocol): boolean {
  switch (protocol) {
    case 'HTTP':
    case 'HTTP2':
    case 'GRPC':
    case 'GRPC-Web':
    case 'HTTP_PROXY':
      return true;
    case 'HTTPS':
    case 'TCP':
    case 'TLS':
    case 'UDP':
    case 'Mongo':
    case 'Redis':
    case 'MySQL':
    case 'Unsupported':
      return false;
  }
}
