import { beforeEach, describe, expect, it } from '@jest/globals';
import { findNewest } from '../../src/install/install.js';
import { RELEASES } from '../../src/install/release.js';
import { redirect, serve, startServer, status, type FileServer } from './file-server.js';
import { createFixture, failureOf, type Fixture } from './install-fixture.js';

let server: FileServer;
let fixture: Fixture;
beforeEach(async () => {
  server = await startServer();
  fixture = createFixture();
});

const script = (...versions: string[]) =>
  [
    '#!/usr/bin/env bash',
    'touch /tmp/install-script-was-run',
    ...versions.map(
      (version) =>
        `URL="https://downloads.cursor.com/lab/${version}/\${OS}/\${ARCH}/agent-cli-package.tar.gz"`,
    ),
  ].join('\n');
const newest = (agent: 'cursor' | 'clido') =>
  findNewest(RELEASES[agent], `${server.url}/{version}`, fixture.io);

describe('the newest Cursor CLI', () => {
  it.each(['2026.11.02-abcdef0', '2026.11.02-10-20-30-abcdef0'])(
    '%s is read from the script',
    async (version) => {
      server.answer(serve(script(version, version)));
      expect(await newest('cursor')).toBe(version);
      expect(server.asked).toEqual(['/install']);
    },
  );

  it('is found after a passing failure', async () => {
    server.answer(status(503), serve(script('2026.11.02-abcdef0')));
    expect(await newest('cursor')).toBe('2026.11.02-abcdef0');
    expect(fixture.waits).toEqual([2_000]);
  });

  it.each([
    ['no version', script(), /no version could be read/],
    ['a version that leads elsewhere', script('../../evil'), /no version could be read/],
    ['a shell command for a version', script('$(curl evil)'), /no version could be read/],
    ['two versions', script('2026.11.02-abcdef0', '2026.11.03-abcdef0'), /several versions/],
    ['a page that is far too long', 'x'.repeat(2_000_000), /larger than 1048576 bytes/],
  ])('%s is a clear failure', async (_, text, message) => {
    server.answer(serve(text));
    const failure = await failureOf(newest('cursor'));
    expect(failure).toMatchObject({ reason: 'install-failed' });
    expect(String(failure)).toMatch(message);
    expect(String(failure)).toContain('Set cli-version to an exact version');
  });

  it('that is not there is a clear failure', async () => {
    server.answer(status(404));
    expect(String(await failureOf(newest('cursor')))).toMatch(/\/install: the server answered 404/);
    expect(server.asked).toHaveLength(1);
  });
});

describe('the newest clido', () => {
  it('is in the address that the releases page redirects to, which is not requested', async () => {
    server.answer(redirect('https://github.com/clido-ai/clido-cli/releases/tag/v1.2.3'));
    expect(await newest('clido')).toBe('1.2.3');
    expect(server.asked).toEqual(['/clido-ai/clido-cli/releases/latest']);
  });

  it.each([
    ['a page', serve('<html>')],
    ['a redirect to a login', redirect('https://github.com/login')],
  ])('%s is a clear failure', async (_, answer) => {
    server.answer(answer);
    expect(await failureOf(newest('clido'))).toMatchObject({ reason: 'install-failed' });
  });
});
