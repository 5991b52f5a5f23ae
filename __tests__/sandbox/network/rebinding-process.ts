/**
 * A machine of its own for the proxy, with a name server that changes its mind: run in a network and a mount namespace.
 * The system's resolver asks it, as it would ask any other. Answers with one line of JSON.
 */
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseHostLine } from '../../../src/sandbox/network/allowed-hosts.js';
import { createProxy } from '../../../src/sandbox/network/proxy.js';
import { systemLookup } from '../../../src/sandbox/network/reach.js';

const PUBLIC = '93.184.216.34';
const INNER = ['127.0.0.1', '169.254.169.254', '10.1.2.3'];
const folder = mkdtempSync(join(tmpdir(), 'rebinding-'));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  execFileSync('mount', ['--bind', join(folder, name), `/etc/${name}`]);
};

async function main(): Promise<unknown> {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  for (const address of [PUBLIC, ...INNER.slice(1)])
    execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
  file('resolv.conf', 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
  file('nsswitch.conf', 'hosts: dns\n');

  /** What the next questions are answered with; the last answer stays. */
  let answers: string[][] = [];
  let asked = 0;
  const names = createSocket('udp4').on('message', (question, { port, address }) => {
    const end = question.indexOf(0, 12) + 5;
    const isV4 = question.readUInt16BE(end - 4) === 1;
    if (isV4) asked += 1;
    const found = isV4 ? ((answers.length > 1 ? answers.shift() : answers[0]) ?? []) : [];
    const records = found.map((text) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...text.split('.').map(Number)]),
    );
    const head = Buffer.from([question[0]!, question[1]!, 0x81, 0x80, 0, 1, 0, records.length, 0, 0, 0, 0]);
    names.send(Buffer.concat([head, question.subarray(12, end), ...records]), port, address);
  });
  names.bind(53, '127.0.0.1');
  await once(names, 'listening');

  const reached: string[] = [];
  const server = createServer((socket) => {
    reached.push(socket.localAddress ?? '');
    socket.on('error', () => undefined).end();
  }).listen(443, '0.0.0.0');
  await once(server, 'listening');

  const rules = ['rebound.example', '*']
    .map(parseHostLine)
    .flatMap((line) => ('rule' in line ? [line.rule] : []));
  const proxy = createProxy({
    rules,
    route: () => undefined,
    lookup: systemLookup(),
    onRefused: () => undefined,
  });
  const path = join(folder, 'proxy');
  await proxy.listen(path);
  const ask = async (given: string[][]) => {
    [answers, asked, reached.length] = [given, 0, 0];
    const socket = connect(path).on('error', () => undefined);
    let said = '';
    socket.on('data', (chunk) => (said += String(chunk)));
    socket.write('CONNECT rebound.example:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    await Promise.race([once(socket, 'close'), new Promise((done) => setTimeout(done, 5000))]);
    socket.destroy();
    return { status: said.slice(9, 12), reached: [...reached], asked };
  };
  const found = {
    first: await ask([[PUBLIC], ['127.0.0.1']]),
    later: await ask([['127.0.0.1']]),
    metadata: await ask([['169.254.169.254']]),
    inner: await ask([['10.1.2.3']]),
    mixed: await ask([['127.0.0.1', PUBLIC, '169.254.169.254'], ['127.0.0.1']]),
  };
  proxy.close();
  return found;
}

void main().then((found) => {
  process.stdout.write(`${JSON.stringify(found)}\n`);
  process.exit(0);
});
