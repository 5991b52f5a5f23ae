import { connect as connectTcp, isIPv4, type LookupFunction, type Socket } from 'node:net';
import { lookup as lookUp } from 'node:dns/promises';
import { reasonOf } from '../../core/errors.js';
import { privateKind, targetText, type Target } from './host.js';
import type { ParentProxy, Route } from './parent-proxy.js';

export type Lookup = (name: string) => Promise<string[]>;

export interface ReachLimits {
  lookupMs: number;
  connectMs: number;
}

interface ReachRequest {
  target: Target;
  /** Whether it is for plain HTTP, and not for a tunnel. */
  isPlain: boolean;
  mayReach: (address: string) => boolean;
  route: Route;
  lookup: Lookup;
  limits: ReachLimits;
}

export interface Reached {
  socket: Socket;
  /** The proxy of the job that the socket leads to, if it is for plain HTTP. */
  parent?: ParentProxy | undefined;
  /** Bytes that the host sent before it was asked for anything. */
  early: Buffer;
}

/** The target may not be reached. The message completes "<host> …". */
export class Refused extends Error {
  constructor(
    message: string,
    /** The line of `allowed-hosts` that would allow it; empty if none is advised. */
    readonly line: string,
  ) {
    super(message);
  }
}

/** The target may be reached, but was not. */
export class ReachFailed extends Error {
  constructor(
    message: string,
    readonly status: 502 | 504,
  ) {
    super(message);
  }
}

/**
 * Connects to a target. Its name is resolved once, and the connection goes to an address that was checked, so that a
 * second answer of the name server cannot lead elsewhere.
 */
export async function reach(request: ReachRequest): Promise<Reached> {
  const { target, isPlain, route, limits } = request;
  const parent = route(target, isPlain);
  const addresses = await checkedAddresses(request, parent);
  if (!parent) {
    const socket = await open({ host: target.host.text, port: target.port }, limits, addresses);
    return { socket, early: Buffer.alloc(0) };
  }
  const socket = await openParent(parent, limits);
  if (isPlain) return { socket, parent, early: Buffer.alloc(0) };
  return { socket, early: await askParent(socket, parent, request) };
}

/**
 * The addresses of the target that may be reached. Behind a proxy of the job the names of the outside are often unknown
 * here. Then that proxy resolves them, and its own rules decide about addresses.
 */
async function checkedAddresses(
  { target, mayReach, lookup, limits }: ReachRequest,
  parent: ParentProxy | undefined,
): Promise<string[]> {
  const { host } = target;
  if (host.kind === 'address') return [host.text];
  let found: string[];
  try {
    const late = `its name was not resolved within ${limits.lookupMs / 1000} s.`;
    found = await within(limits.lookupMs, lookup(host.text), late);
  } catch (error) {
    if (parent) return [];
    if (error instanceof ReachFailed) throw error;
    throw new ReachFailed(`its name could not be resolved (${reasonOf(error)}).`, 502);
  }
  const good = found.filter(mayReach);
  const [bad] = found;
  if (good.length > 0 || bad === undefined) return good;
  throw new Refused(`leads to ${bad}, which is ${privateKind(bad) ?? 'not allowed'}`, '');
}

/** Without addresses, the system resolves the name. */
async function open(
  { host, port }: Pick<ParentProxy, 'host' | 'port'>,
  { connectMs }: ReachLimits,
  addresses?: readonly string[],
): Promise<Socket> {
  const socket = connectTcp({
    host,
    port,
    allowHalfOpen: true,
    autoSelectFamily: true,
    ...(addresses ? { lookup: answerWith(addresses) } : {}),
  });
  return connected(socket, 'connect', connectMs);
}

const answerWith =
  (addresses: readonly string[]): LookupFunction =>
  (_, { all }, answer) => {
    const known = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
    const [first] = known;
    if (!first) answer(new Error('it has no address'), '', 0);
    else if (all) answer(null, known);
    else answer(null, first.address, first.family);
  };

async function connected(socket: Socket, event: string, ms: number): Promise<Socket> {
  const done = new Promise<Socket>((resolve, reject) => {
    socket.once('error', reject).once(event, () => {
      socket.removeListener('error', reject);
      resolve(socket);
    });
  });
  try {
    return await within(ms, done, `no connection within ${ms / 1000} s.`);
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}

async function openParent(parent: ParentProxy, limits: ReachLimits): Promise<Socket> {
  const plain = await open(parent, limits);
  if (!parent.isSecure) return plain;
  const { connect: connectTls } = await import('node:tls');
  const secure = connectTls({ socket: plain, servername: parent.host, ALPNProtocols: ['http/1.1'] });
  return connected(secure, 'secureConnect', limits.connectMs);
}

const MAX_ANSWER_BYTES = 16_384;

/** Asks a proxy of the job for a tunnel. Returns what came after its answer. */
async function askParent(
  socket: Socket,
  { authorization }: ParentProxy,
  { target, limits }: ReachRequest,
): Promise<Buffer> {
  const where = targetText(target);
  const credentials = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${where} HTTP/1.1\r\nHost: ${where}\r\n${credentials}\r\n`);
  let stop = (): void => undefined;
  const answer = new Promise<Buffer>((resolve, reject) => {
    let read = Buffer.alloc(0);
    const fail = (why: string) => {
      reject(new ReachFailed(`the proxy of this job ${why}.`, 502));
    };
    const onData = (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      const at = read.indexOf('\r\n\r\n');
      if (at === -1) {
        if (read.length > MAX_ANSWER_BYTES) fail('sent too long an answer');
        return;
      }
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(read.toString('latin1', 0, 64))?.[1];
      if (status?.startsWith('2')) resolve(read.subarray(at + 4));
      else fail(`answered with status ${status ?? 'none'}`);
    };
    const onEnd = () => {
      fail('ended the connection');
    };
    const onError = (error: Error) => {
      fail(`broke off (${reasonOf(error)})`);
    };
    stop = () => {
      socket.pause().off('data', onData).off('end', onEnd).off('error', onError);
    };
    socket.on('data', onData).on('end', onEnd).on('error', onError);
  });
  try {
    return await within(limits.connectMs, answer, 'the proxy of this job did not answer in time.');
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  } finally {
    stop();
  }
}

async function within<T>(ms: number, work: Promise<T>, late: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  work.catch(() => undefined);
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ReachFailed(late, 504));
    }, ms);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** The system's resolver blocks one of the four threads that all of Node shares, so only two names at a time. */
const MAX_LOOKUPS = 2;

/** Asks the system, as any program on this machine would. */
export function systemLookup(): Lookup {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (name) => {
    if (running >= MAX_LOOKUPS) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      const found = await lookUp(name, { all: true, order: 'verbatim' });
      return found.map(({ address }) => address);
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}
