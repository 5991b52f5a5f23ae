import { spawnSync } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { foldEvents } from '../src/report/fold.js';
import { readStream } from '../src/stream/read-stream.js';
import { streamChunks } from './stream/mix.js';

/**
 * Reading a stream, from bytes to the folded report: its speed compared with a bare loop that splits and parses lines,
 * and its memory on a very long stream compared with a short one.
 */
const MEBIBYTE = 1024 * 1024;
const SPEED_BYTES = 200 * MEBIBYTE;
const ROUNDS = 3;
const MIN_SPEED = 0.5;
const SHORT_BYTES = 50 * MEBIBYTE;
const LONG_BYTES = 2048 * MEBIBYTE;
const MAX_MEMORY = 1.3;
/** The argument for a child of this program that measures its own memory. */
const MEASURE = 'measure-memory';

function readWhole(chunks: Iterable<Buffer>): number {
  const reader = readStream();
  const fold = foldEvents(['/repo']);
  let events = 0;
  const take = (lines: ReturnType<typeof reader.push>) => {
    for (const line of lines) {
      for (const event of line.events) {
        fold.add(event, (events += 1));
      }
    }
  };
  for (const chunk of chunks) take(reader.push(chunk));
  take(reader.end());
  fold.end();
  if (!fold.report.result || fold.report.unrecognised.count > 0)
    throw new Error('the stream was not read right');
  return events;
}

function readBare(chunks: Iterable<Buffer>): number {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let records = 0;
  for (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (JSON.parse(line) !== null) records += 1;
  }
  return records;
}

function secondsOf(work: () => number): number {
  globalThis.gc?.();
  const start = performance.now();
  if (work() === 0) throw new Error('nothing was read');
  return (performance.now() - start) / 1000;
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Both read the same bytes in turns, so that other work on the machine affects both. */
function compareSpeed(): number {
  const chunks = Array.from(streamChunks(SPEED_BYTES), (chunk) => Buffer.from(chunk));
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const bare = secondsOf(() => readBare(chunks));
    const whole = secondsOf(() => readWhole(chunks));
    ratios.push(bare / whole);
    const speed = (seconds: number) => `${(SPEED_BYTES / MEBIBYTE / seconds).toFixed(0)} MiB/s`;
    console.log(`  round ${round + 1}: pipeline ${speed(whole)}, bare loop ${speed(bare)}`);
  }
  return median(ratios);
}

/** The peak memory of a separate process that only reads this many bytes. */
function peakMemory(bytes: number): number {
  const child = spawnSync(process.execPath, [process.argv[1] ?? '', MEASURE, String(bytes)], {
    encoding: 'utf8',
  });
  const peak = Number(child.stdout);
  if (child.status !== 0 || !(peak > 0)) throw new Error(`could not measure: ${child.stderr}`);
  console.log(`  ${bytes / MEBIBYTE} MiB read: peak ${(peak / MEBIBYTE).toFixed(0)} MiB`);
  return peak;
}

function tell(what: string, ratio: number, mark: { least: number } | { most: number }): boolean {
  const [isMet, words] =
    'least' in mark
      ? [ratio >= mark.least, `at least ${mark.least}`]
      : [ratio <= mark.most, `at most ${mark.most}`];
  console.log(`${what}: ${ratio.toFixed(2)} (${words}) ${isMet ? 'ok' : 'MISSED'}`);
  return isMet;
}

/** Samples the memory at each chunk. The system's own peak would include the parent's memory from before the start. */
function* watched(chunks: Iterable<Buffer>, see: (rss: number) => void): Generator<Buffer> {
  let count = 0;
  for (const chunk of chunks) {
    yield chunk;
    count += 1;
    if (count % 8 === 0) see(process.memoryUsage.rss());
  }
}

if (process.argv[2] === MEASURE) {
  let peak = 0;
  readWhole(watched(streamChunks(Number(process.argv[3])), (rss) => (peak = Math.max(peak, rss))));
  console.log(peak);
} else {
  const isFast = tell('throughput against a bare loop', compareSpeed(), { least: MIN_SPEED });
  const short = peakMemory(SHORT_BYTES);
  const isSmall = tell('peak memory, 2 GiB against 50 MiB', peakMemory(LONG_BYTES) / short, {
    most: MAX_MEMORY,
  });
  process.exitCode = isFast && isSmall ? 0 : 1;
}
