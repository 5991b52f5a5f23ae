import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { withoutMapping } from './host.js';

/** Why an address is not on the public network. The words complete "… is …". */
export type PrivateKind =
  | 'an address of this machine'
  | 'a link-local address, such as that of the cloud’s metadata service'
  | 'a private address'
  | 'not an ordinary public address';

interface Range {
  kind: PrivateKind;
  subnets: readonly (readonly [address: string, bits: number])[];
}

/** The special-purpose registries of IANA, without the ranges that lead to ordinary hosts. */
const RANGES: readonly Range[] = [
  {
    kind: 'an address of this machine',
    subnets: [
      ['127.0.0.0', 8],
      ['0.0.0.0', 8],
      ['::1', 128],
      ['::', 128],
    ],
  },
  {
    kind: 'a link-local address, such as that of the cloud’s metadata service',
    subnets: [
      ['169.254.0.0', 16],
      ['fe80::', 10],
      // Metadata services that are not link-local: AWS on IPv6, Alibaba, Azure's host.
      ['fd00:ec2::', 32],
      ['100.100.100.200', 32],
      ['168.63.129.16', 32],
    ],
  },
  {
    kind: 'a private address',
    subnets: [
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      // Between a provider and its customers, and inside some clouds.
      ['100.64.0.0', 10],
      ['fc00::', 7],
      ['fec0::', 10],
    ],
  },
  {
    kind: 'not an ordinary public address',
    subnets: [
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.88.99.0', 24],
      ['198.18.0.0', 15],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['224.0.0.0', 4],
      ['240.0.0.0', 4],
      // Discard, Teredo and ORCHID, documentation, segment routing, multicast. These, and whatever is not listed
      // outside of 2000::/3, lead to no ordinary host.
      ['100::', 64],
      ['2001::', 23],
      ['2001:db8::', 32],
      ['3fff::', 20],
      ['5f00::', 16],
      ['ff00::', 8],
    ],
  },
];

function blockList(subnets: Range['subnets']): BlockList {
  const list = new BlockList();
  for (const [address, bits] of subnets) list.addSubnet(address, bits, isIPv4(address) ? 'ipv4' : 'ipv6');
  return list;
}
/** Made when the first address is looked up, because most runs look up none. */
const makeLists = () => ({
  ranges: RANGES.map(({ kind, subnets }) => ({ kind, list: blockList(subnets) })),
  publicV6: blockList([['2000::', 3]]),
  translators: TRANSLATED.map(({ prefix, bits, group }) => ({ list: blockList([[prefix, bits]]), group })),
});
let lists: ReturnType<typeof makeLists> | undefined;
const knownLists = () => (lists ??= makeLists());

/** Why an address must not be reached unless it is named; undefined for a public address. */
export function privateKind(address: string): PrivateKind | undefined {
  const plain = withoutMapping(address);
  const inner = isIPv6(plain) ? embeddedIPv4(plain) : undefined;
  // A translator forwards to the address inside, whatever the prefix says.
  if (inner !== undefined) return privateKind(inner) ?? 'not an ordinary public address';
  if (!isIPv4(plain) && !isIPv6(plain)) return 'not an ordinary public address';
  const family = isIPv4(plain) ? 'ipv4' : 'ipv6';
  const { ranges, publicV6 } = knownLists();
  const listed = ranges.find(({ list }) => list.check(plain, family))?.kind;
  if (listed !== undefined || family === 'ipv4') return listed;
  return publicV6.check(plain, 'ipv6') ? undefined : 'not an ordinary public address';
}

/** Ranges whose addresses contain one of IPv4, and the first of its two 16-bit groups. */
const TRANSLATED: readonly { prefix: string; bits: number; group: number }[] = [
  // IPv4-compatible, mapped in another spelling, translated, NAT64, NAT64 of the local network, 6to4.
  { prefix: '::', bits: 96, group: 6 },
  { prefix: '::ffff:0:0', bits: 96, group: 6 },
  { prefix: '::ffff:0:0:0', bits: 96, group: 6 },
  { prefix: '64:ff9b::', bits: 96, group: 6 },
  { prefix: '64:ff9b:1::', bits: 48, group: 6 },
  { prefix: '2002::', bits: 16, group: 1 },
];

function embeddedIPv4(address: string): string | undefined {
  if (['::', '::1'].includes(address)) return undefined;
  const found = knownLists().translators.find(({ list }) => list.check(address, 'ipv6'));
  if (!found) return undefined;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(found.group, found.group + 2);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // The URL parser writes an IPv4 address at the end as two groups, and removes a zone.
  const text = new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1);
  const [before = '', after] = text.split('::');
  const numbers = (part: string) =>
    part === '' ? [] : part.split(':').map((one) => Number.parseInt(one, 16));
  const [start, end] = [numbers(before), numbers(after ?? '')];
  return [...start, ...Array<number>(Math.max(0, 8 - start.length - end.length)).fill(0), ...end];
}
