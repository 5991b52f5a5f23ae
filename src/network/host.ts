import { isIPv4, isIPv6 as netIsIPv6 } from 'node:net';

/** A host in its one canonical spelling, so that equal hosts are equal texts. */
export type Host = { kind: 'name'; text: string } | { kind: 'address'; text: string };

/** Where a connection is asked for. */
export interface Target {
  host: Host;
  port: number;
}

/** The first use of Node's own test is slow, and most hosts have no colon. */
const isIPv6 = (text: string): boolean => text.includes(':') && netIsIPv6(text);

const LONGEST_NAME = 253;
/** What remains after IDNA: letters, digits, hyphens, and the underscore that some services use. */
const NAME = /^(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/**
 * Reads a host as a browser would: case, a dot at the end, other alphabets and every spelling of an IP address
 * (`0x7f.1`, `2130706433`) lead to the same text. Undefined for anything that is no host.
 */
export function readHost(text: string): Host | undefined {
  // These would make the URL parser see something other than a host, or decode a part of it.
  if (text === '' || text.length > 1000 || /[\s/\\@?#%]/.test(text)) return undefined;
  const address = isIPv6(text) ? `[${text}]` : text;
  // A colon is part of an address in brackets, or begins a port.
  if (address.includes(':') && !/^\[[^\]]*\]$/.test(address)) return undefined;
  if (!URL.canParse(`http://${address}/`)) return undefined;
  const { hostname } = new URL(`http://${address}/`);
  const plain = hostname.replace(/^\[|\]$/g, '');
  if (isIPv4(plain) || isIPv6(plain)) return { kind: 'address', text: withoutMapping(plain) };
  const name = hostname.replace(/\.$/, '');
  return name.length <= LONGEST_NAME && NAME.test(name) ? { kind: 'name', text: name } : undefined;
}

/** `::ffff:1.2.3.4` is the address 1.2.3.4 in the form of IPv6. */
export function withoutMapping(address: string): string {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ?? [];
  if (high === undefined || low === undefined)
    return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  return toIPv4(Number.parseInt(high, 16), Number.parseInt(low, 16));
}

const toIPv4 = (high: number, low: number): string =>
  [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');

/** Reads `host:port`. Undefined if it is not exactly that. */
export function readAuthority(text: string): Target | undefined {
  const [, name, digits] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(text) ?? [];
  const host = name === undefined ? undefined : readHost(name);
  const port = readPort(digits);
  return host && port !== undefined ? { host, port } : undefined;
}

export function readPort(digits: string | undefined): number | undefined {
  const port = digits !== undefined && /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** As it is written in an address: IPv6 in brackets. */
export const hostText = ({ text }: Host): string => (isIPv6(text) ? `[${text}]` : text);
export const targetText = ({ host, port }: Target): string => `${hostText(host)}:${port}`;
