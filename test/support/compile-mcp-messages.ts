import path from 'node:path';
import { Root } from 'protobufjs';

const PROTO_FOLDER = path.join(__dirname, '../../lib/registries/mcp/proto');

/** Files that import all the others, but those of protobuf itself, which protobufjs brings. */
const ENTRY_FILES = [
  'envoy/service/discovery/v3/discovery.proto',
  'envoy/config/endpoint/v3/endpoint.proto',
  'istio/mcp/v1alpha1/resource.proto',
  'istio/networking/v1alpha3/service_entry.proto',
];

/** Where the compiled messages stand: JSON that bundles into a function, which cannot read `.proto` files. */
export const MESSAGES_FILE = path.join(PROTO_FOLDER, '../messages.json');

/** The `.proto` files of the MCP registry in the JSON form of protobufjs. */
export function compileMcpMessages(): unknown {
  const root = new Root();
  root.resolvePath = (_origin, target) =>
    target.startsWith('google/protobuf/') ? target : path.join(PROTO_FOLDER, target);
  root.loadSync(ENTRY_FILES).resolveAll();
  return root.toJSON();
}
