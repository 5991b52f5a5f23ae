import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldEvents } from '../../src/report/fold.js';
import { judge } from '../../src/report/judge.js';
import type { RunReport } from '../../src/report/model.js';
import { buildSummary } from '../../src/report/render-markdown.js';
import type { AgentEvent } from '../../src/stream/events.js';
import { readStream } from '../../src/stream/read-stream.js';

/** The recorded expectations beside each fixture, by the end of their names. */
export const EXPECTATIONS = ['.events.json', '.report.json', '.summary.md'] as const;
export const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'streams');
/** Between two events, by the clock of the tests. */
const STEP_MS = 100;

/** Every file below the fixtures' folder, as `<dialect>/<name>`. */
export function fixtureFiles(): string[] {
  return readdirSync(FIXTURES, { withFileTypes: true })
    .flatMap(({ name }) => readdirSync(join(FIXTURES, name)).map((file) => `${name}/${file}`))
    .sort();
}

/** The names of the cases: `<dialect>/<case>`. */
export function fixtureNames(): string[] {
  return fixtureFiles()
    .filter((file) => file.endsWith('.ndjson'))
    .map((file) => file.replace(/\.ndjson$/, ''));
}

export const fixtureBytes = (name: string): Buffer => readFileSync(join(FIXTURES, `${name}.ndjson`));

/** The events of a stream that arrives in these chunks. */
export function eventsOf(...chunks: Uint8Array[]): AgentEvent[] {
  const reader = readStream();
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()].flatMap(({ events }) => events);
}

export function reportOf(events: readonly AgentEvent[]): RunReport {
  const fold = foldEvents(['/repo']);
  events.forEach((event, index) => fold.add(event, (index + 1) * STEP_MS));
  fold.end();
  return fold.report;
}

const LIMITS = { timeoutMinutes: 30, idleTimeoutMinutes: 10 };

/** The summary of a run that consisted of this stream: exit 0 after a good result, else 1. */
export function summaryOf(events: readonly AgentEvent[]): string {
  const report = reportOf(events);
  const exit = { kind: 'exited', code: report.result?.isError === false ? 0 : 1 } as const;
  const stderr = events
    .flatMap((event) => (event.type === 'unknown' && event.why === 'text' ? [event.sample] : []))
    .join('\n');
  const verdict = judge({ exit, report, stderr, failOnDenied: false, limits: LIMITS, violations: [] });
  const record = {
    verdict,
    report,
    wallMs: 6000,
    agentMs: 5500,
    exit,
    stderr,
    files: {},
    notes: [],
    tries: [],
  };
  return buildSummary(record, 'full');
}

/** What the files beside a fixture should hold. */
export function expectationsOf(name: string): Record<(typeof EXPECTATIONS)[number], string> {
  const events = eventsOf(fixtureBytes(name));
  const list = events.map((event) => `  ${JSON.stringify(event)}`).join(',\n');
  return {
    '.events.json': list === '' ? '[]\n' : `[\n${list}\n]\n`,
    '.report.json': `${JSON.stringify(reportOf(events), undefined, 2)}\n`,
    '.summary.md': summaryOf(events),
  };
}
