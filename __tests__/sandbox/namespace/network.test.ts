import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { describeWays } from './ways.js';

/**
 * No attempt leaves this machine: 192.0.2.0/24 and 2001:db8::/32 are for documents, and the namespace has no route.
 * Runs in the agent's place: tries each of these, and prints what came of it.
 */
const ATTEMPTS = `
const net = require('node:net'), dgram = require('node:dgram'), dns = require('node:dns').promises;
const fs = require('node:fs'), { execFileSync } = require('node:child_process');
const tcp = (options) => new Promise((done) => {
  const socket = net.connect(options);
  socket.setTimeout(3000, () => { done('silence'); socket.destroy(); });
  socket.on('connect', () => { done('connected'); socket.destroy(); });
  socket.on('error', (error) => done(error.code));
});
const udp = (port, host, family) => new Promise((done) => {
  const socket = dgram.createSocket(family);
  socket.on('error', (error) => done(error.code));
  socket.send('x', port, host, (error) => { done(error ? error.code : 'sent'); socket.close(); });
});
const ask = (text, options = { port: Number(new URL(process.env.HTTPS_PROXY).port), host: '127.0.0.1' }) =>
  new Promise((done) => {
    const socket = net.connect(options);
    let said = '';
    socket.on('data', (chunk) => (said += chunk)).on('error', (error) => done(error.code));
    socket.on('close', () => done(said)).on('end', () => done(said));
    socket.write(text);
  });
const connect = (where) => ask('CONNECT ' + where + ' HTTP/1.1\\r\\nHost: ' + where + '\\r\\n\\r\\n');
const status = async (asked) => ((await asked).match(/^HTTP\\/1\\.1 (\\d+)/) ?? [])[1] ?? 'nothing';
const shell = (command) => {
  try { return execFileSync('sh', ['-c', command], { encoding: 'utf8', stdio: 'pipe' }).trim(); }
  catch (error) { return 'failed'; }
};
`;

interface Services {
  /** Listens on the runner's loopback, and answers with its name. */
  named: number;
  unnamed: number;
}

describeWays('an agent with a closed network', (way) => {
  const servers: Server[] = [];
  const services = {} as Services;
  const names = {
    localhost: ['127.0.0.1'],
    'allowed.test': ['127.0.0.1'],
    'rebound.test': ['127.0.0.1'],
    'metadata.test': ['169.254.169.254'],
  };
  beforeAll(async () => {
    for (const name of ['named', 'unnamed'] as const) {
      const server = createHttp((request, response) => response.end(`${name}${request.url ?? ''}`));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      services[name] = (server.address() as AddressInfo).port;
      servers.push(server);
    }
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  const lines = () => [
    `localhost:${services.named}`,
    `allowed.test:${services.named}`,
    `127.0.0.1:${services.named}`,
    'rebound.test',
    'metadata.test',
    '*',
  ];

  /** What each attempt came to. */
  async function attempt(script: string, more: readonly string[] = lines()) {
    const answer = await way.run({
      run: [
        'node',
        '-e',
        `${ATTEMPTS};(async () => { console.log(JSON.stringify(await (${script})())); process.exit(0); })()`,
      ],
      network: { lines: more, names },
    });
    if (answer.code !== 0) throw new Error(`${answer.stderr}\n${answer.stdout}`);
    return { found: JSON.parse(answer.stdout) as Record<string, unknown>, ledger: answer.ledger! };
  }

  it('is found to be possible by trying it', async () => {
    const probed = await way.stand.answer({ how: 'probe', network: { lines: [] } });
    expect(probed).toMatchObject({ kind: 'isolated', privilege: way.how, network: 'closed' });
  });

  it('reaches a service of the runner under the same address, if it is named', async () => {
    const { found, ledger } = await attempt(`async () => ({
      v4: await ask('GET /a HTTP/1.0\\r\\n\\r\\n', { port: ${services.named}, host: '127.0.0.1' }),
      name: await ask('GET /b HTTP/1.0\\r\\n\\r\\n', { port: ${services.named}, host: 'localhost' }),
      proxied: await ask('GET http://localhost:${services.named}/c HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'),
      unnamed: await tcp({ port: ${services.unnamed}, host: '127.0.0.1' }),
    })`);
    expect(found).toEqual({
      v4: expect.stringMatching(/named\/a$/),
      name: expect.stringMatching(/named\/b$/),
      proxied: expect.stringMatching(/named\/c$/),
      unnamed: 'ECONNREFUSED',
    });
    expect(ledger.allowed).toEqual([
      expect.objectContaining({ host: `localhost:${services.named}`, count: 3 }),
    ]);
  });

  it('has no other way out: no route, no names, no raw sockets, no host loopback, over IPv4 and IPv6', async () => {
    const { found } = await attempt(`async () => ({
      address: await tcp({ port: 443, host: '192.0.2.1' }),
      address6: await tcp({ port: 443, host: '2001:db8::1' }),
      metadata: await tcp({ port: 80, host: '169.254.169.254' }),
      udp: await udp(53, '192.0.2.1', 'udp4'),
      udp6: await udp(53, '2001:db8::1', 'udp6'),
      name: await dns.lookup('example.com').then(() => 'resolved', (error) => error.code),
      resolver: await dns.resolve4('example.com').then(() => 'resolved', () => 'failed'),
      hostLoopback: await tcp({ port: ${services.unnamed}, host: '127.0.0.1' }),
      interfaces: Object.keys(require('node:os').networkInterfaces()),
      raw: shell('ping -c 1 -W 1 192.0.2.1 && echo reached'),
      routes: fs.readFileSync('/proc/self/net/route', 'utf8').trim().split('\\n').length,
      addRoute: shell('ip route add default dev lo && echo added'),
      addLink: shell('ip link add dummy0 type dummy && echo added'),
      otherNamespace: shell('nsenter --net=/proc/1/ns/net true && echo entered'),
    })`);
    expect(found).toEqual({
      address: 'ENETUNREACH',
      address6: expect.stringMatching(/^(ENETUNREACH|EADDRNOTAVAIL|EHOSTUNREACH)$/),
      metadata: 'ENETUNREACH',
      udp: 'ENETUNREACH',
      udp6: expect.stringMatching(/^(ENETUNREACH|EADDRNOTAVAIL|EHOSTUNREACH|EAFNOSUPPORT)$/),
      name: expect.stringMatching(/^(EAI_AGAIN|ENOTFOUND)$/),
      resolver: 'failed',
      hostLoopback: 'ECONNREFUSED',
      interfaces: ['lo'],
      raw: 'failed',
      routes: 1,
      addRoute: 'failed',
      addLink: 'failed',
      otherNamespace: 'failed',
    });
  });

  it('gets past the proxy with no spelling, name or port', async () => {
    const port = services.unnamed;
    const { found, ledger } = await attempt(`async () => ({
      address: await status(connect('127.0.0.1:${port}')),
      number: await status(connect('2130706433:${port}')),
      mapped: await status(connect('[::ffff:127.0.0.1]:${port}')),
      v6: await status(connect('[::1]:${port}')),
      metadata: await status(connect('169.254.169.254:80')),
      metadataName: await status(connect('metadata.test:80')),
      rebound: await status(connect('rebound.test:443')),
      ssh: await status(connect('example.com:22')),
      plain: await status(ask('GET http://127.0.0.1:${port}/ HTTP/1.1\\r\\nHost: allowed.test\\r\\n\\r\\n')),
      smuggled: await ask('POST http://localhost:${services.named}/x HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 4\\r\\n' +
        'Transfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nGET http://127.0.0.1:${port}/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'),
    })`);
    const { smuggled, ...refused } = found;
    expect(new Set(Object.values(refused))).toEqual(new Set(['403']));
    expect(smuggled).not.toContain('unnamed');
    expect(ledger.refused.map(({ host }) => host)).toEqual(
      expect.arrayContaining([`127.0.0.1:${port}`, 'metadata.test:80', 'example.com:22']),
    );
  });

  it('is stopped at a host that only looks like an allowed one', async () => {
    const { found, ledger } = await attempt(
      `async () => ({
        longer: await status(connect('allowed.test.evil.test:443')),
        similar: await status(connect('notallowed.test:443')),
        ip: await status(connect('192.0.2.1:443')),
      })`,
      ['allowed.test', '*.allowed.test'],
    );
    expect(Object.values(found)).toEqual(['403', '403', '403']);
    expect(ledger.refused.map(({ allow }) => allow)).toEqual([
      'allowed.test.evil.test',
      'notallowed.test',
      '',
    ]);
  });

  it('gains nothing by NO_PROXY, by ending the forwarder, or by its folder', async () => {
    const { found } = await attempt(`async () => {
      const curl = 'curl -s -m 3 -o /dev/null -w "%{http_code}" ';
      const others = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid);
      const canRead = (path) => { try { fs.readdirSync(path); return true; } catch { return false; } };
      // What the forwarder has open, and what is above it, must be what we see at the same path.
      const opened = (pid) => {
        const all = ['cwd', 'root'];
        try { all.push(...fs.readdirSync('/proc/' + pid + '/fd').map((fd) => 'fd/' + fd)); } catch {}
        return all.map((link) => '/proc/' + pid + '/' + link).filter(canRead);
      };
      const inode = (path) => { const { dev, ino } = fs.statSync(path); return dev + ':' + ino; };
      const elsewhere = (path) => {
        try {
          const own = fs.realpathSync(path);
          return inode(path) !== inode(own) || inode(path + '/..') !== inode(own + '/..');
        } catch { return true; }
      };
      const early = others.flatMap(opened);
      const hidden = early.filter(elsewhere);
      await status(connect('192.0.2.1:443'));
      // Nor must the folder that it goes to when somebody connects.
      const seen = others.flatMap((pid) => ['cwd', 'root'].map((link) => '/proc/' + pid + '/' + link))
        .filter(canRead).flatMap((path) => { try { return [fs.realpathSync(path)]; } catch { return []; } });
      const socket = seen.find((path) => path !== '/');
      const above = socket === undefined ? [] : fs.readdirSync(socket + '/..');
      const direct = await ask('CONNECT 127.0.0.1:${services.unnamed} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n',
        { path: socket + '/proxy' });
      for (const pid of others) try { process.kill(Number(pid), 'SIGKILL'); } catch {}
      await new Promise((done) => setTimeout(done, 200));
      return {
        early: early.length > 0, hidden, above, direct: direct.slice(0, 12),
        noProxy: ${existsSync('/usr/bin/curl')} ? shell('NO_PROXY="*" no_proxy="*" ' + curl + 'http://192.0.2.1/') : 'failed',
        afterwards: await tcp({ port: 443, host: '192.0.2.1' }),
        proxyGone: await tcp({ port: Number(new URL(process.env.HTTPS_PROXY).port), host: '127.0.0.1' }),
      };
    }`);
    expect(found).toMatchObject({
      // In a user namespace the forwarder is out of reach, so its folder is not found this way.
      direct: way.how === 'user-namespace' ? 'ENOENT' : expect.stringMatching(/^HTTP\/1\.1 403/),
      noProxy: 'failed',
      afterwards: 'ENETUNREACH',
      early: way.how !== 'user-namespace',
      hidden: [],
    });
    // The run's own folder is hidden, but for what is shown on purpose.
    expect(found['above']).not.toContain('control');
    expect(found['above']).not.toContain('layer');
  });

  it('does not see abstract sockets of the machine, nor the proxy of the job', async () => {
    const answer = await way.run({
      run: [
        'node',
        '-e',
        `${ATTEMPTS}; console.log(JSON.stringify({
        abstract: fs.readFileSync('/proc/self/net/unix', 'utf8').split('\\n').filter((line) => line.includes(' @')).length,
        proxies: Object.entries(process.env).filter(([name]) => /proxy/i.test(name)),
      }))`,
      ],
      env: {
        HTTPS_PROXY: 'http://me:secret@proxy.test:1',
        all_proxy: 'http://me:secret@proxy.test:1',
        NO_PROXY: '*',
      },
      network: { lines: [] },
    });
    expect(answer.stderr).toBe('');
    const { abstract: seen, proxies } = JSON.parse(answer.stdout) as {
      abstract: number;
      proxies: [string, string][];
    };
    expect(seen).toBe(0);
    expect(JSON.stringify(proxies)).not.toContain('secret');
    expect(Object.fromEntries(proxies)).toEqual({
      HTTP_PROXY: 'http://127.0.0.1:3128',
      HTTPS_PROXY: 'http://127.0.0.1:3128',
      http_proxy: 'http://127.0.0.1:3128',
      https_proxy: 'http://127.0.0.1:3128',
      NO_PROXY: 'localhost,127.0.0.1,::1',
      no_proxy: 'localhost,127.0.0.1,::1',
      NODE_USE_ENV_PROXY: '1',
    });
  });
});
