import { closeSync, mkdirSync, openSync } from 'node:fs';
import {
  createServer,
  request as sendRequest,
  STATUS_CODES,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { reasonOf } from '../../core/errors.js';
import { decideHost, localPorts, type HostRule } from './allowed-hosts.js';
import { proxyPortBeside, type ForwarderOptions } from './forwarder.js';
import { hostText, readAuthority, readHost, readPort, targetText, type Target } from './host.js';
import { openLedger, type NetworkLedger, type OpenLedger, type RefusedHost } from './ledger.js';
import { readRoute, type Route } from './parent-proxy.js';
import {
  reach,
  ReachFailed,
  Refused,
  systemLookup,
  type Lookup,
  type Reached,
  type ReachLimits,
} from './reach.js';

interface NetworkRequest extends Pick<ProxyRequest, 'rules' | 'onRefused'> {
  folder: string;
  /** The environment of the action, which names the proxies of the job. */
  env: Readonly<Record<string, string | undefined>>;
  lookup?: Lookup;
}

export interface ClosedNetwork {
  forwarder: ForwarderOptions;
  /** What the forwarder must be able to read. */
  shown: readonly string[];
  ledger(): NetworkLedger;
  close(): void;
}

const SOCKET = 'proxy';

/** Starts the proxy. Nothing is closed yet: the isolation of the agent does that. */
export async function openClosedNetwork(request: NetworkRequest): Promise<ClosedNetwork> {
  const { folder, rules, env, lookup = systemLookup(), onRefused } = request;
  const proxy = createProxy({ rules, route: readRoute(env).route, lookup, onRefused });
  mkdirSync(folder, { recursive: true });
  // An open folder has a short path, and the address of a socket must be short.
  const file = openSync(folder, 'r');
  try {
    await proxy.listen(`/proc/self/fd/${file}/${SOCKET}`);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  const ports = localPorts(rules);
  return {
    forwarder: { folder, socket: SOCKET, proxyPort: proxyPortBeside(ports), ports },
    shown: [folder, join(folder, SOCKET), process.execPath],
    ledger: proxy.ledger,
    close() {
      proxy.close();
      closeSync(file);
    },
  };
}

interface ProxyRequest {
  rules: readonly HostRule[];
  route: Route;
  lookup: Lookup;
  limits?: ProxyLimits;
  /** Called when a host is refused for the first time. */
  onRefused(host: RefusedHost): void;
}

export interface ProxyLimits extends ReachLimits {
  connections: number;
  headersMs: number;
  /** A connection on which nothing moves for so long is ended. */
  idleMs: number;
  /** The same after one side has said that it sends nothing more. */
  halfOpenMs: number;
  /** In both directions, over the whole run. */
  totalBytes: number;
}

const GIB = 2 ** 30;
export const LIMITS: ProxyLimits = {
  // Each takes two file descriptors, and many systems allow 1024.
  connections: 256,
  headersMs: 10_000,
  // A model can think for minutes, but the vendor's stream has a heartbeat every few seconds.
  idleMs: 15 * 60_000,
  halfOpenMs: 60_000,
  totalBytes: 20 * GIB,
  lookupMs: 10_000,
  connectMs: 30_000,
};
const MAX_HEADER_BYTES = 16_384;
const HEADERS_TICK_MS = 1000;

/**
 * The agent's only way out: an HTTP proxy that lets it connect to allowed hosts and to nothing else. It does
 * not look into tunnels. A client can ask for allowed hosts only, so the proxy needs no password.
 */
export interface NetworkProxy {
  ledger(): NetworkLedger;
  listen(path: string): Promise<void>;
  close(): void;
}

export function createProxy(request: ProxyRequest): NetworkProxy {
  const { limits = LIMITS } = request;
  const ledger = openLedger(limits.totalBytes);
  const onInvalid = ledger.countInvalid;
  const service = { connect: connector({ ...request, limits }, ledger), limits, onInvalid };
  const used = new WeakSet<Duplex>();
  const admission = admit(limits.connections, ledger.countOverLimit);
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: limits.headersMs,
    // A large upload may take as long as it moves.
    requestTimeout: 0,
    connectionsCheckingInterval: HEADERS_TICK_MS,
    insecureHTTPParser: false,
  });
  // A second request on a connection is never read, so nothing can be hidden behind the first.
  server.maxRequestsPerSocket = 1;
  server.timeout = limits.idleMs;
  server
    .on('connection', admission.enter)
    .on('clientError', (_, socket) => {
      onInvalid();
      answerAndEnd(socket, 400, 'This is not a valid request.');
    })
    .on('connect', (head, client, early) => {
      admission.serve(client);
      // Node gives away the connection before it counts its requests.
      if (used.has(client)) {
        onInvalid();
        client.destroy();
        return;
      }
      void tunnel(service, head, { client, early });
    })
    .on('request', (incoming, response) => {
      admission.serve(incoming.socket);
      used.add(incoming.socket);
      void forward(service, incoming, response);
    });
  // It must not keep the action running.
  server.unref();
  return {
    ledger: ledger.read,
    listen: (path) =>
      new Promise((resolve, reject) => {
        server.once('error', reject).listen(path, () => {
          server.removeListener('error', reject).on('error', () => undefined);
          resolve();
        });
      }),
    close() {
      server.close();
      server.closeAllConnections();
      ledger.close();
    },
  };
}

/**
 * Bounds the connections. Beyond the limit, the one that has been sending its headers for longest is ended, so that
 * clients that never finish them cannot keep others out. A connection that is served is not ended for a new one.
 */
function admit(limit: number, onOverLimit: () => void) {
  let open = 0;
  /** Those whose headers are not complete, the oldest first. */
  const waiting = new Set<Duplex>();
  return {
    enter(socket: Socket) {
      open += 1;
      socket.once('close', () => {
        open -= 1;
        waiting.delete(socket);
      });
      waiting.add(socket);
      // One that was ended counts until it is closed, so the limit holds for descriptors too.
      if (open <= limit) return;
      onOverLimit();
      const [oldest = socket] = waiting;
      waiting.delete(oldest);
      oldest.destroy();
    },
    serve(socket: Duplex) {
      waiting.delete(socket);
    },
  };
}

/** Makes the connections that are allowed, and writes all of them down. */
function connector(
  { rules, route, lookup, limits, onRefused }: ProxyRequest & { limits: ProxyLimits },
  ledger: OpenLedger,
): Connect {
  const refuse = (target: Target, refusal: Refused): Refused => {
    const first = ledger.refuse(target, { why: refusal.message, line: refusal.line });
    if (first) onRefused(first);
    return refusal;
  };
  return async (target, isPlain) => {
    const decision = decideHost(target, rules);
    if (decision.kind === 'refused') throw refuse(target, new Refused(decision.why, decision.line));
    if (ledger.isOverLimit())
      throw refuse(target, new Refused(`was asked for after ${limits.totalBytes / GIB} GiB had moved`, ''));
    const entry = ledger.allow(target);
    try {
      const { mayReach } = decision;
      const reached = await reach({ target, isPlain, mayReach, route, lookup, limits });
      return { ...reached, stop: ledger.watch(reached.socket, entry) };
    } catch (error) {
      entry.failed += 1;
      throw error instanceof Refused ? refuse(target, error) : error;
    }
  };
}

interface Connected extends Reached {
  /** Counts its bytes for the last time. */
  stop(): void;
}
type Connect = (target: Target, isPlain: boolean) => Promise<Connected>;

interface Service {
  connect: Connect;
  limits: ProxyLimits;
  onInvalid(): void;
}

/** `early` is what the client sent before it was answered. */
async function tunnel(
  { connect, limits, onInvalid }: Service,
  head: IncomingMessage,
  { client, early }: { client: Duplex; early: Buffer },
): Promise<void> {
  client.on('error', () => client.destroy());
  const target = readAuthority(head.url ?? '');
  if (!target) {
    onInvalid();
    answerAndEnd(client, 400, 'CONNECT needs a host and a port.');
    return;
  }
  const reached = await connect(target, false).catch((error: unknown) => {
    const { status, text } = explain(error, target);
    answerAndEnd(client, status, text);
  });
  if (!reached) return;
  const { socket, early: answered } = reached;
  if (client.destroyed) {
    socket.destroy();
    return;
  }
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (early.length > 0) socket.write(early);
  if (answered.length > 0) client.write(answered);
  connectBoth(client as Socket, socket, limits);
}

/** Moves bytes in both directions as they come. Each side waits for the other, so nothing piles up here. */
function connectBoth(client: Socket, remote: Socket, { idleMs, halfOpenMs }: ProxyLimits): void {
  const end = () => {
    client.destroy();
    remote.destroy();
  };
  for (const socket of [client, remote]) {
    socket
      .setTimeout(idleMs)
      .on('timeout', end)
      .on('error', end)
      .on('end', () => {
        client.setTimeout(halfOpenMs);
        remote.setTimeout(halfOpenMs);
      })
      // What was read before an orderly end is still on its way to the other side.
      .on('close', () => {
        if (!socket.readableEnded) end();
      });
  }
  client.pipe(remote);
  remote.pipe(client);
}

async function forward(
  { connect, onInvalid }: Service,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refuse = (status: number, text: string) => {
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(`${text}\n`);
    incoming.resume();
  };
  const parsed = readAbsolute(incoming.url ?? '');
  if (!parsed) {
    onInvalid();
    refuse(400, 'This is a proxy: a request needs an http:// address, and https goes through CONNECT.');
    return;
  }
  const { target } = parsed;
  const reached = await connect(target, true).catch((error: unknown) => {
    const { status, text } = explain(error, target);
    refuse(status, text);
  });
  if (!reached) return;
  const outgoing = writeAnew(incoming, parsed, reached);
  const end = () => {
    outgoing.destroy();
    response.destroy();
  };
  outgoing
    .on('error', (error) => {
      if (response.headersSent) end();
      else refuse(502, `${targetText(target)} did not answer: ${reasonOf(error)}`);
    })
    .on('upgrade', (_, upgraded) => {
      upgraded.destroy();
      refuse(502, `${targetText(target)} asks to switch protocols, which needs a tunnel.`);
    })
    .on('response', (answer) => {
      try {
        const headers = ['Connection', 'close', ...endToEnd(answer), ...bodyHeaders(answer)];
        response.writeHead(answer.statusCode ?? 502, headers);
        // An event stream can begin with silence.
        response.flushHeaders();
        answer.on('error', end).pipe(response);
      } catch {
        end();
      }
    });
  response.on('close', () => {
    reached.stop();
    outgoing.destroy();
  });
  incoming.on('error', end);
  if (hasBody(incoming)) incoming.pipe(outgoing);
  else outgoing.end();
}

/** The request, written anew from what was understood of it, so that no part of it can be read differently. */
function writeAnew(
  incoming: IncomingMessage,
  { target, path }: AbsoluteUrl,
  { socket, parent }: Reached,
): ClientRequest {
  const host = target.port === 80 ? hostText(target.host) : targetText(target);
  return sendRequest({
    ...(incoming.method === undefined ? {} : { method: incoming.method }),
    path: parent ? `http://${host}${path}` : path,
    headers: [
      ...['Host', host, 'Connection', 'close'],
      ...(parent?.authorization === undefined ? [] : ['Proxy-Authorization', parent.authorization]),
      ...endToEnd(incoming),
      ...bodyHeaders(incoming),
    ],
    createConnection: () => socket,
  });
}

interface AbsoluteUrl {
  target: Target;
  path: string;
}

function readAbsolute(url: string): AbsoluteUrl | undefined {
  const [, name, digits, path = ''] =
    /^http:\/\/(\[[^\]/?#]*\]|[^:/?#]*)(?::(\d+))?([/?].*)?$/i.exec(url) ?? [];
  const host = name === undefined ? undefined : readHost(name);
  const port = digits === undefined ? 80 : readPort(digits);
  if (!host || port === undefined || !/^[!-~]*$/.test(path)) return undefined;
  return { target: { host, port }, path: path.startsWith('/') ? path : `/${path}` };
}

/** Hop-by-hop headers, and those that the proxy writes itself. */
const NOT_PASSED_ON = new Set([
  'connection',
  'content-length',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function endToEnd({ rawHeaders, headers }: IncomingMessage): string[] {
  const listed = new Set((headers.connection ?? '').toLowerCase().split(/\s*,\s*/));
  return rawHeaders.flatMap((name, index) => {
    const key = name.toLowerCase();
    if (index % 2 === 1 || NOT_PASSED_ON.has(key) || listed.has(key)) return [];
    return [name, rawHeaders[index + 1] ?? ''];
  });
}

/** The parser refuses a message with both, so one of them says how long the body is. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
const bodyHeaders = ({ headers }: IncomingMessage): string[] => {
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked'];
  const length = headers['content-length'];
  return length === undefined ? [] : ['Content-Length', length];
};

function explain(error: unknown, target: Target): { status: number; text: string } {
  const where = targetText(target);
  if (error instanceof Refused) {
    const advice = error.line === '' ? '' : ` To allow it, add this line to allowed-hosts: ${error.line}`;
    return { status: 403, text: `The network of this run is closed: ${where} ${error.message}.${advice}` };
  }
  if (error instanceof ReachFailed) return { status: error.status, text: `${where}: ${error.message}` };
  return { status: 502, text: `${where} could not be reached: ${reasonOf(error)}` };
}

function answerAndEnd(socket: Duplex, status: number, text: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = Buffer.from(`${text}\n`);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]), () => socket.destroy());
}
