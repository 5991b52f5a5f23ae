import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  exchangeAddress,
  grantAfter,
  isLasting,
  readExchange,
  type Credential,
  type CredentialDecision,
  type Exchange,
  type ExchangeAnswer,
  type Granted,
} from '../agent/credential.js';
import { unlessAborted } from '../core/abort.js';
import { reasonOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import type { Inputs } from './inputs.js';
import type { Invocation } from './run-state.js';

/**
 * Returns a credential for an agent that may run for this long: the last one if it lasts, otherwise a new one. Nothing
 * for an agent that does not sign in to Cursor.
 */
export type SignIn = (ms?: number) => Promise<Credential | undefined>;

interface SigningIn extends Pick<CredentialDecision, 'mayRunCommands'> {
  inputs: Pick<Inputs, 'agent' | 'apiKey' | 'credential' | 'timeoutMinutes'>;
}

/**
 * Begins at once to get a credential that lasts for `timeout-minutes`. `accept` gets each new one when it is asked for,
 * so that the order in the log does not depend on how fast Cursor answers.
 */
export function openSignIn(
  { inputs, mayRunCommands }: SigningIn,
  { env, cancel }: Invocation,
  accept: (granted: Granted) => void,
): SignIn {
  const { agent, apiKey: key, credential: choice } = inputs;
  if (agent !== 'cursor') return () => Promise.resolve(undefined);
  const grant = async (ms: number): Promise<Granted> => {
    if (choice === 'key') return { credential: { kind: 'key', key }, secrets: [], notes: [] };
    const limit = AbortSignal.timeout(Math.ceil(ms));
    const exchange = await exchangeKey({
      address: exchangeAddress(env),
      key,
      cancel: AbortSignal.any([cancel, limit]),
      endedWords: () => (cancel.aborted ? 'cancelled' : 'no answer within the time limit of the agent'),
    });
    if (cancel.aborted) throw new RunFailure('cancelled', 'The job was cancelled while signing in.');
    return grantAfter(exchange, { choice, key, mayRunCommands, ms, now: Date.now() });
  };
  const totalMs = inputs.timeoutMinutes * 60_000;
  let last = grant(totalMs);
  // If something else fails before this is awaited, that is the failure to report.
  last.catch(() => undefined);
  let accepted: Granted | undefined;
  return async (ms = totalMs) => {
    if (!isLasting((await last).credential, ms, Date.now())) last = grant(ms);
    const granted = await last;
    if (granted !== accepted) accept(granted);
    accepted = granted;
    return granted.credential;
  };
}

interface ExchangeRequest {
  address: string;
  key: string;
  /** Ends it. */
  cancel: AbortSignal;
  /** Why it was ended. */
  endedWords?: () => string;
}

/** How long one try may take, and the waits between tries. */
export interface Pace {
  tryMs: number;
  waitsMs: readonly number[];
}

/** About 17 s at most. The CLI is installed meanwhile. */
const PACE: Pace = { tryMs: 5_000, waitsMs: [500, 1_500] };

/** Exchanges the key for a token, and tries again if Cursor could not be reached. */
export async function exchangeKey(request: ExchangeRequest, pace = PACE): Promise<Exchange> {
  for (let tries = 1; ; tries += 1) {
    const exchange = await exchangeOnce(request, pace.tryMs);
    const wait = pace.waitsMs[tries - 1];
    if (exchange.kind !== 'unavailable' || wait === undefined || request.cancel.aborted) return exchange;
    // A cancelled wait just ends early.
    await sleep(wait, undefined, { signal: request.cancel }).catch(() => undefined);
  }
}

async function exchangeOnce(request: ExchangeRequest, tryMs: number): Promise<Exchange> {
  const { address } = request;
  try {
    return readExchange(await send(request, tryMs), address, Date.now());
  } catch (error) {
    return { kind: 'unavailable', why: `${new URL(address).host} was not reached (${reasonOf(error)})` };
  }
}

/** Sends the key to this address and nowhere else: no redirect is followed. */
async function send(
  { address, key, cancel, endedWords = () => 'cancelled' }: ExchangeRequest,
  tryMs: number,
): Promise<ExchangeAnswer> {
  const { HttpClient } = await import('@actions/http-client');
  const deadline = AbortSignal.any([cancel, AbortSignal.timeout(tryMs)]);
  const tooLate = () => new Error(cancel.aborted ? endedWords() : `no answer within ${tryMs / 1000} s`);
  const client = new HttpClient('cursor-agent-action', [], {
    allowRedirects: false,
    allowRetries: false,
    socketTimeout: tryMs,
  });
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json',
  };
  try {
    const { message } = await unlessAborted(deadline, client.post(address, '{}', headers), tooLate);
    try {
      return {
        status: message.statusCode ?? 0,
        contentType: message.headers['content-type'] ?? '',
        ...(await unlessAborted(deadline, readBody(message), tooLate)),
      };
    } finally {
      message.destroy();
    }
  } finally {
    client.dispose();
  }
}

/** A JWT has about one kilobyte. */
const MAX_BYTES = 65_536;

async function readBody(message: IncomingMessage): Promise<Pick<ExchangeAnswer, 'body' | 'isCut'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) break;
  }
  return { body: Buffer.concat(chunks).toString('utf8', 0, MAX_BYTES), isCut: bytes > MAX_BYTES };
}
