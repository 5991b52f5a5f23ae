import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { actionsCache } from '../../src/install/install-io.js';
import { startCacheService } from './cache-service.js';
import { startServer, status, type FileServer } from './file-server.js';
import { createFixture, type Fixture } from './install-fixture.js';

const VARIABLES = [
  'ACTIONS_CACHE_URL',
  'ACTIONS_RESULTS_URL',
  'ACTIONS_RUNTIME_TOKEN',
  'RUNNER_TEMP',
  'GITHUB_WORKSPACE',
];

let fixture: Fixture;
let server: FileServer | undefined;
let before: (readonly [string, string | undefined])[];

beforeEach(() => {
  fixture = createFixture();
  before = VARIABLES.map((name) => [name, process.env[name]]);
  for (const name of VARIABLES) Reflect.deleteProperty(process.env, name);
  process.env['RUNNER_TEMP'] = fixture.root;
  process.env['GITHUB_WORKSPACE'] = fixture.root;
});
afterEach(async () => {
  for (const [name, value] of before) {
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
  await server?.close();
  server = undefined;
  fixture.remove();
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

describe('actionsCache', () => {
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
    expect(server?.asked.length).toBeGreaterThan(0);
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
