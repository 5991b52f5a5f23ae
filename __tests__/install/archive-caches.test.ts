import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { actionsCache, copyVerified } from '../../src/install/archive-caches.js';
import { startCacheService } from './cache-service.js';
import { startServer, status, type FileServer } from './file-server.js';
import { createFixture, type Fixture } from './install-fixture.js';

const GOOD = Buffer.alloc(8 * 1024 * 1024, 'good');
const EVIL = Buffer.alloc(GOOD.length, 'evil');
const sha256 = createHash('sha256').update(GOOD).digest('hex');

let fixture: Fixture;
let source: string;
let target: string;
beforeEach(() => {
  fixture = createFixture();
  source = join(fixture.root, 'source');
  target = join(fixture.root, 'target');
});

describe('copyVerified', () => {
  it('copies the expected file', async () => {
    writeFileSync(source, GOOD);
    expect(await copyVerified(source, target, { sha256, bytes: GOOD.length })).toEqual({ kind: 'good' });
    expect(readFileSync(target).equals(GOOD)).toBe(true);
  });

  it('knows a file that is not there', async () => {
    expect(await copyVerified(source, target, { sha256 })).toEqual({ kind: 'absent' });
  });

  it('leaves no copy of another file, and says what its hash is', async () => {
    writeFileSync(source, EVIL);
    const copied = await copyVerified(source, target, { sha256 });
    expect(copied).toMatchObject({ kind: 'bad', why: expect.stringMatching(/its sha256 is [0-9a-f]{64}/) });
    expect(existsSync(target)).toBe(false);
  });

  it('does not read a file that is larger than expected', async () => {
    writeFileSync(source, Buffer.concat([GOOD, EVIL]));
    const copied = await copyVerified(source, target, { sha256, bytes: GOOD.length });
    expect(copied).toEqual({ kind: 'bad', why: `it is larger than ${GOOD.length} bytes` });
  });

  it.each<[string, () => void]>([
    [
      'a link',
      () => {
        symlinkSync('/dev/zero', source);
      },
    ],
    [
      'a folder',
      () => {
        mkdirSync(source);
      },
    ],
    ['a pipe', () => execFileSync('mkfifo', [source])],
  ])('does not read %s', async (_, plant) => {
    plant();
    const copied = await copyVerified(source, target, { sha256 });
    expect(copied).toEqual({ kind: 'bad', why: 'it is not a regular file' });
  });

  it('never passes another file as good, whenever the original is swapped', async () => {
    writeFileSync(source, GOOD);
    const started = performance.now();
    await copyVerified(source, target, { sha256 });
    const duration = performance.now() - started;
    const kinds = new Set<string>();
    for (let round = 0; round < 60; round += 1) {
      writeFileSync(source, GOOD);
      const copying = copyVerified(source, `${target}-${round}`, { sha256 });
      await sleep((duration * 2 * round) / 60);
      writeFileSync(source, EVIL);
      const { kind } = await copying;
      kinds.add(kind);
      if (kind === 'good') expect(readFileSync(`${target}-${round}`).equals(GOOD)).toBe(true);
      else expect(existsSync(`${target}-${round}`)).toBe(false);
      rmSync(`${target}-${round}`, { force: true });
    }
    // Some swaps came too early and some too late, so the moments in between were tested as well.
    expect([...kinds].sort()).toEqual(['bad', 'good']);
  });
});

describe('actionsCache', () => {
  const VARIABLES = [
    'ACTIONS_CACHE_URL',
    'ACTIONS_RESULTS_URL',
    'ACTIONS_RUNTIME_TOKEN',
    'RUNNER_TEMP',
    'GITHUB_WORKSPACE',
  ];

  let server: FileServer;
  let before: (readonly [string, string | undefined])[];

  beforeEach(() => {
    before = VARIABLES.map((name) => [name, process.env[name]]);
    for (const name of VARIABLES) Reflect.deleteProperty(process.env, name);
    process.env['RUNNER_TEMP'] = fixture.root;
    process.env['GITHUB_WORKSPACE'] = fixture.root;
  });
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  });

  /** The client reads its address from the real environment. */
  function use(service: FileServer): void {
    server = service;
    process.env['ACTIONS_CACHE_URL'] = `${service.url}/`;
    process.env['ACTIONS_RUNTIME_TOKEN'] = 'token';
  }

  /** What is printed during the work. */
  async function printed(work: () => Promise<unknown>): Promise<string> {
    const write = process.stdout.write;
    let text = '';
    process.stdout.write = (chunk: unknown) => {
      text += String(chunk);
      return true;
    };
    try {
      await work();
    } finally {
      process.stdout.write = write;
    }
    return text;
  }

  it('without a service finds nothing, stores nothing and prints nothing', async () => {
    const cache = actionsCache(process.env);
    const file = join(fixture.root, 'archive');
    const text = await printed(async () => {
      expect(await cache.restore(file, 'key')).toBe(false);
      await cache.save(file, 'key');
    });
    expect(text).toBe('');
  });

  it('returns what was stored, under its key only', async () => {
    use(await startCacheService());
    const cache = actionsCache(process.env);
    const file = join(fixture.root, 'archive');
    writeFileSync(file, 'the archive');
    await printed(async () => {
      await cache.save(file, 'key-1');
      rmSync(file);
      expect(await cache.restore(file, 'key-2')).toBe(false);
      expect(existsSync(file)).toBe(false);
      expect(await cache.restore(file, 'key-1')).toBe(true);
    });
    expect(readFileSync(file, 'utf8')).toBe('the archive');
  });

  it('with a broken service is a miss, without errors or warnings of the step', async () => {
    use(await startServer(status(400)));
    const cache = actionsCache(process.env);
    const file = join(fixture.root, 'archive');
    writeFileSync(file, 'x');
    const text = await printed(async () => {
      expect(await cache.restore(file, 'key')).toBe(false);
      await cache.save(file, 'key');
    });
    expect(server.asked.length).toBeGreaterThan(0);
    expect(text).toContain('::debug::Failed to restore');
    expect(text).not.toMatch(/::(error|warning)/);
  });

  it('with a service that does not answer is given up, and not asked again', async () => {
    const held: ServerResponse[] = [];
    use(await startServer((_, response) => void held.push(response)));
    const cache = actionsCache(process.env, 500);
    const file = join(fixture.root, 'archive');
    writeFileSync(file, 'x');
    const write = process.stdout.write;
    expect(await cache.restore(file, 'key')).toBe(false);
    await cache.save(file, 'key');
    // The first call still waits for its answer. Its annotations stay muted until then.
    expect(process.stdout.write).not.toBe(write);
    while (held.length === 0) await sleep(10);
    for (const response of held) response.writeHead(204).end();
    while (process.stdout.write !== write) await sleep(10);
    expect(held).toHaveLength(1);
  });
});
