import { describe, expect, it } from '@jest/globals';
import { joinCheck, joinParallel, joinReports, countCalls } from '../../src/report/run-report.js';
import type { AgentEvent } from '../../src/stream/events.js';
import { call, reportOf, text } from './builders.js';

const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
const finished = (words: string, more: object = {}): AgentEvent => ({
  type: 'finished',
  isError: false,
  text: words,
  durationMs: 100,
  durationApiMs: 50,
  costUsd: 0.25,
  turns: 2,
  usage,
  ...more,
});
const unknown = (label: string): AgentEvent => ({
  type: 'unknown',
  why: 'record',
  label,
  line: 1,
  sample: '',
});

describe('joinReports', () => {
  const earlier = reportOf(
    { type: 'session', sessionId: 'chat', model: 'M' },
    call('1'),
    call('2', { state: 'denied', target: 'git push' }),
    { type: 'refusal', what: 'rm', reason: 'no' },
    { type: 'notice', level: 'warning', text: 'first' },
    { type: 'todos', merge: false, todos: [{ id: '1', text: 'Look', status: 'done' }] },
    unknown('new/thing'),
    text('wrong'),
    finished('wrong'),
  );
  const later = reportOf(
    call('1', { kind: 'read', target: 'a.ts' }),
    unknown('new/thing'),
    text('right'),
    finished('right'),
  );
  const joined = joinReports(earlier, later, 60_000);

  it('adds up what was counted', () => {
    expect(joined).toMatchObject({
      messages: 2,
      durationMs: 200,
      durationApiMs: 100,
      costUsd: 0.5,
      turns: 4,
    });
    expect(joined.usage).toEqual({
      inputTokens: 2,
      outputTokens: 4,
      cacheReadTokens: 6,
      cacheWriteTokens: 8,
    });
    expect(countCalls(joined)).toEqual({ calls: 3, failed: 0, denied: 2 });
    expect(joined.totals.shell?.calls).toBe(2);
    expect(joined.totals.read?.calls).toBe(1);
    expect(joined.unrecognised).toMatchObject({ count: 2, labels: { 'new/thing': 2 } });
  });

  it('numbers the later calls on, at the time they were made', () => {
    expect(joined.tools.map(({ number, target }) => `${number} ${target}`)).toEqual([
      '1 npm test',
      '2 git push',
      '3 a.ts',
    ]);
    expect(joined.tools[2]?.startMs).toBe((later.tools[0]?.startMs ?? 0) + 60_000);
  });

  it('has the last word from the later one, and keeps what that does not tell', () => {
    expect(joined).toMatchObject({
      answer: 'right',
      result: { text: 'right' },
      sessionId: 'chat',
      model: 'M',
    });
    expect(joined.todos).toEqual(earlier.todos);
    expect(joined.notices).toEqual(earlier.notices);
    expect(joined.refusals).toEqual(earlier.refusals);
  });

  it('has no result where the later one has none, but keeps the answer', () => {
    const silent = joinReports(earlier, reportOf(), 1);
    expect(silent.result).toBeUndefined();
    expect(silent).toMatchObject({ answer: 'wrong', durationMs: 100, usage });
  });

  it('keeps within the bounds of a single report', () => {
    const many = (what: string) =>
      Array.from({ length: 700 }, (): AgentEvent => ({ type: 'refusal', what, reason: '' }));
    const both = joinReports(reportOf(...many('a')), reportOf(...many('b')), 1);
    expect(both.refusals).toHaveLength(1000);
    expect(countCalls(both).denied).toBe(1400);
  });
});

describe('the reports of passes', () => {
  const pass = (name: string, durationMs: number) =>
    reportOf(
      { type: 'session', sessionId: name, model: 'M' },
      call('1', { target: name }),
      text(`${name} looked.`),
      finished(name, { durationMs }),
    );

  it('are one, with everything that is paid for added up, and the time of the slowest', () => {
    const joined = joinParallel(pass('a', 100), [pass('b', 300), pass('c', 200)]);
    expect(joined).toMatchObject({
      ...{ sessionId: 'a', answer: 'a looked.', durationMs: 300, costUsd: 0.75, turns: 6 },
      usage: { inputTokens: 3, outputTokens: 6, cacheReadTokens: 9, cacheWriteTokens: 12 },
    });
    expect(joined.result?.text).toBe('a');
    expect(joined.tools.map(({ number, target }) => `${number} ${target}`)).toEqual(['1 a', '2 b', '3 c']);
    expect(countCalls(joined).calls).toBe(3);
  });

  it('keep their answer, and what was checked afterwards counts', () => {
    const joined = joinCheck(pass('a', 100), pass('check', 50), 1000);
    expect(joined).toMatchObject({ sessionId: 'a', answer: 'a looked.', durationMs: 150, costUsd: 0.5 });
    expect(joined.tools.map(({ target }) => target)).toEqual(['a', 'check']);
    expect(joinCheck(reportOf(), pass('check', 50), 0)).not.toHaveProperty('sessionId');
  });
});
