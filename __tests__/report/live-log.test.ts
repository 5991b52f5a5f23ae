import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LogEvent } from '../../src/report/fold.js';
import {
  createLiveLog,
  describeLogEvent,
  type LogOptions,
  buildCallGroups,
} from '../../src/report/live-log.js';
import type { ToolCall } from '../../src/report/model.js';
import { printGuarded } from '../../src/run/run-output.js';
import { call, reportOf } from './builders.js';

const callOf = (given: Partial<ToolCall>): ToolCall => ({
  number: 1,
  name: 'x',
  kind: 'shell',
  target: 'npm test',
  state: 'ok',
  message: '',
  startMs: 0,
  facts: {},
  ...given,
});
const ended = (given: Partial<ToolCall>): LogEvent => ({ kind: 'call-ended', call: callOf(given) });
const lines = (event: LogEvent, debug = false) =>
  describeLogEvent(event, 72_400, { debug }).map(({ text }) => text);
const logOf = (options: Partial<LogOptions> = {}) => {
  const printed: string[] = [];
  const print = (some: readonly string[]) => printed.push(...some);
  return { printed, log: createLiveLog({ debug: false, colour: false, print, ...options }) };
};

describe('describeLogEvent', () => {
  it.each<[string, LogEvent, string[]]>([
    [
      'a read',
      ended({ kind: 'read', target: 'src/a.ts', facts: { linesRead: 54 } }),
      ['+1:12 read   src/a.ts (54 lines)'],
    ],
    [
      'an edit',
      ended({ kind: 'edit', target: 'a.md', facts: { linesAdded: 3, linesRemoved: 1 } }),
      ['+1:12 edit   a.md (+3 −1)'],
    ],
    [
      'a failure',
      ended({ state: 'failed', message: 'exit 1', durationMs: 3200 }),
      ['+1:12 shell  npm test → exit 1 (3.2 s)'],
    ],
    [
      'a denial',
      ended({ state: 'denied', target: 'make all', message: '' }),
      ['+1:12 denied make all — allow with Shell(make)'],
    ],
    [
      'a denial that should stay',
      ended({ state: 'denied', target: 'sudo make', message: 'no' }),
      ['+1:12 denied sudo make — no. It would get around the isolation. Do this in a step before the agent.'],
    ],
    [
      'a denial with its reason',
      ended({ kind: 'edit', state: 'denied', target: 'a.md', message: 'no' }),
      ['+1:12 denied edit a.md — allow with Write(a.md) (no)'],
    ],
    [
      'a denial that no token lifts',
      ended({ kind: 'task', state: 'denied', target: 'plan it', message: 'no' }),
      ['+1:12 denied task plan it — no'],
    ],
    [
      'a denial by our own hook',
      ended({
        state: 'denied',
        target: 'git push',
        message: 'Shell blocked by preToolUse hook: cursor-agent-action: denied by Shell(git)',
        byHook: true,
      }),
      [
        '+1:12 denied git push — denied by Shell(git). git and gh stay denied. Let a later step commit or publish, such as propose or publish.',
      ],
    ],
    [
      'a denial by the hook of somebody else',
      ended({
        state: 'denied',
        target: 'git push',
        message: 'Command execution was blocked by a hook.',
        byHook: true,
      }),
      [
        '+1:12 denied git push — by a hook that is not this action’s: Command execution was blocked by a hook.',
      ],
    ],
    [
      'a read of some lines',
      ended({ kind: 'read', target: 'a.ts', facts: { linesRead: 1234, firstLine: 10, lastLine: 49 } }),
      ['+1:12 read   a.ts (lines 10–49 of 1,234)'],
    ],
    [
      'a command that goes on',
      { kind: 'call-continues', call: callOf({ state: 'running', background: true }) },
      ['+1:12 shell  npm test (goes on in the background)'],
    ],
    [
      'a command that never ended',
      ended({ state: 'running', background: true }),
      ['+1:12 shell  npm test (still running in the background when the run ended)'],
    ],
    [
      'a plan that is proposed',
      { kind: 'plan-proposed', plan: '# Plan\n1. Go.' },
      ['+1:12 plan   # Plan', '             1. Go.'],
    ],
    ['an unknown tool', ended({ kind: 'other', name: 'paint', target: '' }), ['+1:12 paint']],
    [
      'a plan',
      {
        kind: 'todos-changed',
        todos: [
          { id: '1', text: 'Look', status: 'done' },
          { id: '2', text: 'Act', status: 'in-progress' },
        ],
      },
      ['+1:12 plan   1/2 done, now: Act'],
    ],
    ['a message', { kind: 'said', text: 'One.\nTwo.' }, ['+1:12 says   One.', '             Two.']],
    [
      'a notice',
      { kind: 'noticed', level: 'warning', text: 'connection lost' },
      ['+1:12 warn   connection lost'],
    ],
    ['an error', { kind: 'erred', text: 'oh' }, ['+1:12 error  oh']],
    ['the end', { kind: 'finished', isError: false }, ['+1:12 end    the agent reported success']],
    [
      'text',
      {
        kind: 'unrecognised',
        unknown: { type: 'unknown', line: 3, why: 'text', label: 'text', sample: 'hi' },
      },
      ['+1:12 text   hi'],
    ],
    [
      'a record',
      {
        kind: 'unrecognised',
        unknown: { type: 'unknown', line: 3, why: 'record', label: 'a/b', sample: '{}' },
      },
      ['+1:12 unknown line 3 not recognised (a/b)'],
    ],
  ])('tells %s', (_name, event, expected) => {
    expect(lines(event)).toEqual(expected);
  });

  it('shows a command when it starts, and what takes no time only when it ends', () => {
    const started = (given: Partial<ToolCall>): LogEvent => ({ kind: 'call-started', call: callOf(given) });
    expect(lines(started({}))).toEqual(['+1:12 shell  npm test …']);
    expect(lines(started({ kind: 'task', target: 'look around' }))).toEqual(['+1:12 task   look around …']);
    expect(lines(started({ kind: 'read', target: 'a.ts' }))).toEqual([]);
    expect(lines(started({ kind: 'read', target: 'a.ts' }), true)).toEqual(['+1:12 read   a.ts …']);
  });

  it('describes JSON instead of printing it', () => {
    const said = (text: string) => lines({ kind: 'said', text }).map((line) => line.slice(13));
    const finding = { path: 'a', startLine: 1, endLine: 1, title: 't', body: '' };
    const findings = ['high', 'low', 'low'].map((severity) => ({ ...finding, severity }));
    const review = JSON.stringify({ summary: 's', findings }, undefined, 1);
    expect(said(review)).toEqual(['the answer: 3 findings: 1 high, 2 low']);
    expect(said(`Here it is:\n\n\`\`\`json\n${review}\n\`\`\`\nThat is all.`)).toEqual([
      ...['Here it is:', '', 'the answer: 3 findings: 1 high, 2 low', 'That is all.'],
    ]);
    expect(said('{\n "a": 1\n}')).toEqual(['the answer, as JSON (3 lines)']);
    // Only a review is counted: the findings of other JSON can be anything.
    for (const other of [{ findings: [] }, { summary: 's', findings: [{ severity: 'high', title: 't' }] }])
      expect(said(JSON.stringify(other))).toEqual(['the answer, as JSON (1 line)']);
    // What is not JSON stays as it is.
    for (const text of ['{ not json', '[link](x) first', '```json\n{ open', '```json\n{\n```'])
      expect(said(text)).toEqual(text.split('\n'));
  });

  it('keeps thinking and beginnings for those who debug', () => {
    const thought: LogEvent = { kind: 'thought', text: 'Hm.' };
    expect(lines(thought)).toEqual([]);
    expect(lines(thought, true)).toEqual(['+1:12 think  Hm.']);
  });

  it('shows the beginning of a message that is too long for a log', () => {
    const shown = lines({ kind: 'said', text: 'x\n'.repeat(1000) });
    expect(shown.length).toBeLessThan(250);
    expect(shown.at(-1)).toMatch(/more lines, all of them in result-file/);
  });

  it('colours whole lines, and never makes one longer than 1,000 characters by it', () => {
    const { printed, log } = logOf({ colour: true });
    log.tell(ended({ state: 'failed', message: 'exit 1' }), 1000);
    log.tell(ended({ state: 'failed', message: 'x'.repeat(5000) }), 1000);
    expect(printed[0]).toBe('\u001b[31m+0:01 shell  npm test → exit 1\u001b[0m');
    expect(printed[1]?.length).toBeLessThanOrEqual(1000);
  });

  it('never writes more than 1,000 characters a line, nor a line within a line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5000 }), (text) => {
        for (const event of [
          ended({ target: text, state: 'failed', message: text }),
          { kind: 'said', text } as const,
        ]) {
          for (const line of lines(event)) {
            expect(line.length).toBeLessThanOrEqual(1000);
            expect(line).not.toMatch(/[\r\n]/);
          }
        }
      }),
    );
  });
});

describe('createLiveLog', () => {
  const running = { ...(ended({}) as { call: ToolCall }).call, state: 'running' as const, startMs: 5000 };

  it('gives a sign of life while a tool runs long, less and less often', () => {
    const { printed, log } = logOf();
    for (let second = 0; second <= 300; second += 5) log.tick(second * 1000, [running]);
    expect(printed).toEqual([
      '+0:30 wait   shell npm test still running after 25.0 s',
      '+1:30 wait   shell npm test still running after 1 min 25 s',
      '+3:30 wait   shell npm test still running after 3 min 25 s',
    ]);
  });

  it('tells silence from thinking', () => {
    const { printed, log } = logOf();
    log.tell({ kind: 'erred', text: 'x' }, 1000);
    log.tick(20_000, []);
    log.tick(31_000, []);
    log.heard(50_000);
    log.tick(91_000, []);
    log.tick(95_000, []);
    expect(printed.slice(1)).toEqual([
      '+0:31 wait   nothing from the agent for 30.0 s',
      '+1:31 wait   the agent is thinking or writing',
    ]);
  });

  it('leaves out lines above its cap, counts them, and still shows what went wrong', () => {
    const { printed, log } = logOf();
    for (let count = 0; count < 5007; count += 1) log.tell(ended({}), 0);
    log.tell(ended({ state: 'failed', message: 'exit 1' }), 0);
    log.tell({ kind: 'finished', isError: false }, 0);
    log.end();
    expect(printed).toHaveLength(5003);
    expect(printed.slice(5000)).toEqual([
      '+0:00 shell  npm test → exit 1',
      '+0:00 end    the agent reported success',
      '… 7 more lines; transcript-file has it all',
    ]);
  });
});

describe('buildCallGroups', () => {
  it('has a few groups with the calls that have more to tell than their line', () => {
    const groups = buildCallGroups(
      reportOf(
        call('1', { facts: { output: 'one\n::error::two\n' } }),
        call('2', { kind: 'read', target: 'a.ts', facts: { output: 'text' } }),
        call('3', { target: 'echo a\necho b' }),
        call('4'),
        call('5', { kind: 'edit', target: 'b.ts', facts: { output: '+x', linesAdded: 1 } }),
        call('6', { state: 'failed', message: 'exit 1', facts: { output: 'FAIL' } }),
        call('7', { kind: 'other', name: 'dance', target: 'x', facts: { output: 'y' } }),
      ),
    );
    expect(groups).toEqual([
      {
        title: 'Details of failed and denied calls (1)',
        lines: ['+0:05 shell npm test (failed, exit 1)', '    FAIL'],
      },
      {
        title: 'Details of commands (2)',
        lines: [
          ...['+0:00 shell npm test', '    one', '    :\\:error::two'],
          ...['+0:02 shell echo a echo b', '    echo a', '    echo b'],
        ],
      },
      { title: 'Details of edits (1)', lines: ['+0:04 edit b.ts (+1 −0)', '    +x'] },
      { title: 'Details of reads and searches (1)', lines: ['+0:01 read a.ts', '    text'] },
      { title: 'Details of other calls (1)', lines: ['+0:06 dance x', '    y'] },
    ]);
  });

  it('keeps 500 calls in a few groups, each of them bounded', () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      call(String(index), {
        kind: (['shell', 'read', 'edit', 'search', 'web'] as const)[index % 5] ?? 'shell',
        facts: { output: 'x\n'.repeat(100) },
        ...(index >= 450 ? { state: 'failed', message: 'exit 1' } : {}),
      }),
    );
    const groups = buildCallGroups(reportOf(...many));
    expect(groups.map(({ title }) => title)).toEqual([
      'Details of failed and denied calls (50)',
      ...['commands (90)', 'edits (90)', 'reads and searches (270)'].map((words) => `Details of ${words}`),
    ]);
    for (const { lines } of groups) expect(lines.length).toBeLessThanOrEqual(1001);
    expect(groups[0]?.lines[61]).toBe('    … 40 more lines; see report-html');
    expect(groups[1]?.lines.at(-1)).toBe('… 74 more calls; report-html has them all');
  });
});

describe('printGuarded', () => {
  it('lets no line of the agent speak to the runner', () => {
    let written = '';
    printGuarded('title 100%', ['a', 'b'], (text) => (written += text));
    expect(written).toMatch(
      /^::group::title 100%25\n::stop-commands::([\w-]+)\na\nb\n::\1::\n::endgroup::\n$/,
    );
  });
});
