import { describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTrial } from '../../src/try/trial.js';

const test = process.platform === 'win32' ? it.skip : it;

describe('the demo', () => {
  test('is committed without the settings of the user, so that none of their hooks run', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trial-'));
    const [scratch, hooks, canary] = ['scratch', 'hooks', 'canary'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const each of [scratch, hooks]) mkdirSync(each);
    writeFileSync(join(hooks, 'post-commit'), `#!/bin/sh\necho "$ACTIONS_RUNTIME_TOKEN" >'${canary}'\n`, {
      mode: 0o755,
    });
    writeFileSync(join(folder, '.gitconfig'), `[core]\n\thooksPath = ${hooks}\n`);
    const env = { HOME: folder, PATH: process.env['PATH'], ACTIONS_RUNTIME_TOKEN: 'token' };
    const request = { kind: 'demo', inputs: {}, open: false, verbose: false } as const;
    const { event } = makeTrial(request, {
      ...{ root: '.', scratch, here: folder, env, platform: process.platform },
    });
    const { before, after } = JSON.parse(readFileSync(event?.['GITHUB_EVENT_PATH'] ?? '', 'utf8')) as Record<
      string,
      string
    >;
    expect([before, after]).toEqual([
      expect.stringMatching(/^[0-9a-f]{40}$/),
      expect.stringMatching(/^[0-9a-f]{40}$/),
    ]);
    expect(existsSync(canary)).toBe(false);
  });
});
