import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Executor, FromExecutor } from './executor.js';

/** One request of the scripted model: the name of the message and its fields. */
export interface Call {
  name: string;
  args: object;
  /** The calls of the sub-agent that this call starts. */
  inner?: readonly Call[];
}

/** What the executor answered: its results, one of most messages and several of a command, or the error that it threw. */
export type Outcome = { answers: { kind: string; value: unknown }[] } | { error: string };

/** A model that asks for one call after another. A sub-agent is a run of its own, with a model of its own. */
export type Script = (ask: (call: Call) => Promise<Outcome>) => Promise<void>;

const PATIENCE_MS = 20_000;
/** A frame of the Connect protocol: flags, length, bytes. The flag 2 marks the last one. */
const frame = (bytes: Uint8Array, flags = 0): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
};
const LAST_FRAME = frame(Buffer.from('{}'), 2);

/**
 * Cursor's servers, as far as a run needs them. A run is a response that stays open, over which requests come, and one
 * POST for each answer. Everything else is answered with nothing.
 */
export async function startBackend(
  executor: () => Executor,
  script: Script,
): Promise<{ url: string; close(): void }> {
  const runs = new Map<string, Inbox>();
  const inboxOf = (id: string) => {
    const inbox = runs.get(id) ?? openInbox();
    runs.set(id, inbox);
    return inbox;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const path = request.url?.replace(/\?.*/, '') ?? '';
    const type = request.headers['content-type'] ?? '';
    const send = (contentType: string, content: string | Buffer) =>
      response.writeHead(200, { 'content-type': contentType }).end(content);
    if (path === '/auth/exchange_user_api_key') {
      const token = makeToken();
      return send('application/json', JSON.stringify({ accessToken: token, refreshToken: token }));
    }
    if (path === '/v1/models') {
      const auto = { id: 'auto', displayName: 'Auto', aliases: [], parameters: [], variants: [] };
      return send('application/json', JSON.stringify({ items: [auto], models: [] }));
    }
    if (path.endsWith('/BidiAppend')) {
      const { requestId, appendSeqno, data, dataBinary } = executor().Append.fromBinary(body);
      const bytes = dataBinary?.length ? dataBinary : Buffer.from(data, 'hex');
      inboxOf(requestId.requestId).put(appendSeqno, executor().ClientMessage.fromBinary(bytes));
      return send('application/proto', '');
    }
    if (path.endsWith('/RunSSE')) {
      const { requestId } = executor().RequestId.fromBinary(body.subarray(5));
      response.writeHead(200, { 'content-type': 'application/connect+proto' }).flushHeaders();
      await converse(executor(), { inbox: inboxOf(requestId), response, script });
      return response.end(LAST_FRAME);
    }
    if (type.includes('json')) return send('application/json', '{}');
    if (type.startsWith('application/connect+')) return send('application/connect+proto', LAST_FRAME);
    return send('application/proto', '');
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`${request.url}: ${String(error)}\n`);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Conversation {
  inbox: Inbox;
  response: ServerResponse;
  script: Script;
}

async function converse({ ServerMessage }: Executor, { inbox, response, script }: Conversation) {
  const send = (message: object) => response.write(frame(new ServerMessage({ message }).toBinary()));
  const update = (message: object) => send({ case: 'interactionUpdate', value: { message } });
  await inbox.take(({ message }) => message.case === 'runRequest');
  let id = 0;
  await script(async ({ name, args }) => {
    id += 1;
    const own = id;
    const message = { case: name, value: args };
    send({
      case: 'execServerMessage',
      value: { id: own, execId: `exec-${own}`, acceptHookAdditionalContexts: true, message },
    });
    return collect(inbox, own, name === 'shellStreamArgs');
  });
  update({ case: 'textDelta', value: { text: 'done' } });
  update({ case: 'turnEnded', value: {} });
}

/** The answers to one request. Those of a stream end with a message of their own. */
async function collect(inbox: Inbox, id: number, isStream: boolean): Promise<Outcome> {
  const answers: { kind: string; value: unknown }[] = [];
  for (;;) {
    const { message } = await inbox.take(({ message: { case: kind, value } }) =>
      kind === 'execClientMessage'
        ? value.id === id
        : kind === 'execClientControlMessage' &&
          ['throw', 'streamClose'].includes(value.message.case ?? '') &&
          value.message.value.id === id,
    );
    const inner = message.value.message;
    if (message.case === 'execClientControlMessage')
      return inner.case === 'throw' ? { error: inner.value.error ?? '' } : { answers };
    answers.push(readAnswer(inner.value));
    if (!isStream) return { answers };
  }
}

function readAnswer(answer: Answer): { kind: string; value: unknown } {
  const kind = answer.result?.case ?? answer.event?.case ?? '';
  const json = answer.toJson() as Record<string, unknown>;
  return { kind, value: kind === '' ? json : json[kind] };
}

interface Inbox {
  /** Messages are numbered, because a short one can overtake a long one. */
  put(number: bigint, message: FromExecutor): void;
  take(test: (message: FromExecutor) => boolean): Promise<FromExecutor>;
}

function openInbox(): Inbox {
  const messages: FromExecutor[] = [];
  const early = new Map<bigint, FromExecutor>();
  let next = 0n;
  let wake: () => void = () => undefined;
  return {
    put(number, message) {
      early.set(number, message);
      for (let one = early.get(next); one !== undefined; one = early.get(next)) {
        messages.push(one);
        early.delete(next);
        next += 1n;
      }
      wake();
    },
    async take(test) {
      const end = Date.now() + PATIENCE_MS;
      for (;;) {
        const place = messages.findIndex(test);
        if (place >= 0) return messages.splice(place, 1)[0]!;
        const left = end - Date.now();
        if (left <= 0) throw new Error('the executor did not answer');
        const arrival = new Promise<void>((done) => (wake = done));
        await Promise.race([arrival, sleep(left, undefined, { ref: false })]);
      }
    },
  };
}

function makeToken(): string {
  const claims = { sub: 'x', type: 'api_key_token', exp: Math.floor(Date.now() / 1000) + 3600 };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({})}.${part(claims)}.signature`;
}
