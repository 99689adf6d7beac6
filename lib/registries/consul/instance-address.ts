import { canonicalIp, isUnixAddress } from '../../model/ip-address';
import type { ConversionRules } from './conversion-rules';
import { nameOf, type Instance } from './instance';

/** Where an instance listens. A unix socket has port 0. */
export type Location = { readonly kind: 'ip' | 'name' | 'unix'; readonly address: string; readonly port: number };

export type Located = { readonly instance: Instance; readonly location: Location };

/** Why an instance cannot be reached at all. */
export type Unlocated = { readonly instance: Instance; readonly problem: string };

const MAX_PORT = 65_535;

/** Addresses that mean "every address of this host" and so lead nowhere. */
const UNSPECIFIED: readonly string[] = ['0.0.0.0', '::'];

/**
 * Address and port of an instance: its socket; else the tagged address that the rules ask for, of the service, or of the
 * node when the service has no address of its own; else the service's address, else the node's
 * (Consul `agent/translate_addr.go` has the same order).
 */
export function locateInstance(instance: Instance, rules: Pick<ConversionRules, 'addressTag'>): Located | Unlocated {
  if (instance.socketPath !== '') return locateSocket(instance);
  const { address, port } = addressOf(instance, rules.addressTag);
  const kind = addressKind(address);
  if (kind === undefined) {
    return { instance, problem: `${nameOf(instance)} has address ${JSON.stringify(address)}` };
  }
  if (port === undefined || !isPort(port)) {
    return { instance, problem: `${nameOf(instance)} has ${port === undefined ? 'no port' : `port ${port}`}` };
  }
  return { instance, location: { kind, address, port } };
}

export function isLocated(result: Located | Unlocated): result is Located {
  return 'location' in result;
}

/** A number from 1 to 65535. */
export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= MAX_PORT;
}

function locateSocket(instance: Instance): Located | Unlocated {
  const address = instance.socketPath;
  if (isUnixAddress(address)) return { instance, location: { kind: 'unix', address, port: 0 } };
  return { instance, problem: `${nameOf(instance)} has socket ${JSON.stringify(address)}, which is no absolute path` };
}

function addressOf(instance: Instance, tag: string | undefined): { address: string; port: number | undefined } {
  const { node, taggedAddresses } = instance;
  const tagged = tag === undefined ? undefined : taggedAddresses[tag];
  if (tagged !== undefined && tagged.address !== '') {
    return { address: tagged.address, port: tagged.port ?? instance.port };
  }
  if (instance.address !== '') return { address: instance.address, port: instance.port };
  const nodeTagged = tag === undefined ? '' : (node.taggedAddresses[tag] ?? '');
  return { address: nodeTagged === '' ? node.address : nodeTagged, port: instance.port };
}

function addressKind(address: string): 'ip' | 'name' | undefined {
  const ip = canonicalIp(address);
  if (ip !== undefined) return UNSPECIFIED.includes(ip) ? undefined : 'ip';
  return isHostname(address) ? 'name' : undefined;
}

/** Letters, digits, `-` and `_` between dots; a last label of digits alone is a mistyped IP address (RFC 1123 2.1). */
function isHostname(text: string): boolean {
  const labels = text.replace(/\.$/, '').split('.');
  return (
    text.length <= 253 && labels.every((label) => /^[\w-]{1,63}$/.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
  );
}
