import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { toJSONSchema } from 'zod/v4/core';
import { buildReport } from '../../src/report/sections.js';
import { ReportSchema, type RunRecord } from '../../src/report/model.js';
import { eventsOf, fixtureBytes, fixtureNames, reportOf as streamReport } from '../stream/fixture-files.js';
import { call, recordOf, reportOf, result, text } from './builders.js';
import { readStrictly } from './strict-report.js';

const PATH = 'docs/report.schema.json';
const jsonSchema = {
  title: 'Report of a Cursor Agent Action run',
  // What a reader has to accept: fields may be added, so none is forbidden.
  ...toJSONSchema(ReportSchema, { target: 'draft-2020-12', io: 'input' }),
};
const schema = `${JSON.stringify(jsonSchema, undefined, 2)}\n`;
// `npm run docs` writes it; the test only compares.
if (process.env['UPDATE_DOCS']) writeFileSync(PATH, schema);

const denied = call('1', { state: 'denied', target: 'git push' });
const file = (record: RunRecord): string => JSON.stringify(buildReport(record));

/** A record in which every optional field is set. */
const FULL: RunRecord = recordOf(
  reportOf(
    { type: 'session', sessionId: 's', model: 'm' },
    { type: 'todos', merge: false, todos: [{ id: '1', text: 'look', status: 'in-progress' }] },
    { type: 'notice', level: 'warning', text: 'lost the connection' },
    { type: 'unknown', line: 3, why: 'record', label: 'new', sample: '{}' },
    { type: 'error', text: 'oh' },
    { type: 'refusal', what: 'x', reason: 'no' },
    {
      type: 'tool-finished',
      callId: '2',
      tool: { name: 'new', kind: 'other', target: 't', paths: [], isKnown: false, timeoutMs: 5 },
      outcome: { status: 'failed', message: 'm' },
      facts: { exitCode: 1, linesAdded: 1, linesRemoved: 1, linesRead: 1, matches: 1, output: 'o' },
    },
    denied,
    text('Hi.'),
    {
      type: 'finished',
      isError: true,
      text: 'failed',
      exitStatus: 'rate_limited',
      failure: 'rate-limited',
      requestId: 'r',
      durationMs: 1,
      durationApiMs: 1,
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 1, cacheWriteTokens: 1 },
      costUsd: 1,
      turns: 1,
    },
  ),
  {
    verdict: { status: 'failure', reason: 'rate-limited', detail: 'd' },
    exit: { kind: 'ended', why: 'timeout', code: 143 },
    setup: {
      agent: 'Cursor',
      preset: 'review',
      mode: 'ask',
      force: false,
      allow: ['Read(**)'],
      deny: [],
      cliVersion: '1',
      isolation: 'i',
      network: 'n',
      credential: 'c',
    },
    changes: {
      kind: 'known',
      files: [{ path: 'a', status: 'modified', added: 1, removed: 1 }],
      applied: 'allowed',
      paths: ['a'],
      ignored: 1,
      patchFile: 'p',
      rejectedPatchFile: 'r',
      omitted: ['b'],
      violations: ['c'],
    },
    origin: {
      startedAt: '2026-11-17T12:00:00.000Z',
      repository: 'o/r',
      repositoryUrl: 'https://example.com/o/r',
      pullRequest: 1,
      commit: 'c',
      runUrl: 'https://example.com/o/r/actions/runs/1/attempts/1',
    },
    prompt: 'p',
    instruction: 'i',
    task: 't',
    context: [
      {
        kind: 'diff',
        description: 'd',
        file: 'f',
        bytes: 1,
        items: 1,
        outOf: 2,
        leftOut: ['x'],
        inlined: true,
        files: ['a'],
      },
    ],
    change: { base: 'b', head: 'h', pullRequest: 1 },
    reviewed: {
      head: 'a'.repeat(40),
      base: 'b'.repeat(40),
      policy: 'c'.repeat(20),
      prompt: 'd'.repeat(20),
    },
    scope: { kind: 'new', why: 'w' },
    teamRules: [{ path: 'REVIEW.md', appliesTo: ['a.ts'], files: 1, ids: ['review'] }],
    unread: { why: 'w', files: ['a.ts'], count: 1 },
    unreadGenerated: 1,
    skipped: { code: 'unchanged', reason: 'r', url: 'u' },
    structuredOutput: { any: ['thing', null] },
    review: {
      summary: 's',
      findings: [
        {
          path: 'a',
          startLine: 1,
          endLine: 1,
          severity: 'low',
          title: 't',
          body: '',
          suggestion: '',
          alsoAt: [{ path: 'b', startLine: 2, endLine: 3 }],
          place: 'in-change',
          count: 1,
          agreement: { found: 2, of: 3 },
          validation: {
            verdict: 'refuted',
            reason: 'r',
            quote: { path: 'c', startLine: 4, endLine: 4, text: 'q' },
          },
          withheld: { reason: 'r' },
        },
      ],
    },
    failOnSeverity: 'high',
    passes: { started: 3, answered: 2 },
    files: { result: 'r', transcript: 't', report: 'r', html: 'h', sarif: 's', rdjson: 'j' },
    pageUrl: 'https://example.com/page',
    documentsUrl: 'https://example.com/docs',
    verification: {
      state: 'failed',
      why: 'w',
      source: 's',
      rounds: [
        {
          results: [
            {
              command: 'npm test',
              exit: { kind: 'exited', code: 1 },
              durationMs: 5,
              output: 'no',
              asBefore: true,
            },
          ],
          notRun: 1,
        },
      ],
      before: { state: 'reproduced', why: 'w', lines: ['not ok 1 - a'], round: { results: [], notRun: 0 } },
      originals: { paths: ['a.test.js'], round: { results: [], notRun: 0 } },
    },
    failureKey: 'e'.repeat(20),
    starts: { used: 2, max: 8 },
    statements: {
      summary: 's',
      changes: [
        {
          ...{ document: 'docs/a.md', startLine: 1, endLine: 2, reason: 'r', problem: 'p' },
          source: { path: 'src/a.ts', startLine: 3, endLine: 3, quote: 'q' },
        },
      ],
      uncovered: [{ document: 'docs/a.md', startLine: 4, endLine: 4, isRemoval: true }],
    },
    proposal: {
      ...{
        branch: 'agent/docs',
        commit: 'a'.repeat(40),
        firstBase: 'b'.repeat(40),
        pullRequest: 7,
        besides: 6,
      },
      ...{ isTaken: false, carried: ['docs/a.md'], leftOut: ['docs/b.md'] },
    },
    hook: { judged: 2, denied: 1, denials: { 'cursor-agent-action: denied by Shell(git)': 1 } },
    network: {
      state: 'closed',
      refused: [{ host: 'a.test:443', count: 1, why: 'w', allow: 'a.test' }],
      allowed: [{ host: 'b.test:443', count: 1, failed: 0, sentBytes: 1, receivedBytes: 2 }],
      ...{ moreRefused: 0, moreAllowed: 0, invalid: 0, overLimit: 0 },
    },
    tries: [{ reason: 'network', detail: 'd', waitMs: 1 }],
    corrections: [{ problem: 'p' }],
    notes: ['n'],
  },
);

describe('the report file', () => {
  it('is what its JSON Schema says (npm run docs writes it)', () => {
    expect(readFileSync(PATH, 'utf8')).toBe(schema);
  });

  it('has a version, the record and what follows from it', () => {
    const report = ReportSchema.parse(buildReport(recordOf(reportOf(denied, text('Hi.'), result()))));
    expect(report).toMatchObject({
      version: 1,
      verdict: { status: 'success' },
      report: { answer: 'Hi.', tools: [{ target: 'git push', state: 'denied' }] },
      denials: [
        {
          tool: 'shell',
          what: 'git push',
          count: 1,
          allow: [],
          instead: expect.stringContaining('later step'),
        },
      ],
      changedFiles: { source: 'agent', files: [] },
    });
  });

  it('has no field that the schema does not know, and every field that it knows', () => {
    expect(Object.keys(readStrictly(file(FULL))).sort()).toEqual(Object.keys(ReportSchema.shape).sort());
    for (const exit of [
      { kind: 'exited', code: 0 },
      { kind: 'signalled', signal: 'SIGKILL' },
      { kind: 'not-started', error: 'e' },
    ] as const)
      expect(readStrictly(file({ ...FULL, exit })).exit).toEqual(exit);
    const changes = { kind: 'unknown', note: 'n', violations: [] } as const;
    expect(readStrictly(file({ ...FULL, changes: { ...changes, violations: [] } })).changes).toEqual(changes);
    expect(() => readStrictly(JSON.stringify({ ...buildReport(FULL), later: 1 }))).toThrow('does not know');
  });

  it.each(fixtureNames())('has no field that the schema does not know, with the stream %s', (name) => {
    readStrictly(file(recordOf(streamReport(eventsOf(fixtureBytes(name))))));
  });

  it('may have fields that the schema does not know yet, for whoever reads it', () => {
    const later = { ...buildReport(recordOf(reportOf(result()))), later: { a: 1 } };
    expect(ReportSchema.safeParse(later).success).toBe(true);
    const isValid = new Ajv2020({ strict: false }).compile(jsonSchema);
    expect(isValid(JSON.parse(JSON.stringify(later)))).toBe(true);
    expect(isValid(JSON.parse(file(FULL)))).toBe(true);
    expect(isValid({ ...later, version: 2 })).toBe(false);
  });

  it('is told from what is none', () => {
    const report = buildReport(recordOf(reportOf(result()), { wallMs: Infinity }));
    expect(ReportSchema.safeParse(report).error?.issues.map(({ path }) => path)).toEqual([['wallMs']]);
  });
});
