import { readFileSync } from 'node:fs';
import Module from 'node:module';
import { dirname, join } from 'node:path';

/** A protobuf message of the executor, and its class. */
export interface Message {
  toBinary(): Uint8Array<ArrayBuffer>;
  toJson(): unknown;
}
export interface Oneof<Value = unknown> {
  case: string | undefined;
  value: Value;
}
export interface MessageClass<M> {
  readonly typeName: string;
  readonly fields: { list(): readonly { localName: string; T?: unknown }[] };
  new (init: object): Message & M;
  fromBinary(bytes: Uint8Array): Message & M;
}

/** What the executor answers to one request. */
export type Answer = Message & { result?: Oneof; event?: Oneof };
export type FromExecutor = Message & {
  message: Oneof<{ id: number; message: Oneof<Answer & { id: number; error?: string }> }>;
};

/** The vendor's executor, and the messages that it exchanges with its backend. */
export interface Executor {
  Agent: {
    create(options: object): Promise<{
      send(prompt: string): Promise<{ stream(): AsyncIterable<unknown>; wait(): Promise<unknown> }>;
    }>;
  };
  ServerMessage: MessageClass<object>;
  ClientMessage: MessageClass<FromExecutor>;
  RequestId: MessageClass<{ requestId: string }>;
  Append: MessageClass<{
    requestId: { requestId: string };
    appendSeqno: bigint;
    data: string;
    dataBinary?: Uint8Array;
  }>;
}

/** Where the package gives its own modules to each other. There it can give them to us as well. */
const RUNTIME = 'i.m=n,';
const MESSAGES = '../proto/dist/generated/agent/v1/agent_service_pb.js';
const TRANSPORT = '../proto/dist/generated/aiserver/v1/bidi_pb.js';

/** Loads the package as it was installed. It exports no messages, so its inner modules are asked for them. */
export function loadExecutor(folder: string): Executor {
  const file = join(folder, 'dist', 'cjs', 'index.js');
  const text = readFileSync(file, 'utf8');
  const place = text.lastIndexOf(RUNTIME);
  if (place < 0) throw new Error(`${file} is not built as the version that this was written for`);
  const loaded = globalThis as { executorModule?: (name: string) => Record<string, unknown> };
  const entry = new Module(file) as Module & {
    _compile(source: string, file: string): void;
    paths: string[];
  };
  entry.filename = file;
  entry.paths = (Module as unknown as { _nodeModulePaths(from: string): string[] })._nodeModulePaths(
    dirname(file),
  );
  entry._compile(`${text.slice(0, place)}globalThis.executorModule=i,${text.slice(place)}`, file);
  const find = <M>(module: string, name: string): MessageClass<M> => {
    const classes = Object.values(loaded.executorModule?.(module) ?? {}) as Partial<MessageClass<M>>[];
    const one = classes.find((each) => each.typeName?.split('.').pop() === name);
    if (one === undefined) throw new Error(`the executor has no message ${name}`);
    return one as MessageClass<M>;
  };
  return {
    Agent: (entry.exports as Executor).Agent,
    ServerMessage: find(MESSAGES, 'AgentServerMessage'),
    ClientMessage: find(MESSAGES, 'AgentClientMessage'),
    RequestId: find(TRANSPORT, 'BidiRequestId'),
    Append: find(TRANSPORT, 'BidiAppendRequest'),
  };
}

/** The name of every request that the backend can send to the executor. */
export function requestNames({ ServerMessage }: Executor): string[] {
  const request = ServerMessage.fields.list().find(({ localName }) => localName === 'execServerMessage');
  if (request === undefined) throw new Error('the executor takes no requests');
  return (request.T as MessageClass<object>).fields
    .list()
    .map(({ localName }) => localName)
    .filter((name) => /Args$|Request$/.test(name));
}
