import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { planInstall } from '../../../src/agent/install/plan.js';
import { platformOf } from '../../../src/agent/install/platform.js';
import { RELEASES } from '../../../src/agent/install/release.js';
import { checkVersion } from '../../../src/agent/install/version-check.js';
import { createFixture, failureOf, type Fixture } from './install-fixture.js';

const VERSION = '2026.10.01-e373342';
const plan = planInstall(
  { agent: 'cursor', version: VERSION, cache: true },
  RELEASES.cursor,
  platformOf('cursor', { system: 'linux', arch: 'x64' }),
);

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
  mkdirSync(fixture.scratch);
});
afterEach(() => {
  fixture.remove();
});

function check(script: string, changes: Partial<Fixture['io']> = {}): Promise<void> {
  const program = join(fixture.root, 'cursor-agent');
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return checkVersion({ program, plan, scratch: fixture.scratch }, { ...fixture.io, ...changes });
}

describe('checkVersion', () => {
  it.each([`echo ${VERSION}`, `echo cursor-agent v${VERSION}; echo more`, `printf ' ${VERSION}\r\n'`])(
    'accepts %s',
    async (script) => {
      await check(script);
    },
  );

  it.each([
    ['another version', 'echo 2026.09.10-fd3934a', /asked for, but .* calls itself "2026.09.10-fd3934a"/],
    ['a longer version', `echo ${VERSION}9`, /calls itself/],
    ['no version', 'true', /calls itself ""/],
    ['a failure', 'echo broken pipe >&2; exit 3', /exit code 3 and said "broken pipe"/],
    ['a crash', 'kill -SEGV $$', /ended by SIGSEGV/],
    ['a flood', 'head -c 200000 /dev/zero | tr "\\0" x', /calls itself/],
  ])('refuses %s', async (_, script, message) => {
    const failure = await failureOf(check(script));
    expect(failure).toMatchObject({ reason: 'install-failed' });
    expect(String(failure)).toMatch(message);
  });

  it('does not wait for ever, and ends what was started', async () => {
    const file = join(fixture.root, 'pid');
    const failure = await failureOf(check(`sleep 600 & echo $! > ${file}; wait`, { versionMs: 700 }));
    expect(String(failure)).toMatch(/did not answer within 0.7 s/);
    const pid = Number(readFileSync(file, 'utf8'));
    // A killed process stays a moment, as a zombie at least.
    while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('says so when it cannot be started', async () => {
    const program = join(fixture.root, 'missing');
    const failure = await failureOf(checkVersion({ program, plan, scratch: fixture.scratch }, fixture.io));
    expect(String(failure)).toMatch(/could not be started/);
  });

  it('gives it none of our environment and a home of its own, with updates off', async () => {
    const file = join(fixture.root, 'seen');
    await check(`{ env; cat "$HOME/.cursor/cli-config.json"; } > ${file}; echo ${VERSION}`, {
      env: {
        PATH: process.env['PATH'],
        GITHUB_TOKEN: 'secret',
        INPUT_X: 'secret',
        ACTIONS_RUNTIME_TOKEN: 'secret',
      },
    });
    const seen = readFileSync(file, 'utf8');
    expect(seen).not.toContain('secret');
    expect(seen).toContain('"channel":"static"');
    expect(seen).toContain(`HOME=${join(fixture.scratch, 'version-home')}`);
    expect(existsSync(join(fixture.scratch, 'version-home'))).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
