import { createRedaction } from '../src/text/redact.js';

/**
 * The cost of redaction in a long stream: redacting five secrets in every line of 200 MB before parsing it, compared
 * with a bare JSON.parse of each line.
 */
const MARK = 0.5;
const BYTES = 200_000_000;
const WORDS =
  'the quick brown fox jumps over a lazy dog function return const key_name ghost task-runner github.com/x ' +
  '    if (a === b) { call(it); } "quoted" C:\\path \u001b[31mred\u001b[0m naïve';

let state = 1;
const random = (): number => (state = (state * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
const words = WORDS.split(' ');
const text = (length: number): string => {
  let made = '';
  while (made.length < length)
    made += `${words[Math.floor(random() * words.length)] ?? ''}${random() < 0.1 ? '\n' : ' '}`;
  return made;
};
/** Different lines as in a real run: mostly short, some with the output of a command. */
const lines = Array.from({ length: 4000 }, (_, index) => {
  const stdout = text(random() < 0.1 ? 8000 : 200);
  const result = { success: { exitCode: 0, stdout } };
  const call = { shellToolCall: { args: { command: 'npm test' }, result } };
  const record = { type: 'tool_call', subtype: 'completed', call_id: `c${index}`, tool_call: call };
  // Decoded from bytes, like a line of a stream.
  return Buffer.from(JSON.stringify(record)).toString('utf8');
});
const once = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
const rounds = Math.ceil(BYTES / once);

const secret = (index: number): string =>
  Array.from({ length: 40 }, () => Math.floor(random() * 36).toString(36)).join('') + String(index);
const { redactLine } = createRedaction([0, 1, 2, 3, 4].map(secret));

const time = (read: (line: string) => unknown): number => {
  const start = process.hrtime.bigint();
  let kept: unknown;
  for (const line of lines) kept = read(line);
  if (kept === undefined) throw new Error('nothing was read');
  return Number(process.hrtime.bigint() - start);
};
let [bare, redacted] = [0, 0];
// In turns, so that other work on the machine affects both.
for (let round = 0; round < rounds; round += 1) {
  bare += time((line) => JSON.parse(line));
  redacted += time((line) => JSON.parse(redactLine(line)));
}
const ratio = bare / redacted;
const speed = (nanoseconds: number) => `${((once * rounds * 1000) / nanoseconds).toFixed(0)} MB/s`;
console.log(`JSON.parse alone: ${speed(bare)}; with five secrets redacted: ${speed(redacted)}`);
console.log(
  `redaction: ${ratio.toFixed(2)} x the bare speed (at least ${MARK} x) ${ratio >= MARK ? 'ok' : 'MISSED'}`,
);
process.exitCode = ratio >= MARK ? 0 : 1;
