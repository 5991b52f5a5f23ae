import { describe, expect, it } from '@jest/globals';
import { mcpSecrets, parseMcpConfig } from '../../src/agent/mcp.js';
import { INPUT_NAMES, type RawInputs } from '../../src/run/inputs.js';
import { looksSecret } from '../../src/agent/environment.js';
import { findSecrets, masksFor } from '../../src/run/secrets.js';

describe('looksSecret', () => {
  it.each([
    ...['API_KEY', 'NPM_TOKEN', 'CLIENT_SECRET', 'PGPASSWORD', 'DB_PASSWD', 'AWS_CREDENTIALS', 'NPM_AUTH'],
    ...[
      'PRIVATE_PEM',
      'SENTRY_DSN',
      'MYSQL_PWD',
      'DB_PASS',
      'GITLAB_PAT',
      'apiKey',
      'SLACK_WEBHOOK',
      'COOKIE',
    ],
  ])('%s', (name) => {
    expect(looksSecret(name)).toBe(true);
  });

  it.each(['PATH', 'AUTHOR', 'COMMIT_AUTHOR', 'NODE_ENV', 'PWD', 'COMPASS', 'PATTERN', 'REGION'])(
    'not %s',
    (name) => {
      expect(looksSecret(name)).toBe(false);
    },
  );
});

describe('findSecrets', () => {
  const raw = (given: Partial<RawInputs>): RawInputs => ({
    ...(Object.fromEntries(INPUT_NAMES.map((name) => [name, ''])) as RawInputs),
    ...given,
  });

  it('takes values behind names that look secret, and passwords in addresses', () => {
    const env = {
      NPM_TOKEN: 'npm-token-1',
      AUTH_MODE: 'on',
      REGION: 'eu-central',
      DATABASE_URL: 'postgres://u:pass-word%201@h/d',
      HTTPS_PROXY: 'http://u:proxy-pass@proxy:80',
      UNPASSED_TOKEN: 'not-passed-1',
    };
    const given = {
      'api-key': 'key',
      'github-token': 'token',
      'pass-env': 'NPM_TOKEN, AUTH_MODE\nREGION\nDATABASE_URL',
    };
    expect(findSecrets(raw(given), env)).toEqual([
      ...['key', 'token', 'npm-token-1', 'pass-word%201', 'pass-word 1', 'proxy-pass'],
    ]);
  });

  it('finds none where there are none', () => {
    expect(findSecrets(raw({}), {})).toEqual([]);
    // The message about it could not say what to write.
    expect(findSecrets(raw({ 'api-key': 'CURSOR_API_KEY' }), {})).toEqual([]);
    expect(masksFor([])).toEqual([]);
  });

  it('masks a secret and its lines, but no line too short to be one', () => {
    expect(masksFor(['{\nsecret-line\n}'])).toEqual(['{\nsecret-line\n}', 'secret-line']);
  });
});

describe('mcpSecrets', () => {
  it('takes values of env and headers, and what arguments and addresses carry', () => {
    const config = {
      mcpServers: {
        a: {
          command: 'x',
          args: ['--token=t-1', '--api-key', 'k-2', '--verbose', 'v'],
          env: { A: 'e-3', B: '${env:B}' },
        },
        b: { url: 'https://u:p-4@h/?api_key=q-5&page=2', headers: { Authorization: 'Bearer h-6' } },
      },
    };
    const parsed = parseMcpConfig(JSON.stringify(config));
    expect('config' in parsed && mcpSecrets(parsed.config)).toEqual([
      ...['e-3', 't-1', 'k-2', 'Bearer h-6', 'h-6', 'p-4', 'q-5'],
    ]);
  });
});
