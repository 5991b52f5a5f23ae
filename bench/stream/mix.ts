/**
 * A stream as a long run of the CLI would write it: thinking and text in small pieces, reads, edits with the
 * whole file before and after, commands with their output. Generated in chunks, as from a pipe.
 */
const CHUNK_BYTES = 64 * 1024;
const SESSION = 'b7f0c1de-5a64-4b1e-8f0a-3d9e6c2a7f55';
/** Turns are generated once and repeated with new ids, so that generating them is not measured. */
const PATTERNS = 64;
/** Where the number of the turn goes, in the ids of its calls. */
const SERIAL = '#'.repeat(10);

/**
 * Chunks of whole turns until there are at least this many bytes; the last line is the result. A chunk is valid
 * until the next one is requested, because its memory is reused.
 */
export function* streamChunks(bytes: number): Generator<Buffer> {
  const patterns = Array.from({ length: PATTERNS }, (_, index) => Buffer.from(turn(index)));
  const places = patterns.map(serialPlaces);
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let filled = 0;
  function* pour(source: Buffer): Generator<Buffer> {
    for (let from = 0; from < source.length;) {
      const copied = source.copy(chunk, filled, from);
      from += copied;
      filled += copied;
      if (filled === CHUNK_BYTES) {
        yield chunk;
        filled = 0;
      }
    }
  }
  yield* pour(Buffer.from(line({ type: 'system', subtype: 'init', cwd: '/repo', model: 'Auto' })));
  for (let index = 0, made = 0; made < bytes; index += 1) {
    const pattern = patterns[index % PATTERNS] ?? chunk;
    const serial = String(index).padStart(SERIAL.length, '0');
    for (const place of places[index % PATTERNS] ?? []) pattern.write(serial, place);
    made += pattern.length;
    yield* pour(pattern);
  }
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'Done.', duration_ms: 1 };
  yield* pour(Buffer.from(line(result)));
  yield chunk.subarray(0, filled);
}

function serialPlaces(pattern: Buffer): number[] {
  const places: number[] = [];
  for (let at = pattern.indexOf(SERIAL); at >= 0; at = pattern.indexOf(SERIAL, at + 1)) places.push(at);
  return places;
}

const line = (record: object): string => `${JSON.stringify({ ...record, session_id: SESSION })}\n`;

/** One turn of the model: it thinks, says something, calls three tools. */
function turn(seed: number): string {
  const thoughts = words(seed, 60).match(/.{1,24}/gs) ?? [];
  const said = words(seed + 1, 40);
  const source = words(seed + 2, 700);
  const path = `/repo/src/part-${seed}/module.ts`;
  return [
    ...thoughts.map((text) =>
      line({ type: 'thinking', subtype: 'delta', text, timestamp_ms: 1795000000000 }),
    ),
    line({ type: 'thinking', subtype: 'completed', timestamp_ms: 1795000000000 }),
    ...(said.match(/.{1,30}/gs) ?? []).map((text) =>
      line({ ...assistant(text), timestamp_ms: 1795000000001 }),
    ),
    line({ ...assistant(said), timestamp_ms: 1795000000002, model_call_id: 'm' }),
    ...call(callId('r'), 'readToolCall', {
      args: { path },
      result: { success: { content: source, totalLines: 90, fileSize: source.length } },
    }),
    ...call(callId('e'), 'editToolCall', {
      args: { path, streamContent: source.slice(0, 900) },
      result: {
        success: {
          path,
          linesAdded: 12,
          linesRemoved: 4,
          diffString: source.slice(0, 1200),
          beforeFullFileContent: source,
          afterFullFileContent: source,
        },
      },
    }),
    ...call(callId('s'), 'shellToolCall', {
      args: {
        command: `npm test -- part-${seed}`,
        timeout: 30000,
        simpleCommands: ['npm'],
        parsingResult: {},
      },
      result: { success: { exitCode: seed % 7 === 0 ? 1 : 0, stdout: words(seed, 300), stderr: '' } },
    }),
  ].join('');
}

const assistant = (text: string) => ({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text }] },
});

/** With a newline in it, like the ids of the CLI. */
const callId = (name: string): string => `call-${SERIAL}\nfc_${name}`;

function call(id: string, key: string, { args, result }: { args: object; result: object }): string[] {
  const record = { type: 'tool_call', call_id: id, model_call_id: 'm', timestamp_ms: 1795000000003 };
  const siblings = { hookAdditionalContexts: [], toolCallId: id, startedAtMs: '1795000000100' };
  const begun = line({ ...record, subtype: 'started', tool_call: { [key]: { args }, ...siblings } });
  const tool_call = { [key]: { args, result }, ...siblings, completedAtMs: '1795000000900' };
  return [begun, line({ ...record, subtype: 'completed', tool_call })];
}

const VOCABULARY =
  'const return the of function value "quoted" \n  if (a < b) { } => naïve ✓ path/to/file.ts 42'.split(' ');

/** Text that looks like code and prose, the same for the same seed. */
function words(seed: number, count: number): string {
  let state = seed * 2654435761 + 1;
  const parts: string[] = [];
  for (let index = 0; index < count; index += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    parts.push(VOCABULARY[(state >>> 16) % VOCABULARY.length] ?? '');
  }
  return parts.join(' ');
}
