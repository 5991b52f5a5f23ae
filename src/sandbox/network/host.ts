import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** A host in its one canonical spelling, so that equal hosts are equal texts. */
export type Host = { kind: 'name'; text: string } | { kind: 'address'; text: string };

export interface Target {
  host: Host;
  port: number;
}

const MAX_NAME = 253;
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
  return name.length <= MAX_NAME && NAME.test(name) ? { kind: 'name', text: name } : undefined;
}

/** `::ffff:1.2.3.4` is the address 1.2.3.4 in the form of IPv6. */
function withoutMapping(address: string): string {
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

const NOT_ORDINARY = 'not an ordinary public address';

/**
 * Addresses that are not on the public network, and why. The words complete "… is …". These are the special-purpose
 * registries of IANA, without the ranges that lead to ordinary hosts.
 */
const NOT_PUBLIC: Readonly<Record<string, readonly string[]>> = {
  'an address of this machine': ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128'],
  'a link-local address, such as that of the cloud’s metadata service': [
    ...['169.254.0.0/16', 'fe80::/10'],
    // Metadata services that are not link-local: AWS on IPv6, Alibaba, Azure's host.
    ...['fd00:ec2::/32', '100.100.100.200/32', '168.63.129.16/32'],
  ],
  'a private address': [
    ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
    // Between a provider and its customers, and inside some clouds.
    '100.64.0.0/10',
  ],
  [NOT_ORDINARY]: [
    ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24'],
    ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
    // Discard, Teredo and ORCHID, documentation, segment routing, multicast. These, and whatever is not listed
    // outside of 2000::/3, lead to no ordinary host.
    ...['100::/64', '2001::/23', '2001:db8::/32', '3fff::/20', '5f00::/16', 'ff00::/8'],
  ],
};

/** Ranges whose addresses contain one of IPv4, and the first of its two 16-bit groups. */
const TRANSLATED = [
  // IPv4-compatible, mapped in another spelling, translated, NAT64, NAT64 of the local network, 6to4.
  { range: '::/96', group: 6 },
  { range: '::ffff:0:0/96', group: 6 },
  { range: '::ffff:0:0:0/96', group: 6 },
  { range: '64:ff9b::/96', group: 6 },
  { range: '64:ff9b:1::/48', group: 6 },
  { range: '2002::/16', group: 1 },
];

export const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

export function blockList(...ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

const NOT_PUBLIC_LISTS = Object.entries(NOT_PUBLIC).map(([kind, ranges]) => ({
  kind,
  list: blockList(...ranges),
}));
const PUBLIC_V6 = blockList('2000::/3');
const TRANSLATORS = TRANSLATED.map(({ range, group }) => ({ list: blockList(range), group }));

/** Why an address must not be reached unless it is named; undefined for a public address. */
export function privateKind(address: string): string | undefined {
  const plain = withoutMapping(address);
  const inner = isIPv6(plain) ? embeddedIPv4(plain) : undefined;
  // A translator forwards to the address inside, whatever the prefix says.
  if (inner !== undefined) return privateKind(inner) ?? NOT_ORDINARY;
  if (!isIPv4(plain) && !isIPv6(plain)) return NOT_ORDINARY;
  const family = familyOf(plain);
  const listed = NOT_PUBLIC_LISTS.find(({ list }) => list.check(plain, family))?.kind;
  if (listed !== undefined || family === 'ipv4') return listed;
  return PUBLIC_V6.check(plain, 'ipv6') ? undefined : NOT_ORDINARY;
}

function embeddedIPv4(address: string): string | undefined {
  if (['::', '::1'].includes(address)) return undefined;
  const found = TRANSLATORS.find(({ list }) => list.check(address, 'ipv6'));
  if (!found) return undefined;
  const [high = 0, low = 0] = groupsOf(address).slice(found.group, found.group + 2);
  return toIPv4(high, low);
}

function groupsOf(address: string): number[] {
  // The URL parser writes an IPv4 address at the end as two groups, and removes a zone.
  const text = new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1);
  const [before = '', after] = text.split('::');
  const numbers = (part: string) =>
    part === '' ? [] : part.split(':').map((one) => Number.parseInt(one, 16));
  const [start, end] = [numbers(before), numbers(after ?? '')];
  return [...start, ...Array<number>(Math.max(0, 8 - start.length - end.length)).fill(0), ...end];
}
