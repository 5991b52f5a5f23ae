import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import {
  arrangePath,
  buildEnvironment,
  isForbiddenForAgent,
  pathNotes,
} from '../../src/agent/environment.js';

const request = { home: '/home', temp: '/temp', path: '/bin', passEnv: [] as string[] };

describe('buildEnvironment', () => {
  it('gives a home on Windows in all its names', () => {
    const env = buildEnvironment(request, { SystemRoot: 'C:\\Windows', USERNAME: 'me' }, 'win32');
    expect(env).toMatchObject({
      SystemRoot: 'C:\\Windows',
      USERPROFILE: '/home',
      TEMP: '/temp',
      TMP: '/temp',
    });
    expect(env).not.toHaveProperty('USERNAME');
  });

  it('lets nothing forbidden in, whatever is asked for', () => {
    const names = [
      'GITHUB_TOKEN',
      'ACTIONS_RUNTIME_TOKEN',
      'INPUT_API-KEY',
      'GH_TOKEN',
      'NODE_OPTIONS',
      'LD_PRELOAD',
      'GIT_DIR',
      'RUNNER_TEMP',
      'CURSOR_API_KEY',
      'CURSOR_AUTH_TOKEN',
    ];
    const ours = Object.fromEntries(names.map((name) => [name, 'canary']));
    expect(Object.values(buildEnvironment({ ...request, passEnv: names }, ours, 'linux'))).not.toContain(
      'canary',
    );
  });

  it('takes nothing that is not asked for', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[A-Z_]{1,12}$/), fc.constant('canary')), (ours) => {
        const env = buildEnvironment(request, ours, 'linux');
        const passed = Object.entries(env).filter(([, value]) => value === 'canary');
        for (const [name] of passed) {
          expect(name).toMatch(/^(LANG|LC_[A-Z]+|TZ|HTTPS?_PROXY|NO_PROXY|ALL_PROXY|SSL_CERT_(FILE|DIR))$/);
        }
      }),
    );
  });
});

describe('arrangePath', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'path-')));
  const [checkout, tools] = [join(folder, 'checkout'), join(folder, 'tools')];
  for (const each of [join(checkout, '.venv', 'bin'), tools]) mkdirSync(each, { recursive: true });
  symlinkSync(join(checkout, '.venv'), join(folder, 'link'), 'junction');
  const inCheckout = [
    join(checkout, '.venv', 'bin'),
    '',
    '.',
    join('node_modules', '.bin'),
    join(folder, 'link', 'bin'),
    join(checkout, 'missing'),
    `${checkout}${process.platform === 'win32' ? '\\' : '/'}`,
  ];

  it('moves what a pull request can write to the end, in its order', () => {
    const path = [...inCheckout.slice(0, 3), tools, ...inCheckout.slice(3), folder].join(delimiter);
    const search = arrangePath(path, [checkout]);
    expect(search.trusted.split(delimiter)).toEqual([tools, folder]);
    expect(search.whole.split(delimiter)).toEqual([tools, folder, ...inCheckout]);
    expect(search.last).toEqual(inCheckout);
    expect(pathNotes(search)).toEqual([expect.stringContaining(`${inCheckout[0]!}, (empty), ., `)]);
  });

  it('changes nothing else', () => {
    const path = [tools, folder, tools].join(delimiter);
    expect(arrangePath(path, [checkout])).toEqual({ trusted: path, whole: path, last: [] });
    expect(pathNotes(arrangePath(path, [checkout]))).toEqual([]);
  });

  (process.platform === 'win32' ? it.skip : it)('leaves no PATH that means the working directory', () => {
    const system = '/usr/sbin:/usr/bin:/sbin:/bin';
    expect(arrangePath(undefined, [checkout])).toEqual({ trusted: system, whole: system, last: [] });
    expect(arrangePath('', [checkout]).trusted).toBe(system);
    expect(arrangePath('.', [checkout])).toEqual({ trusted: system, whole: `${system}:.`, last: ['.'] });
  });

  it('is what the agent gets, whatever pass-env names', () => {
    const env = buildEnvironment(
      { ...request, passEnv: ['PATH', 'Path'] },
      { PATH: '/x', Path: '/x' },
      'win32',
    );
    expect([env['PATH'], env['Path']]).toEqual(['/bin', undefined]);
  });
});

describe('isForbiddenForAgent', () => {
  it.each([
    'github_token',
    'Actions_X',
    'INPUT_PROMPT',
    'ld_library_path',
    'DYLD_INSERT_LIBRARIES',
    'BASH_ENV',
    'RUNNER_WORKSPACE',
  ])('knows %s in any case', (name) => {
    expect(isForbiddenForAgent(name)).toBe(true);
  });
  it.each(['RUNNER_TRACKING_ID', 'GITLAB', 'MY_GITHUB_X', 'OPENAI_API_KEY', 'ENVIRONMENT'])(
    'leaves %s alone',
    (name) => {
      expect(isForbiddenForAgent(name)).toBe(false);
    },
  );
});
