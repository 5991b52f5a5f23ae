import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttp, request, type IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseHostLine, type HostRule } from '../../../src/sandbox/network/allowed-hosts.js';
import type { RefusedHost } from '../../../src/sandbox/network/ledger.js';
import { readRoute } from '../../../src/sandbox/network/parent-proxy.js';
import {
  createProxy,
  LIMITS,
  type NetworkProxy,
  type ProxyLimits,
} from '../../../src/sandbox/network/proxy.js';
import { systemLookup } from '../../../src/sandbox/network/reach.js';

let folder: string;
let closers: (() => void)[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  closers = [];
});
afterEach(() => {
  for (const close of closers) close();
  rmSync(folder, { recursive: true, force: true });
});

const rulesOf = (lines: readonly string[]): HostRule[] =>
  lines.flatMap((line) => {
    const read = parseHostLine(line);
    if (!('rule' in read)) throw new Error(line);
    return [read.rule];
  });

interface Options {
  names?: Record<string, string[]>;
  limits?: Partial<ProxyLimits>;
  env?: Record<string, string>;
}

/** A proxy with these lines. Names are resolved as the test says. */
async function proxyWith(lines: readonly string[], options: Options = {}) {
  const refused: RefusedHost[] = [];
  const asked: string[] = [];
  const proxy: NetworkProxy = createProxy({
    rules: rulesOf(lines),
    route: readRoute(options.env ?? {}).route,
    lookup: (name) => {
      asked.push(name);
      const found = options.names?.[name];
      return found ? Promise.resolve(found) : Promise.reject(new Error('ENOTFOUND'));
    },
    limits: { ...LIMITS, ...options.limits },
    onRefused: (host) => refused.push(host),
  });
  const path = join(folder, `proxy-${closers.length}`);
  await proxy.listen(path);
  closers.push(() => {
    proxy.close();
  });
  return { proxy, path, refused, asked };
}

async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** Everything that is said after sending this. The sending side stays open unless `ends`. */
async function say(path: string, text: string, ends = false): Promise<string> {
  const socket = connect({ path, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
  socket.write(text);
  if (ends) socket.end();
  await new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
  socket.destroy();
  return Buffer.concat(chunks).toString('latin1');
}

/** A tunnel, after the proxy has agreed. */
async function tunnel(path: string, where: string): Promise<Socket> {
  const outgoing = request({ socketPath: path, method: 'CONNECT', path: where });
  outgoing.end();
  const [response, socket] = (await once(outgoing, 'connect')) as [IncomingMessage, Socket];
  if (response.statusCode !== 200) throw new Error(`status ${String(response.statusCode)}`);
  return socket;
}

const connectLine = (where: string) => `CONNECT ${where} HTTP/1.1\r\nHost: ${where}\r\n\r\n`;

describe('a tunnel', () => {
  it('carries bytes in both directions as they are, and both are counted', async () => {
    const port = await listening(createServer((socket) => socket.pipe(socket)));
    const { proxy, path } = await proxyWith(['allowed.test:*'.replace('*', String(port)), '127.0.0.0/8'], {
      names: { 'allowed.test': ['127.0.0.1'] },
    });
    const socket = await tunnel(path, `ALLOWED.test.:${port}`);
    const sent = randomBytes(3_000_000);
    const hash = createHash('sha256');
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      received += chunk.length;
    });
    socket.end(sent);
    await once(socket, 'end');
    expect(received).toBe(sent.length);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'));
    expect(proxy.ledger().allowed).toEqual([
      {
        host: `allowed.test:${port}`,
        count: 1,
        failed: 0,
        sentBytes: sent.length,
        receivedBytes: sent.length,
      },
    ]);
  });

  it('passes on each piece at once, so that an event stream is not held back', async () => {
    let write: (text: string) => void = () => undefined;
    const port = await listening(
      createServer((socket) => {
        write = (text) => socket.write(text);
        socket.on('error', () => undefined);
      }),
    );
    const { path } = await proxyWith([`localhost:${port}`], { names: { localhost: ['127.0.0.1'] } });
    const socket = await tunnel(path, `localhost:${port}`);
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      write(event);
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      expect(chunk.toString()).toBe(event);
    }
    socket.destroy();
  });

  it('waits for a slow reader instead of keeping what it does not read', async () => {
    let written = 0;
    const port = await listening(
      createServer((socket) => {
        socket.on('error', () => undefined);
        const block = Buffer.alloc(65_536);
        const more = () => {
          while (written < 200_000_000) {
            written += block.length;
            if (!socket.write(block)) {
              socket.once('drain', more);
              return;
            }
          }
        };
        more();
      }),
    );
    const { path } = await proxyWith([`localhost:${port}`], { names: { localhost: ['127.0.0.1'] } });
    const socket = await tunnel(path, `localhost:${port}`);
    socket.pause();
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    // Only what fits into buffers has left the server.
    expect(written).toBeLessThan(50_000_000);
    socket.destroy();
  });

  it.each([
    [
      'other.test:443',
      /^HTTP\/1\.1 403 .*other\.test:443 is not among the allowed hosts\..*: other\.test\n$/s,
    ],
    ['allowed.test.evil.test:443', /^HTTP\/1\.1 403 /],
    ['notallowed.test:443', /^HTTP\/1\.1 403 /],
    ['allowed.test:22', /403 .*port 22 of this host is not allowed.*: allowed\.test:22\n$/s],
    ['1.1.1.1:443', /^HTTP\/1\.1 403 /],
    ['169.254.169.254:80', /^HTTP\/1\.1 403 .*allowed hosts\.\n$/s],
    ['[::1]:80', /^HTTP\/1\.1 403 .*allowed hosts\.\n$/s],
    ['2130706433:80', /^HTTP\/1\.1 403 .*allowed hosts\.\n$/s],
    ['metadata.google.internal:80', /^HTTP\/1\.1 403 .*allowed hosts\.\n$/s],
    ['allowed.test', /^HTTP\/1\.1 400 /],
    ['user@allowed.test:443', /^HTTP\/1\.1 400 /],
    ['http://allowed.test:443', /^HTTP\/1\.1 400 /],
    ['allowed.test:443/x', /^HTTP\/1\.1 400 /],
  ])('to %s is refused', async (where, answer) => {
    const { path, asked } = await proxyWith(['allowed.test'], { names: {} });
    expect(await say(path, connectLine(where))).toMatch(answer);
    expect(asked).toEqual([]);
  });

  it('is refused where the name leads to a private address, which is asked for once', async () => {
    let hits = 0;
    const port = await listening(createServer(() => (hits += 1)));
    const { path, refused, asked, proxy } = await proxyWith(['*', `inner.test:${port}`], {
      names: { 'inner.test': ['127.0.0.1', '169.254.169.254'] },
    });
    const said = await say(path, connectLine(`inner.test:${port}`));
    expect(said).toContain('leads to 127.0.0.1, which is an address of this machine');
    expect(refused).toEqual([expect.objectContaining({ host: `inner.test:${port}`, allow: '', count: 1 })]);
    await say(path, connectLine(`inner.test:${port}`));
    expect(proxy.ledger().refused[0]).toMatchObject({ count: 2 });
    expect(refused).toHaveLength(1);
    expect(asked).toEqual(['inner.test', 'inner.test']);
    expect(hits).toBe(0);
  });

  it('goes only to the addresses that were checked, however the name is resolved next', async () => {
    const answers = [['127.0.0.2'], ['127.0.0.1']];
    const reached: string[] = [];
    const server = createServer((socket) => {
      reached.push(socket.localAddress ?? '');
      socket.end();
    });
    const port = await listening(server, '0.0.0.0');
    const { path } = await proxyWith([`a.test:${port}`, '127.0.0.2'.concat(`:${port}`)], {
      names: new Proxy({}, { get: () => answers.shift() }),
    });
    await say(path, connectLine(`a.test:${port}`), true);
    expect(reached).toEqual(['127.0.0.2']);
    // The second answer leads to this machine, which no line names.
    expect(await say(path, connectLine(`a.test:${port}`))).toContain('403');
    expect(reached).toEqual(['127.0.0.2']);
  });

  it('says that a host could not be reached, and counts it', async () => {
    const server = createServer();
    const port = await listening(server);
    server.close();
    await once(server, 'close');
    const { path, proxy } = await proxyWith([`localhost:${port}`, 'unknown.test'], {
      names: { localhost: ['127.0.0.1'] },
    });
    expect(await say(path, connectLine(`localhost:${port}`))).toMatch(/^HTTP\/1\.1 502 .*ECONNREFUSED/s);
    expect(await say(path, connectLine('unknown.test:443'))).toMatch(
      /^HTTP\/1\.1 502 .*could not be resolved/s,
    );
    expect(proxy.ledger().allowed.map(({ failed }) => failed)).toEqual([1, 1]);
  });
});

describe('what is bounded', () => {
  const silent = () =>
    listening(
      createServer((socket) => {
        socket.on('error', () => undefined);
      }),
    );
  const local = { names: { localhost: ['127.0.0.1'] } };

  it('ends a connection on which nothing moves, and one that is half open', async () => {
    const port = await silent();
    const { path } = await proxyWith([`localhost:${port}`], { ...local, limits: { idleMs: 300 } });
    const idle = await tunnel(path, `localhost:${port}`);
    idle.resume();
    await once(idle, 'close');
    const second = await proxyWith([`localhost:${port}`], { ...local, limits: { halfOpenMs: 300 } });
    const half = await tunnel(second.path, `localhost:${port}`);
    half.resume();
    half.end();
    await once(half, 'close');
  });

  it('ends a request that never becomes complete', async () => {
    const { path } = await proxyWith([], { limits: { headersMs: 300 } });
    expect(await say(path, 'GET http://a.test/ HTTP/1.1\r\nHost: ')).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
  });

  it('gives up on a name server that does not answer', async () => {
    const { path } = await proxyWith(['slow.test'], {
      names: new Proxy({}, { get: () => new Promise(() => undefined) }),
      limits: { lookupMs: 200 },
    });
    expect(await say(path, connectLine('slow.test:443'))).toMatch(/^HTTP\/1\.1 504 /);
  });

  it('takes no more connections than the limit, and more once there is room', async () => {
    const port = await silent();
    const { path, proxy } = await proxyWith([`localhost:${port}`], { ...local, limits: { connections: 5 } });
    const open = await Promise.all(Array.from({ length: 5 }, () => tunnel(path, `localhost:${port}`)));
    expect(await say(path, connectLine(`localhost:${port}`))).toBe('');
    expect(proxy.ledger().overLimit).toBe(1);
    for (const socket of open) socket.destroy();
    await Promise.all(open.map((socket) => once(socket, 'close')));
    let again: Socket | undefined;
    while (!again) again = await tunnel(path, `localhost:${port}`).catch(() => undefined);
    again.destroy();
  });

  it('goes on serving while others send their headers byte by byte', async () => {
    const port = await listening(createServer((socket) => socket.pipe(socket).on('error', () => undefined)));
    const limits = { connections: 20 };
    const { path, proxy } = await proxyWith([`localhost:${port}`], { ...local, limits });
    const served = await tunnel(path, `localhost:${port}`);
    // Each that is ended comes back at once, and all of them stay below the time limit for headers.
    let isOver = false;
    closers.push(() => (isOver = true));
    const drip = () => {
      const socket = connect(path).on('error', () => undefined);
      socket.write('CONNECT localhost:');
      const timer = setInterval(() => socket.write('0'), 20);
      socket.on('close', () => {
        clearInterval(timer);
        if (!isOver) setTimeout(drip, 5);
      });
      closers.push(() => socket.destroy());
    };
    for (let index = 0; index < 200; index += 1) drip();
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (let index = 0; index < 10; index += 1) {
      const socket = await tunnel(path, `localhost:${port}`);
      socket.write('ping');
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      expect(chunk.toString()).toBe('ping');
      socket.destroy();
    }
    // What was served before is not ended for them.
    served.write('still');
    const [chunk] = (await once(served, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('still');
    served.destroy();
    expect(proxy.ledger().overLimit).toBeGreaterThan(100);
  });

  it('ends a head without end, and what comes instead of one', async () => {
    const { path, proxy } = await proxyWith([], { limits: { headersMs: 300 } });
    const long = `GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX-Long: ${'x'.repeat(20_000)}`;
    expect(await say(path, long)).toMatch(/^HTTP\/1\.1 4\d\d /);
    const many = `GET http://a.test/ HTTP/1.1\r\n${'X: y\r\n'.repeat(5000)}`;
    expect(await say(path, many)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await say(path, '\x16\x03\x01\x02\x00\x01')).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(proxy.ledger().invalid).toBe(3);
  });

  it('ends endless downloads, and refuses new ones after that', async () => {
    const port = await listening(
      createServer((socket) => {
        socket.on('error', () => undefined);
        const block = Buffer.alloc(65_536);
        const more = () => {
          while (socket.writable && socket.write(block));
          socket.once('drain', more);
        };
        more();
      }),
    );
    const { path, proxy } = await proxyWith([`localhost:${port}`], {
      ...local,
      limits: { totalBytes: 1_000_000 },
    });
    const endless = await tunnel(path, `localhost:${port}`);
    endless.resume().on('error', () => undefined);
    await once(endless, 'close');
    expect(await say(path, connectLine(`localhost:${port}`))).toMatch(/^HTTP\/1\.1 403 /);
    expect(proxy.ledger().allowed[0]?.receivedBytes).toBeGreaterThan(1_000_000);
  });

  it('lists a bounded number of hosts, whatever the agent asks for', async () => {
    const { path, proxy, refused } = await proxyWith([]);
    for (let index = 0; index < 130; index += 1) await say(path, connectLine(`h${index}.test:443`));
    expect(proxy.ledger().refused).toHaveLength(100);
    expect(proxy.ledger().moreRefused).toBe(30);
    expect(refused).toHaveLength(100);
  });
});

describe('plain HTTP', () => {
  /** A server that says what it was sent, request by request. */
  async function mirror() {
    const seen: string[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        seen.push(chunk.toString('latin1'));
        socket.end(
          'HTTP/1.1 200 OK\r\nX-One: 1\r\nConnection: X-Two\r\nX-Two: 2\r\nContent-Length: 2\r\n\r\nok',
        );
      });
    });
    const port = await listening(server);
    const { path, proxy } = await proxyWith([`localhost:${port}`], { names: { localhost: ['127.0.0.1'] } });
    return { seen, port, path, proxy };
  }

  it('is written anew, without what is meant for the proxy', async () => {
    const { seen, port, path, proxy } = await mirror();
    const said = await say(
      path,
      `GET http://localhost:${port}/a?b HTTP/1.1\r\nHost: other.test\r\nX-Keep: 1\r\nConnection: X-Drop, keep-alive\r\nX-Drop: 2\r\nProxy-Authorization: Basic x\r\nTE: trailers\r\n\r\n`,
    );
    expect(seen).toEqual([
      `GET /a?b HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\nX-Keep: 1\r\n\r\n`,
    ]);
    expect(said).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\nX-One: 1\r\nContent-Length: 2\r\n/);
    expect(said).not.toContain('X-Two');
    expect(proxy.ledger().allowed[0]).toMatchObject({ count: 1, failed: 0 });
  });

  it('keeps the body, with a length or in chunks', async () => {
    const { seen, port, path } = await mirror();
    const head = (more: string) => `POST http://localhost:${port}/ HTTP/1.1\r\nHost: x\r\n${more}\r\n\r\n`;
    await say(path, `${head('Content-Length: 5')}hello`);
    expect(seen.join('')).toContain('Content-Length: 5\r\n\r\n');
    seen.length = 0;
    await say(path, `${head('Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`);
    expect(seen.join('')).toContain('Transfer-Encoding: chunked\r\n\r\n');
  });

  it.each<[string, (port: number) => string]>([
    [
      'two lengths',
      (port) =>
        `POST http://localhost:${port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`,
    ],
    [
      'a length and chunks',
      (port) =>
        `POST http://localhost:${port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nSMUGGLED`,
    ],
    [
      'odd chunks',
      (port) =>
        `POST http://localhost:${port}/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\nSMUGGLED`,
    ],
    [
      'a folded header',
      (port) =>
        `GET http://localhost:${port}/ HTTP/1.1\r\nHost: x\r\nA: b\r\n Content-Length: 9\r\n\r\nSMUGGLED!`,
    ],
    [
      'a space before the colon',
      (port) => `GET http://localhost:${port}/ HTTP/1.1\r\nHost: x\r\nContent-Length : 9\r\n\r\nSMUGGLED!`,
    ],
    ['a bare line feed', (port) => `GET http://localhost:${port}/ HTTP/1.1\nHost: x\n\nSMUGGLED`],
    [
      'another request in the body of a GET',
      (port) =>
        `GET http://localhost:${port}/ HTTP/1.1\r\nHost: x\r\n\r\nGET http://other.test/SMUGGLED HTTP/1.1\r\nHost: x\r\n\r\n`,
    ],
    [
      'a tunnel behind a request',
      (port) =>
        `GET http://localhost:${port}/ HTTP/1.1\r\nHost: x\r\n\r\nCONNECT localhost:${port} HTTP/1.1\r\nHost: x\r\n\r\nSMUGGLED`,
    ],
    [
      'a host in the path',
      (port) => `GET http://other.test@localhost:${port}/SMUGGLED HTTP/1.1\r\nHost: x\r\n\r\n`,
    ],
    [
      'an address with a backslash',
      (port) => `GET http://localhost:${port}\\SMUGGLED.other.test/ HTTP/1.1\r\nHost: x\r\n\r\n`,
    ],
    ['the form for a server', () => 'GET /SMUGGLED HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    [
      'https without a tunnel',
      (port) => `GET https://localhost:${port}/SMUGGLED HTTP/1.1\r\nHost: x\r\n\r\n`,
    ],
    [
      'a large header',
      (port) =>
        `GET http://localhost:${port}/SMUGGLED HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ],
  ])('does not pass on what could be read in two ways: %s', async (_, message) => {
    const { seen, port, path } = await mirror();
    await say(path, message(port), true);
    expect(seen.join('')).not.toContain('SMUGGLED');
    expect(seen.length).toBeLessThan(2);
  });

  it('says so if the host wants to go on in another protocol', async () => {
    const port = await listening(
      createServer((socket) =>
        socket
          .on('error', () => undefined)
          .end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      ),
    );
    const { path } = await proxyWith([`localhost:${port}`], { names: { localhost: ['127.0.0.1'] } });
    expect(await say(path, `GET http://localhost:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 502 .*switch protocols/s,
    );
  });

  it('streams the answer', async () => {
    let write: (text: string) => void = () => undefined;
    const port = await listening(
      createHttp((_, response) => {
        write = (text) => response.write(text);
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      }),
    );
    const { path } = await proxyWith([`localhost:${port}`], { names: { localhost: ['127.0.0.1'] } });
    const outgoing = request({ socketPath: path, path: `http://localhost:${port}/`, headers: { host: 'x' } });
    outgoing.on('error', () => undefined).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      write(event);
      const [chunk] = (await once(response, 'data')) as [Buffer];
      expect(chunk.toString()).toBe(event);
    }
    outgoing.destroy();
  });
});

describe('behind a proxy of the job', () => {
  /** A proxy of the job, which writes down how it was asked. */
  async function parent() {
    const heads: string[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (chunk) => {
        heads.push(chunk.toString('latin1'));
        if (heads[0]?.startsWith('CONNECT')) {
          socket.write('HTTP/1.1 200 OK\r\n\r\nearly ');
          socket.pipe(socket);
        } else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      });
    });
    const port = await listening(server);
    const address = `http://me:secret@127.0.0.1:${port}`;
    return { heads, env: { HTTPS_PROXY: address, HTTP_PROXY: address } };
  }
  const authorization = `Proxy-Authorization: Basic ${Buffer.from('me:secret').toString('base64')}`;

  it('the tunnel leads through it, with credentials that the agent does not see', async () => {
    const { heads, env } = await parent();
    const { path, proxy } = await proxyWith(['a.test'], { env });
    const said = await say(path, `${connectLine('a.test:443')}hello`, true);
    expect(heads[0]).toContain(`CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n${authorization}\r\n`);
    expect(said).toBe('HTTP/1.1 200 Connection established\r\n\r\nearly hello');
    expect(proxy.ledger().allowed[0]).toMatchObject({ sentBytes: 5, receivedBytes: 5 });
  });

  it('plain HTTP goes through it', async () => {
    const { heads, env } = await parent();
    const { path } = await proxyWith(['a.test'], { env });
    expect(await say(path, 'GET http://a.test/x HTTP/1.1\r\nHost: b.test\r\n\r\n')).toContain('ok');
    expect(heads[0]).toMatch(/^GET http:\/\/a\.test\/x HTTP\/1\.1\r\nHost: a\.test\r\n/);
    expect(heads[0]).toContain(authorization);
  });

  it('refuses the same hosts, and names that are known to be private', async () => {
    const { heads, env } = await parent();
    const { path } = await proxyWith(['a.test', 'inner.test'], {
      env,
      names: { 'inner.test': ['10.0.0.1'] },
    });
    for (const where of ['b.test:443', 'inner.test:443', '10.0.0.1:443'])
      expect(await say(path, connectLine(where))).toMatch(/^HTTP\/1\.1 403 /);
    expect(heads).toEqual([]);
  });

  it('says that it refused', async () => {
    const port = await listening(createServer((socket) => socket.end('HTTP/1.1 407 No\r\n\r\n')));
    const { path } = await proxyWith(['a.test'], { env: { HTTPS_PROXY: `http://127.0.0.1:${port}` } });
    expect(await say(path, connectLine('a.test:443'))).toMatch(/^HTTP\/1\.1 502 .*answered with status 407/s);
  });
});

it('asks the system for the addresses of a name', async () => {
  const found = await Promise.all(['localhost', 'localhost', 'localhost'].map(systemLookup()));
  expect(found.every((addresses) => addresses.includes('127.0.0.1') || addresses.includes('::1'))).toBe(true);
});
