/** A server of xDS, as configured. */
export type ServerAddress = {
  /** `xdss://istiod.istio-system:15012`, for messages. */
  readonly address: string;
  /** `host:port`. */
  readonly target: string;
  readonly secure: boolean;
  /** Name that the server's certificate has to have. @default the host of the address */
  readonly serverName?: string;
};

/** `xds://host:port` in the clear, `xdss://host:port` over TLS; IPv6 addresses in brackets. Groups: s, target. */
export const SERVER_ADDRESS = /^xds(s?):\/\/((?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(?:[1-9]\d{0,4}))\/?$/;

/** `undefined` for a text that is no such address. */
export function parseServerAddress(address: string, serverName?: string): ServerAddress | undefined {
  const [, secure, target] = SERVER_ADDRESS.exec(address) ?? [];
  if (target === undefined) return undefined;
  return { address, target, secure: secure === 's', ...(serverName === undefined ? {} : { serverName }) };
}
