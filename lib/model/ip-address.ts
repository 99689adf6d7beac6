import ipaddr from 'ipaddr.js';

/** No address of its own: what Istio calls the unspecified IP. */
export const NO_ADDRESS = '0.0.0.0';

/** Four decimal parts up to 255, without leading zeros: IPv4 has no other canonical spelling. */
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;

/**
 * The canonical spelling of an IP address (IPv6 by RFC 5952, IPv4 as four decimal parts), or `undefined` when the text is
 * not an IP address. Octal, hexadecimal and shortened IPv4 forms are not addresses here, as in Go's `net/netip`.
 */
export function canonicalIp(text: string): string | undefined {
  if (IPV4.test(text)) return text;
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined;
  const ip = ipaddr.IPv6.parse(text);
  return ip.isIPv4MappedAddress() ? `::ffff:${ip.toIPv4Address().toString()}` : ip.toRFC5952String();
}

export function isIp(text: string): boolean {
  return canonicalIp(text) !== undefined;
}

/** A CIDR block in canonical spelling, as written (host bits are kept, as Istio does); `undefined` when it is none. */
export function canonicalCidr(text: string): string | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const ip = canonicalIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (ip === undefined || !/^(0|[1-9]\d{0,2})$/.test(length)) return undefined;
  return Number(length) <= (ip.includes(':') ? 128 : 32) ? `${ip}/${length}` : undefined;
}

/** The IP of a CIDR block that holds just one address (`/32`, `/128`), else `undefined`. */
export function singleIpOfCidr(text: string): string | undefined {
  const cidr = canonicalCidr(text);
  if (cidr === undefined) return undefined;
  const [ip = '', length] = cidr.split('/');
  return length === (ip.includes(':') ? '128' : '32') ? ip : undefined;
}

/** `address:port` for people, with brackets around IPv6; a unix socket path stands alone. */
export function formatAddress(address: string, port: number): string {
  if (isUnixAddress(address)) return address;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** A unix domain socket: an absolute path, or an abstract socket (`@name`). */
export function isUnixAddress(address: string): boolean {
  return address.startsWith('/') || address.startsWith('@');
}

/** Address in the spelling that keys and entries use: IPs canonical, host names lower case without a trailing dot, unix paths as they are. */
export function canonicalAddress(address: string): string {
  if (isUnixAddress(address)) return address;
  const ip = canonicalIp(address);
  if (ip !== undefined) return ip;
  const lower = address.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}
