import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  apiProblems,
  describeCredential,
  exchangeAddress,
  grantAfter,
  isLasting,
  readExchange,
  type Exchange,
  type ExchangeAnswer,
} from '../../src/agent/credential.js';
import { cursor } from '../../src/agent/cursor.js';
import { RunFailure } from '../../src/core/failure.js';

const NOW = Date.parse('2026-11-17T12:00:00Z');
const HOUR_S = 3600;
const MINUTE_MS = 60_000;
const ADDRESS = 'https://api.example/auth';
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (claims: unknown) => `${part({ alg: 'HS256' })}.${part(claims)}.c2lnbmF0dXJl`;
const inAnHour = jwt({ exp: NOW / 1000 + HOUR_S });
const answer = (given: Partial<ExchangeAnswer>): ExchangeAnswer => ({
  ...{ status: 200, contentType: 'application/json; charset=utf-8', body: '', isCut: false },
  ...given,
});
const read = (given: Partial<ExchangeAnswer>) => readExchange(answer(given), ADDRESS, NOW);
const body = (value: unknown) => read({ body: JSON.stringify(value) });

describe('readExchange', () => {
  it('takes the token, its expiry, and both secrets', () => {
    expect(body({ accessToken: inAnHour, refreshToken: 'refresh', more: 1 })).toEqual({
      kind: 'token',
      credential: { kind: 'token', token: inAnHour, expiresAt: NOW + HOUR_S * 1000 },
      secrets: [inAnHour, 'refresh'],
    });
    expect(body({ accessToken: inAnHour })).toMatchObject({ kind: 'token', secrets: [inAnHour] });
  });

  it.each([400, 401, 402, 403, 418, 422])('takes %d for a refusal of the key', (status) => {
    expect(read({ status })).toEqual({
      kind: 'refused',
      why: `api.example refused the API key (status ${status}). It must be a user API key, as Cursor’s dashboard creates them.`,
    });
  });

  it('tells a policy of the team from a bad key', () => {
    const refused = read({ status: 403, body: '{"code":"sign_in_policy_violation"}' });
    expect(refused).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('sign-in policy'),
    });
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 599])('takes %d for something that may pass', (status) => {
    expect(read({ status }).kind).toBe('unavailable');
    expect(read({ status, contentType: 'text/html' }).kind).toBe('unavailable');
  });

  it.each<[string, Partial<ExchangeAnswer>, RegExp]>([
    ['a redirect', { status: 302 }, /redirects to another address/],
    ['an address without the exchange', { status: 404 }, /status 404/],
    ['a proxy that wants a password', { status: 407 }, /status 407/],
    ['the page of a firewall', { status: 403, contentType: 'text/html' }, /web page/],
    ['the page of a network login', { contentType: 'text/html', body: '<html>' }, /web page/],
    ['another success', { status: 204 }, /status 204/],
    ['no JSON', { body: 'OK' }, /holds no token/],
    ['other JSON', { body: '[]' }, /holds no token/],
    ['null', { body: 'null' }, /holds no token/],
    ['too much', { body: JSON.stringify({ accessToken: inAnHour }), isCut: true }, /more text/],
    ['a token that is no text', { body: '{"accessToken":{"a":1}}' }, /holds no token/],
    [
      'a token with a line break',
      { body: JSON.stringify({ accessToken: `${inAnHour}\nX=1` }) },
      /holds no token/,
    ],
    ['a token that is no JWT', { body: '{"accessToken":"crsr_abc"}' }, /when it expires/],
    ['a JWT of no JSON', { body: '{"accessToken":"a.b.c"}' }, /when it expires/],
    ['no expiry', { body: JSON.stringify({ accessToken: jwt({ iat: 1 }) }) }, /when it expires/],
    [
      'an expiry in words',
      { body: JSON.stringify({ accessToken: jwt({ exp: 'soon' }) }) },
      /when it expires/,
    ],
    [
      'an expiry beyond time',
      { body: JSON.stringify({ accessToken: jwt({ exp: 1e300 }) }) },
      /when it expires/,
    ],
    ['an expired token', { body: JSON.stringify({ accessToken: jwt({ exp: NOW / 1000 }) }) }, /has expired/],
  ])('does not know %s', (_, given, why) => {
    expect(read(given)).toEqual({ kind: 'unknown', why: expect.stringMatching(why) });
  });

  it('reads any answer without throwing, and repeats none of its text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), fc.string(), fc.json(), (status, type, json) => {
        const read = readExchange(
          answer({ status, contentType: type, body: `{"canary":${json}}` }),
          ADDRESS,
          NOW,
        );
        expect(read.kind).not.toBe('token');
        expect(JSON.stringify(read)).not.toContain('canary');
      }),
    );
  });
});

describe('grantAfter', () => {
  const decision = {
    ...{ choice: 'auto' as const, key: 'the-key', mayRunCommands: false },
    ...{ ms: 30 * MINUTE_MS, now: NOW },
  };
  const token: Exchange = {
    kind: 'token',
    credential: { kind: 'token', token: 't', expiresAt: NOW + 60 * MINUTE_MS },
    secrets: ['t'],
  };
  const failureOf = (exchange: Exchange, given: Partial<Parameters<typeof grantAfter>[1]> = {}) => {
    try {
      grantAfter(exchange, { ...decision, choice: 'token', ...given });
    } catch (error) {
      if (error instanceof RunFailure) return [error.reason, error.detail];
    }
    throw new Error('there is no failure');
  };

  it('is the token if it lasts for the whole run', () => {
    for (const choice of ['auto', 'token'] as const)
      expect(grantAfter(token, { ...decision, choice })).toEqual({
        credential: token.credential,
        secrets: ['t'],
        notes: [],
      });
  });

  it('is the key if the run may outlast the token, with a note that says what to do', () => {
    const granted = grantAfter(token, { ...decision, ms: 59.5 * MINUTE_MS });
    expect(granted.credential).toEqual({ kind: 'key', key: 'the-key' });
    expect(granted.notes).toEqual([
      expect.stringMatching(/may run for 60 min.*timeout-minutes to at most 59/),
    ]);
    expect(failureOf(token, { ms: 90 * MINUTE_MS })).toEqual([
      'invalid-input',
      expect.stringMatching(
        /^credential: the token expires in 60 min, .*at most 59, or use credential: auto/,
      ),
    ]);
  });

  it('does not advise a timeout of nothing', () => {
    const short = { ...token, credential: { ...token.credential, expiresAt: NOW + 1000 } } as Exchange;
    expect(grantAfter(short, decision).notes.join()).toMatch(/check the clock/);
  });

  it.each(['unavailable', 'unknown'] as const)(
    'is the key if the exchange is %s, and a failure with token',
    (kind) => {
      const granted = grantAfter({ kind, why: 'it rains' }, decision);
      expect(granted.credential).toEqual({ kind: 'key', key: 'the-key' });
      expect(granted.notes).toEqual([
        expect.stringMatching(/not exchanged for a token: it rains\. So the agent has/),
      ]);
      expect(failureOf({ kind, why: 'it rains' })).toEqual(['network', expect.stringContaining('it rains')]);
    },
  );

  it.each(['auto', 'token'] as const)(
    'is never the key for an agent that may run commands (%s)',
    (choice) => {
      const given = { choice, mayRunCommands: true };
      expect(grantAfter(token, { ...decision, ...given }).credential).toEqual(token.credential);
      for (const kind of ['unavailable', 'unknown'] as const)
        expect(failureOf({ kind, why: 'it rains' }, given)).toEqual([
          'network',
          expect.stringMatching(/it rains.*may run commands.*set `credential: key`/),
        ]);
      expect(failureOf(token, { ...given, ms: 90 * MINUTE_MS })).toEqual([
        'invalid-input',
        expect.stringMatching(/set timeout-minutes to at most 59, or use credential: key/),
      ]);
    },
  );

  it.each(['auto', 'token'] as const)('ends the run if the key is refused (%s)', (choice) => {
    expect(failureOf({ kind: 'refused', why: 'no.' }, { choice })).toEqual(['auth', 'no.']);
  });

  it('never shows the key', () => {
    expect(grantAfter({ kind: 'unknown', why: 'x' }, decision).notes.join()).not.toContain('the-key');
  });
});

describe('a credential', () => {
  const expiresAt = NOW + 60 * MINUTE_MS;

  it('is in exactly one variable', () => {
    const others = cursor.environment(undefined);
    expect(cursor.environment({ kind: 'key', key: 'k' })).toEqual({ ...others, CURSOR_API_KEY: 'k' });
    const token = { kind: 'token', token: 't', expiresAt } as const;
    expect(cursor.environment(token)).toEqual({ ...others, CURSOR_AUTH_TOKEN: 't' });
  });

  it('is described without its value', () => {
    expect(describeCredential({ kind: 'token', token: 'ttt', expiresAt })).toBe(
      'The agent signs in with a token that expires on 2026-11-17 at 13:00 UTC. It does not get the API key.',
    );
    expect(describeCredential({ kind: 'key', key: 'kkk' })).not.toContain('kkk');
  });

  it('lasts with a minute to spare, and a key always', () => {
    const token = { kind: 'token', token: 't', expiresAt } as const;
    expect(isLasting(token, 59 * MINUTE_MS, NOW)).toBe(true);
    expect(isLasting(token, 59 * MINUTE_MS + 1, NOW)).toBe(false);
    expect(isLasting({ kind: 'key', key: 'k' }, Infinity, NOW)).toBe(true);
  });
});

describe('the address of the exchange', () => {
  it.each([
    [{}, 'https://api2.cursor.sh/auth/exchange_user_api_key'],
    [{ CURSOR_API_ENDPOINT: ' ' }, 'https://api2.cursor.sh/auth/exchange_user_api_key'],
    [{ CURSOR_API_BASE_URL: 'https://m.example/' }, 'https://m.example/auth/exchange_user_api_key'],
    [
      { CURSOR_API_ENDPOINT: 'https://m.example/api/?a=b#c' },
      'https://m.example/api/auth/exchange_user_api_key',
    ],
    [
      { CURSOR_API_ENDPOINT: 'https://first.example', CURSOR_API_BASE_URL: 'https://second.example' },
      'https://first.example/auth/exchange_user_api_key',
    ],
  ])('follows the variables of the job: %j', (env, address) => {
    expect(apiProblems(env)).toEqual([]);
    expect(exchangeAddress(env)).toBe(address);
  });

  it('may be plain http on this machine only', () => {
    expect(apiProblems({ CURSOR_API_ENDPOINT: 'http://127.0.0.1:1' })).toEqual([]);
    for (const address of ['http://mirror.example', 'ftp://x', 'mirror', 'http://127.0.0.1.example'])
      expect(apiProblems({ CURSOR_API_BASE_URL: address })).toEqual([
        { input: 'CURSOR_API_BASE_URL', message: expect.stringContaining('https://') },
      ]);
  });
});
