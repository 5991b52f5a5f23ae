import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decideHost,
  lineFor,
  localPorts,
  namedRule,
  parseHostLine,
  type HostRule,
} from '../../../src/sandbox/network/allowed-hosts.js';
import { privateKind, readAuthority, readHost, targetText } from '../../../src/sandbox/network/host.js';

const rulesOf = (...lines: string[]): HostRule[] =>
  lines.map((line) => {
    const read = parseHostLine(line);
    if (!('rule' in read)) throw new Error(`${line}: ${JSON.stringify(read)}`);
    return read.rule;
  });
const target = (text: string) => {
  const read = readAuthority(text);
  if (!read) throw new Error(`${text} is no target`);
  return read;
};
const isAllowed = (where: string, ...lines: string[]) =>
  decideHost(target(where), rulesOf(...lines)).kind === 'allowed';

describe('a host', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['ＥＸＡＭＰＬＥ.com', 'example.com'],
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['0xa9fea9fe', '169.254.169.254'],
    ['[::ffff:127.0.0.1]', '127.0.0.1'],
    ['[::ffff:a9fe:a9fe]', '169.254.169.254'],
    ['[0:0:0:0:0:0:0:1]', '::1'],
    ['FE80::1', 'fe80::1'],
    ['a_b.example.com', 'a_b.example.com'],
  ])('%s is %s', (text, expected) => {
    expect(readHost(text)?.text).toBe(expected);
  });

  it.each([
    '',
    '.',
    'a..b',
    'a b',
    'a\tb',
    'user@host',
    'host/path',
    'host\\path',
    'host?x',
    'host#x',
    '%31',
    'a:1',
    '-a.com',
    'a`b.com',
    "a'b.com",
    '1.2.3.4.5',
    '[::1',
    '[::1]:80',
    '[::1].evil.test',
    '[fe80::1%eth0]',
    'x'.repeat(64),
    `${'a.'.repeat(130)}com`,
  ])('is not read from %p', (text) => {
    expect(readHost(text)).toBeUndefined();
  });

  it('has one spelling, whatever was given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4Extended(), fc.ipV6(), fc.string()), (text) => {
        const host = readHost(text);
        if (!host) return;
        expect(readHost(host.text)).toEqual(host);
        expect(host.text).toMatch(/^[a-z0-9_.:-]+$/);
        expect(readAuthority(targetText({ host, port: 8443 }))).toEqual({ host, port: 8443 });
      }),
    );
  });

  it.each([
    'a.com',
    'a.com:',
    'a.com:0',
    'a.com:65536',
    'a.com:443:1',
    ':443',
    'a.com:4e2',
    'a.com: 443',
    '::1:443',
  ])('and port are not read from %p', (text) => {
    expect(readAuthority(text)).toBeUndefined();
  });
});

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '168.63.129.16',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fd00:ec2::254',
    'fc00::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::10.0.0.1',
    '::ffff:0:10.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '2001::1',
    '2001:db8::1',
    '4000::1',
    'nonsense',
  ])('%s is refused unless it is named', (address) => {
    expect(privateKind(address)).toBeDefined();
  });

  it.each([
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '169.253.0.1',
    '2606:4700::1111',
    '2a00::1',
  ])('%s is public', (address) => {
    expect(privateKind(address)).toBeUndefined();
  });

  it('is judged alike in every form that leads to the same IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a, b, c, d] = address.split('.').map(Number);
        const hex = (high = 0, low = 0) => ((high << 8) | low).toString(16);
        const isPrivate = privateKind(address) !== undefined;
        expect(privateKind(`::ffff:${address}`) !== undefined).toBe(isPrivate);
        expect(privateKind(`::ffff:${hex(a, b)}:${hex(c, d)}`) !== undefined).toBe(isPrivate);
        if (!isPrivate) return;
        for (const prefix of ['64:ff9b::', '::ffff:0:', '::'])
          expect(privateKind(`${prefix}${address}`)).toBeDefined();
        expect(privateKind(`2002:${hex(a, b)}:${hex(c, d)}::1`)).toBeDefined();
      }),
    );
  });
});

describe('a line of allowed-hosts', () => {
  it.each<[string, unknown]>([
    ['packages.example.com', { rule: { kind: 'host', host: 'packages.example.com' } }],
    ['  Example.com.  ', { rule: { kind: 'host', host: 'example.com' } }],
    ['*.example.com', { rule: { kind: 'below', domain: 'example.com' } }],
    ['example.com:8443', { rule: { kind: 'host', host: 'example.com', port: 8443 } }],
    ['*.example.com:22', { rule: { kind: 'below', domain: 'example.com', port: 22 } }],
    ['*', { rule: { kind: 'everything' } }],
    ['*:22', { rule: { kind: 'everything', port: 22 } }],
    ['vendor', { group: 'vendor' }],
    ['GitHub', { group: 'github' }],
    ['localhost:5432', { rule: { kind: 'local', port: 5432 } }],
    ['127.0.0.1:5432', { rule: { kind: 'local', port: 5432 } }],
    ['[::1]:5432', { rule: { kind: 'local', port: 5432 } }],
    ['10.1.2.3', { rule: { kind: 'addresses', address: '10.1.2.3', bits: 32 } }],
    ['10.0.0.0/8', { rule: { kind: 'addresses', address: '10.0.0.0', bits: 8 } }],
    ['fd12::1', { rule: { kind: 'addresses', address: 'fd12::1', bits: 128 } }],
    ['[fd12::1]:8080', { rule: { kind: 'addresses', address: 'fd12::1', bits: 128, port: 8080 } }],
  ])('%s is read', (line, expected) => {
    expect(parseHostLine(line)).toEqual(expected);
  });

  it.each([
    ['https://packages.example.com/', 'write only packages.example.com'],
    ['https://example.com:8443/x', 'write only example.com:8443'],
    ['example.com/path', 'names a path'],
    ['example.com:99999', 'port that is not a number from 1 to 65535'],
    ['example.com:', 'port that is not a number from 1 to 65535'],
    ['localhost', 'needs a port, as in localhost:5432'],
    ['*.', 'no domain after'],
    ['*.1.2.3.4', 'no domain after'],
    ['exam*ple.com', '* that is not at its start'],
    ['user@host', 'is not a host'],
    ['0.0.0.0/0', 'prefix of 8 to 32 bits'],
  ])('%s is a problem that says what to do', (line, words) => {
    expect(parseHostLine(line)).toEqual({ problem: expect.stringContaining(words) });
  });

  it('never throws, and what it reads allows what the ledger would advise', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.domain(), fc.ipV4(), fc.string()),
        fc.integer({ min: 1, max: 65535 }),
        (text, port) => {
          parseHostLine(text);
          const host = readHost(text);
          if (!host) return;
          const line = lineFor({ host, port });
          if (line !== '') expect(decideHost({ host, port }, rulesOf(line)).kind).toBe('allowed');
        },
      ),
    );
  });
});

describe('the decision about a target', () => {
  it.each<[string, string[]]>([
    ['example.com:443', ['example.com']],
    ['EXAMPLE.com.:80', ['example.com']],
    ['a.b.example.com:443', ['*.example.com']],
    ['example.com:8443', ['example.com:8443']],
    ['anything.example:5000', ['*']],
    ['1.1.1.1:443', ['*']],
    ['1.1.1.1:443', ['1.1.1.1']],
    ['10.1.2.3:443', ['10.0.0.0/8']],
    ['169.254.169.254:80', ['169.254.169.254']],
    ['localhost:5432', ['localhost:5432']],
    ['127.0.0.1:5432', ['localhost:5432']],
    ['example.com:22', ['example.com:22']],
    ['example.com:22', ['*:22']],
  ])('allows %s with %j', (where, lines) => {
    expect(isAllowed(where, ...lines)).toBe(true);
  });

  it.each<[string, string[]]>([
    ['other.com:443', ['example.com']],
    ['example.com.evil.test:443', ['example.com', '*.example.com']],
    ['notexample.com:443', ['example.com', '*.example.com']],
    ['evil-example.com:443', ['*.example.com']],
    ['example.com:443', ['*.example.com']],
    ['xn--exmple-cua.com:443', ['example.com']],
    ['example.com:22', ['example.com', '*']],
    ['example.com:8443', ['example.com']],
    ['example.com:443', ['example.com:8443']],
    ['127.0.0.1:80', ['*', '127.0.0.1:81', '10.0.0.0/8']],
    ['2130706433:80', ['*']],
    ['169.254.169.254:80', ['*', 'example.com']],
    ['[::ffff:169.254.169.254]:80', ['*']],
    ['[64:ff9b::a9fe:a9fe]:80', ['*']],
    ['10.1.2.3:443', ['*']],
    ['localhost:443', ['*', 'localhost:5432']],
    ['db.localhost:5433', ['localhost:5432']],
    ['1.1.1.1:443', ['example.com']],
  ])('refuses %s with %j', (where, lines) => {
    expect(isAllowed(where, ...lines)).toBe(false);
  });

  it('says which line would allow it', () => {
    const line = (where: string) => decideHost(target(where), rulesOf('example.com'));
    expect(line('other.com:443')).toMatchObject({ line: 'other.com', why: 'is not among the allowed hosts' });
    expect(line('other.com:9999')).toMatchObject({ line: 'other.com:9999' });
    expect(line('1.1.1.1:443')).toMatchObject({ line: '1.1.1.1' });
    expect(line('[2606:4700::1111]:443')).toMatchObject({ line: '[2606:4700::1111]' });
    expect(line('example.com:22')).toMatchObject({
      line: 'example.com:22',
      why: 'port 22 of this host is not allowed',
    });
  });

  it.each([
    ...[
      '169.254.169.254:80',
      '[fd00:ec2::254]:80',
      '100.100.100.200:80',
      '168.63.129.16:80',
      '2852039166:80',
    ],
    ...['127.0.0.1:5432', '[::1]:80', '[::ffff:10.0.0.1]:443', '[64:ff9b::a9fe:a9fe]:80', '10.1.2.3:443'],
    ...[
      '192.168.0.1:443',
      '[fe80::1]:443',
      '0.0.0.0:80',
      'localhost:5432',
      'db.localhost:5432',
      'metadata:80',
    ],
    ...[
      'metadata.google.internal:80',
      'METADATA.Google.Internal.:80',
      'printer.local:80',
      'nas.home.arpa:80',
    ],
  ])('never advises what is not public: %s', (where) => {
    for (const lines of [[], ['*']]) {
      const decision = decideHost(target(where), rulesOf('example.com', ...lines));
      expect(decision.kind === 'refused' ? decision.line : '').toBe('');
    }
    expect(lineFor(target(where))).toBe('');
  });

  it('lets an allowed name lead to public addresses only, unless a line names the address', () => {
    const reachable = (address: string, ...lines: string[]) => {
      const decision = decideHost(target('example.com:443'), rulesOf('example.com', ...lines));
      return decision.kind === 'allowed' && decision.mayReach(address);
    };
    expect(reachable('1.1.1.1')).toBe(true);
    expect(reachable('10.1.2.3')).toBe(false);
    expect(reachable('127.0.0.1', '*', 'localhost:443')).toBe(false);
    expect(reachable('10.1.2.3', '10.0.0.0/8')).toBe(true);
    expect(reachable('::ffff:10.1.2.3', '10.1.2.3')).toBe(true);
    expect(reachable('10.1.2.3', '10.1.2.3:8080')).toBe(false);
  });

  it('lets a service that a setting names be anywhere', () => {
    const rule = namedRule('https://gateway.corp.example:8443/api')!;
    const decision = decideHost(target('gateway.corp.example:8443'), [rule]);
    expect(decision.kind === 'allowed' && decision.mayReach('10.0.0.1')).toBe(true);
    expect(decideHost(target('gateway.corp.example:443'), [rule]).kind).toBe('refused');
    expect(namedRule('http://127.0.0.1:3000/')).toEqual({ kind: 'local', port: 3000 });
    expect(namedRule('http://[::1]/')).toEqual({ kind: 'local', port: 80 });
    expect(namedRule('${env:URL}')).toBeUndefined();
    expect(localPorts([rule, { kind: 'local', port: 1 }, { kind: 'local', port: 1 }])).toEqual([1]);
  });
});
