import type { Conflict, ConflictType, ConflictValue } from '../../model/conflict';
import { NO_ADDRESS } from '../../model/ip-address';
import { portKey, type Port } from '../../model/port';
import type { RegistryId } from '../../model/registry-id';
import { makeService, type Service, type ServiceAttributes } from '../../model/service';
import type { ServiceEntry } from './entries';
import { conflictsOfClaims } from './entry-conflict';

/** What one entry makes of the host that several of them name. */
export type ServiceClaim = { readonly entry: ServiceEntry; readonly service: Service };

/**
 * One service of several entries' words, oldest first: the first decides, with the united ports; accounts and allocated
 * addresses are united, since each is valid beside the others.
 */
export function uniteServices(claims: readonly [ServiceClaim, ...ServiceClaim[]], ports: readonly Port[]): Service {
  const [{ service }] = claims;
  return makeService({
    ...service,
    ports,
    serviceAccounts: claims.flatMap((claim) => claim.service.serviceAccounts),
    autoAddresses: claims.flatMap((claim) => claim.service.autoAddresses),
    attributes: uniteAttributes(claims, ports),
  });
}

/** Target ports follow the ports: each port has that of the first entry that names it. */
function uniteAttributes(
  claims: readonly [ServiceClaim, ...ServiceClaim[]],
  ports: readonly Port[],
): ServiceAttributes {
  const [{ service }] = claims;
  if (service.resolution !== 'Passthrough') return service.attributes;
  const targets = ports.flatMap((port) => {
    const key = portKey(port);
    const owner = claims.find((claim) => claim.service.ports.some((own) => portKey(own) === key));
    const target = owner?.service.attributes.passthroughTargetPorts?.[key];
    return target === undefined ? [] : [[key, target] as const];
  });
  return targets.length === 0
    ? service.attributes
    : { ...service.attributes, passthroughTargetPorts: Object.fromEntries(targets) };
}

/** Where the others say something else than the first, of what there can be only one of. No labels and no addresses say nothing. */
export function attributeConflicts(registry: RegistryId, claims: readonly ServiceClaim[]): readonly Conflict[] {
  return RULES.flatMap(({ type, field, valueOf, emptyIsSilent }) => {
    const [first, ...others] = claims.map(({ entry, service }) => ({ entry, value: valueOf(service) }));
    if (first === undefined) return [];
    const speaking = others.filter(({ value }) => !emptyIsSilent || Object.keys(value).length > 0);
    return conflictsOfClaims(registry, type, field, [first, ...speaking]);
  });
}

/** A member on which entries can disagree; fields and values as in the merge of registries. */
const RULES: readonly {
  readonly type: ConflictType;
  readonly field: string;
  readonly valueOf: (service: Service) => ConflictValue;
  readonly emptyIsSilent: boolean;
}[] = [
  { type: 'ResolutionConflict', field: 'resolution', valueOf: ({ resolution }) => resolution, emptyIsSilent: false },
  {
    type: 'LocationConflict',
    field: 'meshExternal',
    valueOf: ({ meshExternal }) => String(meshExternal),
    emptyIsSilent: false,
  },
  { type: 'ExportToConflict', field: 'exportTo', valueOf: ({ exportTo }) => exportTo, emptyIsSilent: false },
  { type: 'LabelsConflict', field: 'labels', valueOf: ({ labels }) => labels, emptyIsSilent: true },
  { type: 'AddressConflict', field: 'address', valueOf: addressesOf, emptyIsSilent: true },
];

function addressesOf({ address, addresses }: Service): readonly string[] {
  if (addresses.length > 0) return addresses;
  return address === NO_ADDRESS ? [] : [address];
}
