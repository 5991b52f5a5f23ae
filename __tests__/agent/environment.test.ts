import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { buildEnvironment, isForbiddenForAgent } from '../../src/agent/environment.js';

const request = { home: '/home', temp: '/temp', passEnv: [] as string[] };

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
          expect(name).toMatch(
            /^(PATH|LANG|LC_[A-Z]+|TZ|HTTPS?_PROXY|NO_PROXY|ALL_PROXY|SSL_CERT_(FILE|DIR))$/,
          );
        }
      }),
    );
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
