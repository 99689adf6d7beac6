import { parseProtocol, type Protocol } from '../../model/protocol';
import type { KubeServicePort } from './kube-objects';

/** Names that Kubernetes itself defines for `appProtocol` (Service API reference, `ServicePort.appProtocol`). */
const STANDARD_APP_PROTOCOLS: ReadonlyMap<string, Protocol> = new Map([
  ['kubernetes.io/h2c', 'HTTP2'],
  ['kubernetes.io/ws', 'HTTP'],
  ['kubernetes.io/wss', 'HTTPS'],
]);

/** SMTP, DNS, MySQL and MongoDB speak first or are not sniffable (Istio `pkg/config/kube/conversion.go`, wellKnownPorts). */
const NEVER_SNIFFED: ReadonlySet<number> = new Set([25, 53, 3306, 27017]);

/**
 * The protocol of a service port (Istio `pkg/config/kube/conversion.go`, ConvertProtocol): UDP is UDP; `appProtocol`
 * replaces the name even when it is unknown; `grpc-web…` before the general rule, since it holds a hyphen itself; then the
 * part before the first hyphen. Unknown means sniffing, but never for ports whose protocols cannot be sniffed.
 */
export function inferProtocol(port: Pick<KubeServicePort, 'name' | 'port' | 'protocol' | 'appProtocol'>): Protocol {
  if (port.protocol === 'UDP') return 'UDP';
  const standard = port.appProtocol === undefined ? undefined : STANDARD_APP_PROTOCOLS.get(port.appProtocol);
  if (standard !== undefined) return standard;
  const name = (port.appProtocol ?? port.name).toLowerCase();
  if (name.startsWith('grpc-web')) return 'GRPC-Web';
  const protocol = parseProtocol(name.split('-', 1)[0] ?? '');
  return protocol ?? (NEVER_SNIFFED.has(port.port) ? 'TCP' : 'Unsupported');
}
