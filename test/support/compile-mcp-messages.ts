import path from 'node:path';
import { Enum, Field, MapField, Root, Type } from 'protobufjs';

const PROTO_FOLDER = path.join(__dirname, '../../lib/registries/mcp/proto');

/** Files that import all the others, but those of protobuf itself, which protobufjs brings. */
const ENTRY_FILES = [
  'envoy/service/discovery/v3/discovery.proto',
  'envoy/config/endpoint/v3/endpoint.proto',
  'istio/mcp/v1alpha1/resource.proto',
  'istio/networking/v1alpha3/service_entry.proto',
];

/** The messages that are encoded and decoded; others are there as parts of them. */
const MESSAGES = [
  'envoy.service.discovery.v3.DiscoveryRequest',
  'envoy.service.discovery.v3.DiscoveryResponse',
  'envoy.config.endpoint.v3.ClusterLoadAssignment',
  'istio.mcp.v1alpha1.Resource',
  'istio.networking.v1alpha3.ServiceEntry',
  'istio.networking.v1alpha3.WorkloadEntry',
];

/** Where the compiled messages stand: JSON that bundles into a function, which cannot read `.proto` files. */
export const MESSAGES_FILE = path.join(PROTO_FOLDER, '../messages.json');

/** The `.proto` files of the MCP registry, all fields in lowerCamelCase. */
export function loadMcpProtos(): Root {
  const root = new Root();
  root.resolvePath = (_origin, target) =>
    target.startsWith('google/protobuf/') ? target : path.join(PROTO_FOLDER, target);
  root.loadSync(ENTRY_FILES);
  const any = root.lookupType('google.protobuf.Any');
  any.remove(any.get('type_url') ?? any);
  any.add(new Field('typeUrl', 1, 'string'));
  root.resolveAll();
  return root;
}

/** What `messages.json` holds: messages and enums by their full names, without what no message uses. */
export function compileMcpMessages(): unknown {
  const root = loadMcpProtos();
  const parts = MESSAGES.reduce<ReadonlySet<Type | Enum>>(
    (seen, name) => withPartsOf(root.lookupType(name), seen),
    new Set(),
  );
  const sorted = [...parts].sort((a, b) => (a.fullName < b.fullName ? -1 : 1));
  return {
    messages: Object.fromEntries(
      sorted.flatMap((part) => (part instanceof Type ? [[nameOf(part), fieldsOf(part)] as const] : [])),
    ),
    enums: Object.fromEntries(
      sorted.flatMap((part) => (part instanceof Enum ? [[nameOf(part), part.values] as const] : [])),
    ),
  };
}

function withPartsOf(type: Type, seen: ReadonlySet<Type | Enum>): ReadonlySet<Type | Enum> {
  if (seen.has(type)) return seen;
  return type.fieldsArray.reduce<ReadonlySet<Type | Enum>>(
    (found, { resolvedType }) => {
      if (resolvedType === null) return found;
      return resolvedType instanceof Type ? withPartsOf(resolvedType, found) : new Set([...found, resolvedType]);
    },
    new Set([...seen, type]),
  );
}

function fieldsOf(type: Type): object {
  return Object.fromEntries(
    type.fieldsArray.map((field) => {
      const rule = ruleOf(field);
      return [
        field.name,
        {
          number: field.id,
          type: field.resolvedType === null ? field.type : nameOf(field.resolvedType),
          ...(rule === undefined ? {} : { rule }),
        },
      ];
    }),
  );
}

function ruleOf(field: Field): 'map' | 'list' | 'choice' | undefined {
  if (field instanceof MapField) return 'map';
  if (field.repeated) return 'list';
  return field.partOf === null ? undefined : 'choice';
}

/** protobufjs begins full names with a dot. */
function nameOf({ fullName }: Type | Enum): string {
  return fullName.slice(1);
}
