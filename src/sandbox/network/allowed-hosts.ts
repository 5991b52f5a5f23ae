import { isIPv4 } from 'node:net';
import {
  blockList,
  familyOf,
  hostText,
  privateKind,
  readAuthority,
  readHost,
  readPort,
  targetText,
  type Host,
  type Target,
} from './host.js';

/** One line of `allowed-hosts`, or a host that another setting names. */
export type HostRule =
  | { kind: 'everything'; port?: number }
  /** `isNamed`: the setting names exactly this host, so a private address is allowed. */
  | { kind: 'host'; host: string; port?: number; isNamed?: true }
  | { kind: 'below'; domain: string; port?: number }
  | { kind: 'addresses'; address: string; bits: number; port?: number }
  /** A service of this machine. */
  | { kind: 'local'; port: number };

const GROUPS = ['vendor', 'github'] as const;
type Group = (typeof GROUPS)[number];

export type HostLine = { rule: HostRule } | { group: Group };

const FORMS = 'use host, *.host, host:port, an IP address, localhost:port, vendor, github or *';

/** Reads one line. A problem says what to write instead. */
export function parseHostLine(line: string): HostLine | { problem: string } {
  const text = line.trim();
  const group = GROUPS.find((name) => name === text.toLowerCase());
  if (group) return { group };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { problem: `is an address; ${insteadOfUrl(text)}` };
  const range = readRange(text);
  if (range) return 'problem' in range ? range : { rule: range };
  if (text.includes('/')) return { problem: `names a path, and only hosts can be allowed; ${FORMS}` };
  const { name, port } = splitPort(text);
  if (port === 'bad') return { problem: 'has a port that is not a number from 1 to 65535' };
  const at = port === undefined ? {} : { port };
  if (name === '*') return { rule: { kind: 'everything', ...at } };
  if (name.startsWith('*.')) {
    const below = readHost(name.slice(2));
    return below?.kind === 'name'
      ? { rule: { kind: 'below', domain: below.text, ...at } }
      : { problem: `has no domain after "*."; ${FORMS}` };
  }
  if (name.includes('*')) return { problem: 'has a * that is not at its start, as in *.example.com' };
  const host = readHost(name);
  if (!host) return { problem: `is not a host; ${FORMS}` };
  if (isLocal(host))
    return port === undefined
      ? { problem: 'needs a port, as in localhost:5432: each service of this machine is named by itself' }
      : { rule: { kind: 'local', port } };
  return host.kind === 'address'
    ? { rule: { kind: 'addresses', address: host.text, bits: isIPv4(host.text) ? 32 : 128, ...at } }
    : { rule: { kind: 'host', host: host.text, ...at } };
}

function insteadOfUrl(text: string): string {
  if (!URL.canParse(text)) return FORMS;
  const { hostname, port } = new URL(text);
  return hostname === '' ? FORMS : `write only ${hostname}${port === '' ? '' : `:${port}`}`;
}

function readRange(text: string): HostRule | { problem: string } | undefined {
  const [, network, digits] = /^(.+)\/(\d{1,3})$/.exec(text) ?? [];
  const host = network === undefined ? undefined : readHost(network);
  if (host?.kind !== 'address') return undefined;
  const [bits, max] = [Number(digits), isIPv4(host.text) ? 32 : 128];
  if (bits < 8 || bits > max)
    return { problem: `is too large or no range; use a prefix of 8 to ${max} bits` };
  return { kind: 'addresses', address: host.text, bits };
}

function splitPort(text: string): { name: string; port?: number | 'bad' } {
  // An IPv6 address has colons of its own.
  if (readHost(text)?.kind === 'address') return { name: text };
  const [, name, digits] = /^(.*):([^:\]]*)$/.exec(text) ?? [];
  if (name === undefined) return { name: text };
  return { name, port: readPort(digits) ?? 'bad' };
}

const LOCAL = ['localhost', '127.0.0.1', '::1'];
const isLocal = ({ text }: Host): boolean => LOCAL.includes(text) || text.endsWith('.localhost');

/** The rule for a service that a setting names by its address, such as an endpoint or an MCP server. */
export function namedRule(address: string): HostRule | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port } = new URL(address);
  const host = readHost(hostname);
  const standard = protocol === 'https:' ? 443 : protocol === 'http:' ? 80 : undefined;
  const at = port === '' ? standard : Number(port);
  if (!host || at === undefined) return undefined;
  if (isLocal(host)) return { kind: 'local', port: at };
  return { kind: 'host', host: host.text, port: at, isNamed: true };
}

/** Ports of https and http: a host without a port is allowed on these. */
const WEB_PORTS = [443, 80];
/** `*` does not include SSH. */
const SSH_PORT = 22;

type HostDecision =
  /** `mayReach`: whether this address of the host may be connected to. */
  | { kind: 'allowed'; mayReach: (address: string) => boolean }
  /** `line`: the line of `allowed-hosts` that would allow it; empty if none is advised. */
  | { kind: 'refused'; why: string; line: string };

/** Decides about a target before its name is resolved. */
export function decideHost(target: Target, rules: readonly HostRule[]): HostDecision {
  const matching = rules.filter((rule) => matches(target, rule));
  const line = lineFor(target);
  if (matching.length === 0) {
    const isOtherPort = rules.some(
      (rule) => rule.kind !== 'local' && matches(target, { ...rule, port: target.port }),
    );
    const why = isOtherPort
      ? `port ${target.port} of this host is not allowed`
      : 'is not among the allowed hosts';
    return { kind: 'refused', why, line };
  }
  const isNamed = matching.some(
    (rule) => rule.kind === 'local' || (rule.kind === 'host' && rule.isNamed === true),
  );
  const mayReach = (address: string) =>
    isNamed || privateKind(address) === undefined || isNamedAddress({ address, port: target.port }, rules);
  if (target.host.kind === 'address' && !mayReach(target.host.text))
    return { kind: 'refused', why: `is ${privateKind(target.host.text) ?? ''}`, line: '' };
  return { kind: 'allowed', mayReach };
}

function matches({ host, port }: Target, rule: HostRule): boolean {
  if (rule.kind === 'local') return isLocal(host) && port === rule.port;
  if (isLocal(host)) return false;
  switch (rule.kind) {
    case 'everything':
      return rule.port === undefined ? port !== SSH_PORT : port === rule.port;
    case 'host':
      return host.text === rule.host && isPort(port, rule);
    case 'below':
      return host.kind === 'name' && host.text.endsWith(`.${rule.domain}`) && isPort(port, rule);
    case 'addresses':
      return host.kind === 'address' && isIn(host.text, rule) && isPort(port, rule);
  }
}

const isPort = (port: number, rule: { port?: number }): boolean =>
  rule.port === undefined ? WEB_PORTS.includes(port) : port === rule.port;

/** Whether a line names this address. A name that is allowed by another line may then lead to it. */
const isNamedAddress = ({ address, port }: { address: string; port: number }, rules: readonly HostRule[]) =>
  rules.some(
    (rule) =>
      rule.kind === 'addresses' && isIn(address, rule) && (rule.port === undefined || rule.port === port),
  );

function isIn(
  address: string,
  { address: network, bits }: Extract<HostRule, { kind: 'addresses' }>,
): boolean {
  const host = readHost(address)?.text ?? address;
  const family = familyOf(host);
  return family === familyOf(network) && blockList(`${network}/${bits}`).check(host, family);
}

/** Top-level names that lead to no public host, such as `metadata.google.internal`. */
const PRIVATE_NAME = /^[^.]*$|\.(internal|intranet|lan|local|localdomain|localhost|arpa)$/;

/**
 * The line of `allowed-hosts` for this target. None for what is not public: the reader of the advice does not know who
 * asked for the host, and must not be led to open the metadata service or an internal network.
 */
export function lineFor(target: Target): string {
  const { kind, text } = target.host;
  const isPublic = kind === 'address' ? privateKind(text) === undefined : !PRIVATE_NAME.test(text);
  if (!isPublic) return '';
  return WEB_PORTS.includes(target.port) ? hostText(target.host) : targetText(target);
}

export function isAllowedBy(host: string, rules: readonly HostRule[]): boolean {
  const target = readAuthority(host);
  return target !== undefined && decideHost(target, rules).kind === 'allowed';
}

export const localPorts = (rules: readonly HostRule[]): number[] => [
  ...new Set(rules.flatMap((rule) => (rule.kind === 'local' ? [rule.port] : []))),
];
