import type { Conflict } from '../../model/conflict';
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

/** Where the others say something else than the first, of what there can be only one of. */
export function attributeConflicts(registry: RegistryId, claims: readonly ServiceClaim[]): readonly Conflict[] {
  const values = <T>(valueOf: (service: Service) => T) =>
    claims.map(({ entry, service }) => ({ entry, value: valueOf(service) }));
  return [
    ...conflictsOfClaims(
      registry,
      'ResolutionConflict',
      'resolution',
      values(({ resolution }) => resolution),
    ),
    ...conflictsOfClaims(
      registry,
      'LocationConflict',
      'meshExternal',
      values(({ meshExternal }) => String(meshExternal)),
    ),
    ...conflictsOfClaims(
      registry,
      'ExportToConflict',
      'exportTo',
      values(({ exportTo }) => exportTo),
    ),
    ...conflictsOfClaims(registry, 'AddressConflict', 'address', values(addressesOf)),
    ...conflictsOfClaims(
      registry,
      'LabelsConflict',
      'labels',
      values(({ labels }) => labels),
    ),
  ];
}

function addressesOf({ address, addresses }: Service): readonly string[] {
  if (addresses.length > 0) return addresses;
  return address === NO_ADDRESS ? [] : [address];
}
