import { beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { reasonOf } from '../../src/core/errors.js';
import {
  HttpStatus,
  Refused,
  download,
  trackProgress,
  waitBeforeDownload,
} from '../../src/install/download.js';
import {
  cut,
  redirect,
  serve,
  serveUnmeasured,
  silence,
  stall,
  startServer,
  status,
  type Answer,
  type FileServer,
} from './file-server.js';
import { createFixture, failureOf, type Fixture } from './install-fixture.js';

const BODY = Buffer.from('the archive, byte by byte '.repeat(20_000));
const SHA256 = createHash('sha256').update(BODY).digest('hex');

let server: FileServer;
let fixture: Fixture;
let target: string;

beforeEach(async () => {
  server = await startServer();
  fixture = createFixture({ stallMs: 300 });
  mkdirSync(fixture.scratch);
  target = join(fixture.scratch, 'archive');
});

const get = (expectedBytes?: number) =>
  download({ url: `${server.url}/cli.tar.gz`, target, expectedBytes }, fixture.io);

describe('a download that works', () => {
  it('is on disk, hashed and measured', async () => {
    server.answer(serve(BODY));
    expect(await get()).toEqual({ sha256: SHA256, bytes: BODY.length });
    expect(readFileSync(target).equals(BODY)).toBe(true);
    expect(server.asked).toEqual(['/cli.tar.gz']);
  });

  it.each<[string, Answer[], number[]]>([
    ['a 408', [status(408), serve(BODY)], [2_000]],
    ['a 429 that says when', [status(429, { 'retry-after': '31' }), serve(BODY)], [31_000]],
    ['several 5xx', [status(500), status(502), status(503), serve(BODY)], [2_000, 6_000, 18_000]],
    ['a cut connection', [cut(BODY), serve(BODY)], [2_000]],
    [
      'a connection cut in the middle of an unmeasured one',
      [serveUnmeasured(BODY.subarray(9)), serve(BODY)],
      [2_000],
    ],
    ['a server that stalls', [stall(BODY), serve(BODY)], [2_000]],
    ['a server that says nothing', [silence, serve(BODY)], [2_000]],
  ])('comes after %s', async (_, answers, waits) => {
    server.answer(...answers);
    expect(await get(BODY.length)).toEqual({ sha256: SHA256, bytes: BODY.length });
    expect(readFileSync(target).equals(BODY)).toBe(true);
    expect(fixture.waits).toEqual(waits);
    expect(fixture.said.filter((line) => line.includes('Trying again'))).toHaveLength(waits.length);
  });

  it('follows redirects on this machine', async () => {
    server.answer(redirect('/elsewhere'), redirect(`${server.url}/there`), serve(BODY));
    expect((await get()).sha256).toBe(SHA256);
    expect(server.asked).toEqual(['/cli.tar.gz', '/elsewhere', '/there']);
  });

  it('reports its progress if it is slow', async () => {
    let clock = 0;
    fixture = createFixture({ now: () => (clock += 3_000), stallMs: 5_000 });
    mkdirSync(fixture.scratch);
    target = join(fixture.scratch, 'archive');
    server.answer(serve(BODY));
    await get();
    expect(fixture.said.some((line) => /^ {2}\d+ % \(0\.\d of 0\.5 MB\), 0\.\d MB\/s$/.test(line))).toBe(
      true,
    );
  });
});

describe('a download that does not work', () => {
  it.each([404, 403, 401, 410])('%d is final at once, and leaves nothing', async (code) => {
    server.answer(status(code), serve(BODY));
    expect(await failureOf(get())).toMatchObject({ name: 'HttpStatus', status: code });
    expect(server.asked).toHaveLength(1);
    expect(fixture.waits).toEqual([]);
    expect(existsSync(target)).toBe(false);
  });

  it.each<[string, Answer, RegExp]>([
    ['keeps failing', status(500), /500/],
    ['keeps cutting', cut(BODY), /aborted|ECONNRESET/],
    ['keeps stalling', stall(BODY), /silent for 0.3 s/],
  ])('a server that %s is asked four times', async (_, answer, message) => {
    server.answer(answer);
    expect(String(await failureOf(get()))).toMatch(message);
    expect(server.asked).toHaveLength(4);
    expect(fixture.waits).toEqual([2_000, 6_000, 18_000]);
    expect(existsSync(target)).toBe(false);
  });

  it('does not wait for a server that wants an hour', async () => {
    server.answer(status(429, { 'retry-after': '3600' }));
    expect(String(await failureOf(get()))).toMatch(/429/);
    expect(server.asked).toHaveLength(1);
  });

  it.each(['http://example.com/x', 'http://192.0.2.1/x', 'file:///etc/passwd', 'ftp://localhost/x'])(
    'does not follow a redirect to %s',
    async (location) => {
      server.answer(redirect(location));
      expect(String(await failureOf(get()))).toMatch(/redirects to .*not https/);
      expect(server.asked).toHaveLength(1);
    },
  );

  it('does not follow redirects in a circle', async () => {
    server.answer(redirect('/again'));
    expect(String(await failureOf(get()))).toMatch(/more than 10 times/);
    expect(fixture.waits).toEqual([]);
  });

  it('tries again where nobody listens', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const address = probe.address();
    const port = typeof address === 'object' ? address?.port : 0;
    probe.close();
    const url = `http://127.0.0.1:${String(port)}/x`;
    expect(String(await failureOf(download({ url, target }, fixture.io)))).toMatch(/ECONNREFUSED/);
    expect(fixture.waits).toHaveLength(3);
  });
});

describe('a proxy', () => {
  it('that the environment names is asked for what is not on this machine', async () => {
    const before = process.env['https_proxy'];
    const connects: string[] = [];
    const proxy = createServer((socket) => {
      socket.once('data', (data) => {
        connects.push(data.toString('latin1').split('\r\n')[0] ?? '');
        socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      });
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = proxy.address();
    process.env['https_proxy'] =
      `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}`;
    try {
      await failureOf(download({ url: 'https://downloads.invalid/cli', target }, fixture.io));
      expect(connects[0]).toBe('CONNECT downloads.invalid:443 HTTP/1.1');
    } finally {
      if (before === undefined) delete process.env['https_proxy'];
      else process.env['https_proxy'] = before;
      proxy.close();
    }
  });
});

const NOW = Date.parse('2026-10-01T12:00:00Z');
const withCode = (code: string) => Object.assign(new Error('x'), { code });

describe('waitBeforeRetry', () => {
  it.each([408, 429, 500, 502, 503, 504, 599])('waits longer each time after %d, then gives up', (code) => {
    const error = new HttpStatus(code, '');
    expect([1, 2, 3, 4].map((failed) => waitBeforeDownload(error, failed, NOW))).toEqual([
      2_000,
      6_000,
      18_000,
      undefined,
    ]);
  });

  it.each([400, 401, 403, 404, 410, 304])('does not try again after %d', (code) => {
    expect(waitBeforeDownload(new HttpStatus(code, ''), 1, NOW)).toBeUndefined();
  });

  it.each(['ECONNRESET', 'ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'EAI_AGAIN', 'UND_ERR'])(
    'tries again after %s',
    (code) => {
      expect(waitBeforeDownload(withCode(code), 1, NOW)).toBe(2_000);
    },
  );

  it.each([
    'ENOSPC',
    'EACCES',
    'EROFS',
    'CERT_HAS_EXPIRED',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])('does not try again after %s', (code) => {
    expect(waitBeforeDownload(withCode(code), 1, NOW)).toBeUndefined();
  });

  it('does not try again what it refused itself', () => {
    expect(waitBeforeDownload(new Refused('no'), 1, NOW)).toBeUndefined();
  });

  it.each([
    ['7', 7_000],
    ['0', 0],
    ['Thu, 01 Oct 2026 12:01:30 GMT', 90_000],
    ['Thu, 01 Oct 2026 11:00:00 GMT', 0],
    ['soon', 2_000],
    ['301', undefined],
  ])('reads Retry-After: %s', (retryAfter, wait) => {
    expect(waitBeforeDownload(new HttpStatus(429, '', retryAfter), 1, NOW)).toBe(wait);
  });
});

describe('reasonOf', () => {
  it('uses the code of an error without a message', () => {
    expect(reasonOf(Object.assign(new Error(''), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
    expect(reasonOf('a string')).toBe('a string');
    expect(reasonOf(new Error('It ended.'))).toBe('It ended');
  });
});

describe('trackProgress', () => {
  it('reports every five seconds, with percent, megabytes and speed', () => {
    const progress = trackProgress(200_000_000, 0);
    expect(progress.line(10_000_000, 4_999)).toBeUndefined();
    expect(progress.line(50_000_000, 5_000)).toBe('  25 % (50.0 of 200.0 MB), 10.0 MB/s');
    expect(progress.line(60_000_000, 6_000)).toBeUndefined();
    expect(progress.line(120_000_000, 10_000)).toBe('  60 % (120.0 of 200.0 MB), 12.0 MB/s');
    expect(progress.done(200_000_000, 20_000)).toBe('Downloaded 200.0 MB, 10.0 MB/s');
  });

  it('has no percentage without a total, and no more than 100', () => {
    expect(trackProgress(undefined, 0).line(5_000_000, 5_000)).toBe('  5.0 MB, 1.0 MB/s');
    expect(trackProgress(10, 0).line(1_000_000, 5_000)).toContain('100 %');
  });
});
