import * as z from 'zod/mini';
import { isSafeAddress } from '../core/address.js';
import { RunFailure } from '../core/failure.js';
import { wrongInput, type InputProblem } from '../core/input-shapes.js';
import { parseJson } from '../text/json.js';

/**
 * What the agent signs in to Cursor with. Every command that the agent runs can read it. A token is made from the key
 * and expires, so a stolen one is soon worth nothing.
 */
export type Credential =
  | { kind: 'key'; key: string }
  /** `expiresAt` is in milliseconds since 1970. */
  | { kind: 'token'; token: string; expiresAt: number };

type CredentialChoice = 'auto' | 'token' | 'key';

/** One sentence for the log and the summary. */
export function describeCredential(credential: Credential): string {
  if (credential.kind === 'key') return 'The agent signs in with the API key itself.';
  const [date = '', time = ''] = new Date(credential.expiresAt).toISOString().split('T');
  return `The agent signs in with a token that expires on ${date} at ${time.slice(0, 5)} UTC. It does not get the API key.`;
}

const CURSOR_API = 'https://api2.cursor.sh';
/** Variables of the CLI that name another address of Cursor's API. The first one that is set wins. */
export const API_VARIABLES = ['CURSOR_API_ENDPOINT', 'CURSOR_API_BASE_URL'] as const;

export const givenApi = (env: NodeJS.ProcessEnv) =>
  API_VARIABLES.map((name) => ({ name, address: (env[name] ?? '').trim() })).find(
    ({ address }) => address !== '',
  );

/** The key and the token travel to this address, so no server in between may read them. */
export function apiProblems(env: NodeJS.ProcessEnv): InputProblem[] {
  const given = givenApi(env);
  if (!given || isSafeAddress(given.address)) return [];
  const message =
    'this variable of the job names where the API key is sent; ' +
    'use an https:// address (http:// only on this machine), or remove it.';
  return [{ input: given.name, message }];
}

/** Where a key is exchanged for a token. */
export function exchangeAddress(env: NodeJS.ProcessEnv): string {
  const url = new URL(givenApi(env)?.address ?? CURSOR_API);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/auth/exchange_user_api_key`;
  [url.search, url.hash] = ['', ''];
  return url.href;
}

/** What the server answered. */
export interface ExchangeAnswer {
  status: number;
  contentType: string;
  body: string;
  /** Whether the body is longer than what was read of it. */
  isCut: boolean;
}

/** What came of an exchange. `why` completes the sentence "The API key was not exchanged for a token: …". */
export type Exchange =
  | { kind: 'token'; credential: Extract<Credential, { kind: 'token' }>; secrets: string[] }
  /** Cursor says that this key is not good. */
  | { kind: 'refused'; why: string }
  /** Cursor was not reached, or is not able to answer now. It says nothing about the key. */
  | { kind: 'unavailable'; why: string }
  /** An answer that this version does not know. */
  | { kind: 'unknown'; why: string };

/** These are about the address or the way to it, not about the key: a mirror without the exchange, a proxy, a limit. */
const NOT_ABOUT_THE_KEY = [404, 405, 407, 410, 413, 421, 426, 431, 451];
const MAY_PASS = [408, 425, 429];

/** Reads the answer of the server at this address. */
export function readExchange(answer: ExchangeAnswer, address: string, now: number): Exchange {
  const { status, contentType, body } = answer;
  const server = new URL(address).host;
  const unknown = (what: string): Exchange => ({ kind: 'unknown', why: `${server} ${what}` });
  if (status >= 500 || MAY_PASS.includes(status))
    return { kind: 'unavailable', why: `${server} answered with status ${status}` };
  if (status >= 300 && status < 400)
    return unknown(`redirects to another address (status ${status}), which must not get the key`);
  // An API does not answer with a web page. A proxy or a firewall does.
  if (/\bhtml\b/i.test(contentType)) return unknown(`answered with a web page (status ${status})`);
  if (status >= 400 && !NOT_ABOUT_THE_KEY.includes(status))
    return { kind: 'refused', why: refusal(answer, server) };
  if (status !== 200) return unknown(`answered with status ${status}`);
  if (answer.isCut) return unknown('answered with more text than a token needs');
  const parsed = AnswerSchema.safeParse(parseJson(body));
  if (!parsed.success) return unknown('answered with something that holds no token');
  const { accessToken, refreshToken } = parsed.data;
  const expiresAt = expiryOf(accessToken);
  if (expiresAt === undefined) return unknown('gave a token that does not say when it expires');
  if (expiresAt <= now) return unknown('gave a token that has expired; check the clock of this machine');
  return {
    kind: 'token',
    credential: { kind: 'token', token: accessToken, expiresAt },
    secrets: [accessToken, ...(refreshToken === undefined ? [] : [refreshToken])],
  };
}

const refusal = ({ status, body }: ExchangeAnswer, server: string): string =>
  status === 403 && body.includes('sign_in_policy_violation')
    ? 'The sign-in policy of the team behind the API key does not allow it (status 403, sign_in_policy_violation).'
    : `${server} refused the API key (status ${status}). It must be a user API key, as Cursor’s dashboard creates them.`;

/** It becomes an environment variable and a mask of the runner, so it can only contain visible ASCII characters. */
const secret = z.string().check(z.regex(/^[!-~]+$/));
const AnswerSchema = z.object({ accessToken: secret, refreshToken: z.optional(secret) });
/** By the JWT standard in seconds. The last moment that a `Date` can hold is the limit. */
const ClaimsSchema = z.object({ exp: z.number().check(z.gt(0), z.lt(8.64e12)) });

/** When a JWT expires; undefined if the token is none, or does not say. Its signature is for Cursor to check. */
function expiryOf(token: string): number | undefined {
  const [, claims = '', signature] = token.split('.');
  if (signature === undefined) return undefined;
  const parsed = ClaimsSchema.safeParse(parseJson(Buffer.from(claims, 'base64url').toString('utf8')));
  return parsed.success ? parsed.data.exp * 1000 : undefined;
}

/** For the end of the process, and for a clock that differs from Cursor's. */
const SPARE_MS = 60_000;

/** Whether this credential is valid for a run of this length that starts now. A key does not expire. */
export const isLasting = (credential: Credential, ms: number, now: number): boolean =>
  credential.kind === 'key' || now + ms + SPARE_MS <= credential.expiresAt;

export interface CredentialDecision {
  choice: Exclude<CredentialChoice, 'key'>;
  key: string;
  /** Commands can read what the agent signs in with, so an agent that may run some never gets the key by default. */
  mayRunCommands: boolean;
  /** How long the agent may run. */
  ms: number;
  now: number;
}

/** A credential, the secrets that became known with it, and what to warn about. */
export interface Granted {
  credential: Credential;
  secrets: readonly string[];
  notes: readonly string[];
}

/** What the agent gets after an exchange. Throws if the run has to end. */
export function grantAfter(exchange: Exchange, decision: CredentialDecision): Granted {
  const { choice, key, mayRunCommands, ms, now } = decision;
  const mayHaveKey = choice === 'auto' && !mayRunCommands;
  if (exchange.kind === 'refused') throw new RunFailure('auth', exchange.why);
  if (exchange.kind !== 'token') {
    const why = `The API key was not exchanged for a token: ${exchange.why}.`;
    if (!mayHaveKey) throw new RunFailure('network', `${why} ${mayRunCommands ? NO_KEY : WITH_AUTO}`);
    return withKey(key, `${why} So the agent has the key.`);
  }
  const { credential, secrets } = exchange;
  if (isLasting(credential, ms, now)) return { credential, secrets, notes: [] };
  const needed = Math.ceil(ms / MINUTE_MS);
  const life = minutes(credential.expiresAt - now);
  const most = minutes(credential.expiresAt - now - SPARE_MS);
  const remedy =
    most < 1
      ? 'check the clock of this machine, or ask the operator of the proxy or mirror'
      : `set timeout-minutes to at most ${most}`;
  if (!mayHaveKey) {
    const message =
      `the token expires in ${life} min, and the agent may run for ${needed} min; ${remedy}, or use ` +
      (mayRunCommands
        ? 'credential: key, if its commands may read the key, which does not expire.'
        : 'credential: auto.');
    throw wrongInput('credential', message);
  }
  const note =
    `The agent has the API key, because a token expires in ${life} min and the agent may run for ` +
    `${needed} min. To give it a token, ${remedy}.`;
  return withKey(key, note);
}

const WITH_AUTO = 'With `credential: auto` the agent would get the key.';
const NO_KEY =
  'This agent may run commands, and they could read the key, so it does not get it. Run it again later; if you accept ' +
  'that commands can read the key, set `credential: key`.';

const withKey = (key: string, note: string): Granted => ({
  credential: { kind: 'key', key },
  secrets: [],
  notes: [note],
});

const MINUTE_MS = 60_000;
const minutes = (ms: number): number => Math.floor(ms / MINUTE_MS);
