import { describe, expect, it } from '@jest/globals';
import { collectRoots, relativeTo } from '../../src/report/call-tracking.js';
import { foldEvents, assembleMessages } from '../../src/report/fold.js';
import { countCalls } from '../../src/report/run-report.js';
import type { AgentEvent, FinishedEvent, ToolOutcome, ToolUse, TextEvent } from '../../src/stream/events.js';

const OK: ToolOutcome = { status: 'ok', message: '' };
const tool = (changes: Partial<ToolUse> = {}): ToolUse => ({
  name: 'read',
  kind: 'read',
  target: '',
  paths: ['/repo/a.ts'],
  isKnown: true,
  ...changes,
});
const started = (callId: string, changes: Partial<ToolUse> = {}, atMs?: number): AgentEvent => ({
  type: 'tool-started',
  callId,
  tool: tool(changes),
  ...(atMs === undefined ? {} : { atMs }),
});
const finished = (
  callId: string,
  more: { outcome?: ToolOutcome; atMs?: number; output?: string } = {},
): AgentEvent => ({
  type: 'tool-finished',
  callId,
  outcome: more.outcome ?? OK,
  facts: more.output === undefined ? {} : { output: more.output },
  ...(more.atMs === undefined ? {} : { atMs: more.atMs }),
});
const said = (text: string): AgentEvent => ({ type: 'text', form: 'message', text });
const result: FinishedEvent = { type: 'finished', isError: false, text: 'glued' };

function fold(events: readonly AgentEvent[], roots = ['/repo']) {
  const folded = foldEvents(roots);
  const told = [...events.flatMap((event, index) => folded.add(event, index * 10)), ...folded.end()];
  return { ...folded, told };
}

describe('tool calls', () => {
  it('are paired by id alone, in any order', () => {
    const { report } = fold([
      started('a'),
      started('b'),
      started('a\nb'),
      finished('b'),
      finished('a\nb'),
      finished('a'),
    ]);
    expect(report.tools.map(({ number, state }) => [number, state])).toEqual([
      [1, 'ok'],
      [2, 'ok'],
      [3, 'ok'],
    ]);
  });

  it('tell of an end that is repeated only once', () => {
    const { told, report } = fold([
      started('a'),
      finished('a'),
      finished('a', { outcome: { status: 'failed', message: '' } }),
    ]);
    expect(told.filter(({ kind }) => kind === 'call-ended')).toHaveLength(1);
    expect(countCalls(report)).toEqual({ calls: 1, failed: 0, denied: 0 });
  });

  it('take their name from a beginning that comes after the end', () => {
    const { report } = fold([finished('a', { outcome: { status: 'failed', message: 'no' } }), started('a')]);
    expect(report.tools).toMatchObject([{ name: 'read', target: 'a.ts', state: 'failed' }]);
    expect(report.totals).toEqual({ read: { calls: 1, failed: 1, denied: 0, durationMs: 0 } });
  });

  it('that never ended are told at the end', () => {
    const { told } = fold([started('a'), result]);
    expect(told.at(-1)).toMatchObject({ kind: 'call-ended', call: { state: 'running' } });
  });

  it('that no call of this run began is told with what it said', () => {
    const end = {
      type: 'task-ended',
      taskId: '9',
      title: 'count lines',
      outcome: OK,
      output: 'There are\n11.',
    };
    expect(fold([end as AgentEvent]).report.notices).toMatchObject([
      { text: 'Work in the background ended: count lines; it said: There are ⏎ 11.' },
    ]);
  });

  it('take as long as the agent’s clock says, else ours', () => {
    const { report } = fold([
      started('a', {}, 1000),
      finished('a', { atMs: 1700 }),
      started('b'),
      finished('b', { atMs: 9 }),
    ]);
    expect(report.tools.map(({ durationMs }) => durationMs)).toEqual([700, 10]);
  });

  it('are told apart by ids that differ only at their very end', () => {
    const long = 'x'.repeat(100_000);
    const { report } = fold([started(`${long}1`), started(`${long}2`), finished(`${long}2`)]);
    expect(report.tools.map(({ state }) => state)).toEqual(['running', 'ok']);
  });

  it('of tools nobody knows are listed by name', () => {
    const odd = { name: '__proto__', isKnown: false };
    const { report } = fold([
      started('a', odd),
      started('b', odd),
      started('c', { name: 'constructor', isKnown: false }),
    ]);
    expect(Object.entries(report.unrecognised.tools)).toEqual([
      ['__proto__', 2],
      ['constructor', 1],
    ]);
  });

  it('without ids are paired by their tool, first come first served', () => {
    const events: AgentEvent[] = [
      { type: 'tool-started', tool: tool({ paths: ['1'] }) },
      { type: 'tool-started', tool: tool({ paths: ['2'] }) },
      {
        type: 'tool-finished',
        tool: tool({ paths: [] }),
        outcome: { status: 'failed', message: '' },
        facts: {},
      },
    ];
    expect(fold(events).report.tools).toMatchObject([
      { target: '1', state: 'failed' },
      { target: '2', state: 'running' },
    ]);
  });
});

describe('bounds', () => {
  it('list so many calls and count all of them', () => {
    const events = Array.from({ length: 21_000 }, (_, index) => [
      started(String(index)),
      finished(String(index), { outcome: { status: 'denied', message: '' }, output: 'x'.repeat(4000) }),
    ]).flat();
    const { report } = fold(events);
    expect(report.tools).toHaveLength(20_000);
    expect(countCalls(report)).toEqual({ calls: 21_000, failed: 0, denied: 21_000 });
    const kept = report.tools.reduce((sum, { facts }) => sum + (facts.output?.length ?? 0), 0);
    expect(kept).toBeLessThanOrEqual(8_000_000);
  });

  it('count each call once even when too many are open at a time', () => {
    const ids = Array.from({ length: 1_500 }, (_, index) => String(index));
    const { report, openCalls } = fold([...ids.map((id) => started(id)), ...ids.map((id) => finished(id))]);
    expect(countCalls(report).calls).toBe(1_500);
    expect(openCalls()).toEqual([]);
  });

  it('hold for plans, refusals, labels and errors', () => {
    const many = Array.from({ length: 3_000 }, (_, index): AgentEvent[] => [
      { type: 'todos', merge: true, todos: [{ id: String(index), text: 't', status: 'pending' }] },
      { type: 'refusal', what: 'w', reason: 'r' },
      { type: 'unknown', line: index, why: 'record', label: `label ${index}`, sample: '' },
      { type: 'error', text: `error ${index}` },
      { type: 'notice', level: 'info', text: 'n' },
      { type: 'session', cwd: `/root-${index}` },
    ]).flat();
    const { report } = fold(many);
    expect(report.todos).toHaveLength(200);
    expect(countCalls(report).denied).toBe(3_000);
    expect(report.refusals.length).toBeLessThan(3_000);
    expect(Object.keys(report.unrecognised.labels)).toHaveLength(51);
    expect(report.unrecognised.count).toBe(3_000);
    expect(report.errors.at(-1)).toBe('error 2999');
    expect(report.errors).toHaveLength(20);
    expect(report.notices.length).toBeLessThanOrEqual(200);
  });

  it('make no long message slow', () => {
    const { report } = fold([
      ...Array.from({ length: 200_000 }, (): AgentEvent => ({ type: 'text', form: 'delta', text: 'word ' })),
      result,
    ]);
    expect(report.answer.length).toBe(1_000_000);
  });
});

describe('refusals', () => {
  const asked: AgentEvent = { type: 'asked', queryId: '7', callId: 'a', what: 'web x' };
  const no: AgentEvent = { type: 'refusal', queryId: '7', what: 'web', reason: 'off' };

  it('of a call are its outcome, whatever its end says', () => {
    const { report } = fold([started('a'), asked, no, finished('a')]);
    expect(report.tools).toMatchObject([{ state: 'denied', message: 'off' }]);
    expect(countCalls(report)).toEqual({ calls: 1, failed: 0, denied: 1 });
  });

  it('count once when the call says so too', () => {
    const { report } = fold([
      asked,
      no,
      finished('a', { outcome: { status: 'denied', message: 'rejected' } }),
      no,
    ]);
    expect(countCalls(report)).toEqual({ calls: 1, failed: 0, denied: 1 });
  });

  it('count for a call that never ended or never came', () => {
    expect(countCalls(fold([started('a'), asked, no]).report).denied).toBe(1);
    const { report, told } = fold([asked, no]);
    expect(report.refusals).toEqual([{ what: 'web x', reason: 'off' }]);
    expect(told).toContainEqual({ kind: 'refused', what: 'web x', reason: 'off' });
  });

  it('of anything else stand by themselves', () => {
    const { report } = fold([{ type: 'refusal', what: 'mode', reason: '' }]);
    expect(report.refusals).toEqual([{ what: 'mode', reason: '' }]);
  });
});

describe('the answer', () => {
  it('is the last message, not the glued result', () => {
    expect(fold([said('one'), started('a'), finished('a'), said('two'), result]).report.answer).toBe('two');
  });

  it('is said once if the result says so', () => {
    expect(fold([said('ok'), said('ok'), { ...result, text: 'ok' }]).report).toMatchObject({
      answer: 'ok',
      messages: 1,
    });
  });

  it('is the result where nothing was said', () => {
    expect(fold([result]).report.answer).toBe('glued');
    expect(fold([{ ...result, isError: true }]).report.answer).toBe('');
  });
});

describe('the plan', () => {
  it('is changed entry by entry when told to merge', () => {
    const todo = (id: string, text: string, status: 'pending' | 'done') => ({ id, text, status });
    const { report, told } = fold([
      { type: 'todos', merge: false, todos: [todo('1', 'a', 'pending'), todo('2', 'b', 'pending')] },
      { type: 'todos', merge: true, todos: [todo('1', '', 'done'), todo('3', 'c', 'pending')] },
      { type: 'todos', merge: true, todos: [todo('1', 'a', 'done')] },
    ]);
    expect(report.todos).toEqual([
      todo('1', 'a', 'done'),
      todo('2', 'b', 'pending'),
      todo('3', 'c', 'pending'),
    ]);
    expect(told.filter(({ kind }) => kind === 'todos-changed')).toHaveLength(2);
  });
});

describe('a plan', () => {
  const plan = (text: string): AgentEvent => ({ type: 'plan', text });
  const edit = (outcome: ToolOutcome) => [
    started('e', { kind: 'edit', name: 'edit' }),
    finished('e', { outcome }),
  ];

  it('is the answer, and what announced it is not', () => {
    const { report, told } = fold([said('A plan follows.'), plan('1. Do it.\n'), result]);
    expect(report).toMatchObject({ answer: '1. Do it.', messages: 1 });
    expect(told).toContainEqual({ kind: 'plan-proposed', plan: '1. Do it.' });
  });

  it('is told once, however often it is sent', () => {
    const { told } = fold([plan('x'), plan('x'), plan('x\n'), plan('  ')]);
    expect(told.filter(({ kind }) => kind === 'plan-proposed')).toHaveLength(1);
  });

  it('is followed by what was said after it, and replaced by a newer plan', () => {
    expect(fold([plan('x'), said('Shall I?'), result]).report.answer).toBe('x\n\nShall I?');
    expect(fold([plan('x'), said('Shall I?'), plan('y'), result]).report.answer).toBe('y');
  });

  it('is no longer the answer when it is carried out', () => {
    expect(fold([plan('x'), ...edit(OK), said('Done.'), result]).report.answer).toBe('Done.');
  });

  it('stays the answer if the agent only looked, or was not allowed to write', () => {
    const denied = { status: 'denied', message: 'no' } as const;
    const events = [plan('x'), started('a'), finished('a'), ...edit(denied), result];
    expect(fold(events).report.answer).toBe('x');
  });
});

describe('work in the background', () => {
  const shell = { kind: 'shell', name: 'shell', target: 'npm test', paths: [] } as const;
  const goesOn = (callId: string, taskId?: string): AgentEvent => ({
    type: 'tool-finished',
    callId,
    outcome: OK,
    facts: { exitCode: 0 },
    background: taskId === undefined ? {} : { taskId },
  });
  const ended = (taskId: string, outcome: ToolOutcome = OK, atMs?: number): AgentEvent => ({
    type: 'task-ended',
    taskId,
    title: 'npm test',
    outcome,
    ...(atMs === undefined ? {} : { atMs }),
  });

  it('runs until its notification, and takes that long', () => {
    const folded = foldEvents();
    folded.add(started('a', shell, 1000), 0);
    expect(folded.add(goesOn('a', '7'), 50)).toMatchObject([{ kind: 'call-continues' }]);
    expect(folded.report.tools).toMatchObject([{ state: 'running', background: true, facts: {} }]);
    expect(folded.report.tools[0]?.facts.exitCode).toBeUndefined();
    expect(folded.openCalls()).toHaveLength(1);
    expect(folded.add(ended('7', OK, 41_000), 99)).toMatchObject([{ kind: 'call-ended' }]);
    expect(folded.report.tools).toMatchObject([{ state: 'ok', durationMs: 40_000 }]);
    expect(folded.openCalls()).toEqual([]);
  });

  it('can fail, and is counted once', () => {
    const failed = { status: 'failed', message: 'exit 1' } as const;
    const { report } = fold([started('a', shell), goesOn('a', '7'), goesOn('a', '7'), ended('7', failed)]);
    expect(report.totals.shell).toMatchObject({ calls: 1, failed: 1 });
    expect(report.tools).toMatchObject([{ state: 'failed', message: 'exit 1' }]);
  });

  it('of commands ends when the agent stops them; a sub-agent goes on', () => {
    const task = { kind: 'task', name: 'task', target: 'look', paths: [] } as const;
    const { report } = fold([
      started('a', shell),
      goesOn('a', '7'),
      started('b', task),
      goesOn('b', '8'),
      { type: 'shells-stopped' },
    ]);
    expect(report.tools.map(({ state }) => state)).toEqual(['failed', 'running']);
    expect(report.tools[0]?.message).toMatch(/stopped/);
  });

  it('is left running if nothing tells its end', () => {
    const { report, told } = fold([started('a', shell), goesOn('a'), ended('8')]);
    expect(report.tools).toMatchObject([{ state: 'running', background: true }]);
    expect(report.notices).toMatchObject([{ level: 'info', text: 'Work in the background ended: npm test' }]);
    expect(told.at(-1)).toMatchObject({ kind: 'call-ended', call: { state: 'running' } });
  });

  it('that was refused is denied', () => {
    const refusal: AgentEvent = { type: 'refusal', callId: 'a', what: 'shell', reason: 'no' };
    const { report } = fold([started('a', shell), refusal, goesOn('a', '7')]);
    expect(report.tools).toMatchObject([{ state: 'denied', message: 'no' }]);
  });
});

describe('connections that were lost', () => {
  const lost: AgentEvent = { type: 'notice', level: 'warning', text: 'lost', connection: 'lost' };
  const back: AgentEvent = { type: 'notice', level: 'info', text: 'back', connection: 'back' };

  it('are counted until the agent does something', () => {
    expect(fold([lost, back, lost]).report.lostInARow).toBe(2);
    expect(fold([lost, back, lost, said('x')]).report.lostInARow).toBeUndefined();
    expect(fold([lost, started('a'), lost]).report.lostInARow).toBe(1);
  });
});

describe('paths relative to the workspace', () => {
  it.each([
    [['/repo'], '/repo/src/a.ts', 'src/a.ts'],
    [['/repo/'], '/repo//a.ts', 'a.ts'],
    [['/repo'], '/repo', '.'],
    [['/repo'], '/repo/', '.'],
    [['/repo'], '/repository/a.ts', '/repository/a.ts'],
    [['/'], '/etc/passwd', '/etc/passwd'],
    [['/repo/sub', '/repo'], '/repo/a.ts', 'a.ts'],
    [['D:\\a\\repo'], 'D:\\a\\repo\\src\\a.ts', 'src/a.ts'],
    [['D:\\a\\repo'], 'D:\\a\\repo/src/a.ts', 'src/a.ts'],
    [['/private/tmp/x'], '/tmp/x/a.ts', 'a.ts'],
    [['/repo'], 'src/a.ts', 'src/a.ts'],
  ])('with roots %j, %s is %s', (roots, path, expected) => {
    expect(relativeTo(collectRoots(roots).list, path)).toBe(expected);
  });
});

type Step = [TextEvent['form'], string] | 'step' | 'aside';

/** The messages that come out of these steps, and the last of them. */
function assemble(...steps: Step[]): { messages: string[]; last: string } {
  const assembly = assembleMessages();
  const messages = steps.flatMap((step) =>
    typeof step === 'string'
      ? assembly.close(step)
      : assembly.add({ type: 'text', form: step[0], text: step[1] }),
  );
  return { messages: [...messages, ...assembly.close('step')], last: assembly.last() };
}

describe('a read that is not permitted', () => {
  const outcomeOf = (message: string, path: string, kind: 'read' | 'shell' = 'read') => {
    const folded = foldEvents(['/repo'], (asked) => (asked === '/repo/.env' ? 'Read(**/.env*)' : undefined));
    const tool = { name: 'read', kind, target: '', paths: [path], isKnown: true };
    folded.add({ type: 'tool-started', callId: 'a', tool }, 0);
    const outcome = { status: 'failed', message } as const;
    // The end of a refused call does not name its path again.
    const named = { ...tool, paths: [] };
    folded.add({ type: 'tool-finished', callId: 'a', tool: named, outcome, facts: {} }, 10);
    folded.end();
    const [call] = folded.report.tools;
    return [call?.state, call?.message, folded.report.totals[kind]?.denied];
  };

  it('was denied if a rule of the run covers its path, and failed otherwise', () => {
    expect(outcomeOf('Permission denied', '/repo/.env')).toEqual(['denied', 'denied by Read(**/.env*)', 1]);
    expect(outcomeOf('Permission denied', '/repo/locked')).toEqual(['failed', 'Permission denied', 0]);
    expect(outcomeOf('File not found', '/repo/.env')).toEqual(['failed', 'File not found', 0]);
    expect(outcomeOf('Permission denied', '/repo/.env', 'shell')[0]).toBe('failed');
  });
});

describe('messages', () => {
  it.each<[string, Step[], string[]]>([
    [
      'whole ones',
      [['repeat', 'one'], 'step', ['repeat', 'two'], 'step', ['message', 'three']],
      ['one', 'two', 'three'],
    ],
    ['the same one twice', [['repeat', 'on it'], 'step', ['repeat', 'on it']], ['on it', 'on it']],
    [
      'a whole one repeated at once',
      [
        ['repeat', 'one'],
        ['message', 'one'],
      ],
      ['one'],
    ],
    [
      'a whole one as two events',
      [
        ['repeat', 'one'],
        ['repeat', 'one'],
        'step',
        ['repeat', 'two'],
        ['message', 'end'],
        ['message', 'end'],
      ],
      ['one', 'two', 'end'],
    ],
    [
      'an unmarked one as two events',
      [
        ['message', 'This is the whole of it.'],
        ['message', 'This is the whole of it.'],
      ],
      ['This is the whole of it.'],
    ],
    ['the same one after a thought', [['repeat', 'one'], 'aside', ['repeat', 'one']], ['one', 'one']],
    [
      'the same pieces twice',
      [
        ['message', 'ha'],
        ['message', 'ha'],
      ],
      ['haha'],
    ],
    ['pieces and a repeat', [['delta', 'a'], ['delta', 'b'], ['repeat', 'ab'], 'step'], ['ab']],
    [
      'pieces and two repeats',
      [
        ['delta', 'a'],
        ['delta', 'b'],
        ['repeat', 'ab'],
        ['message', 'ab'],
      ],
      ['ab'],
    ],
    [
      'a second repeat after a call',
      [['delta', 'ab'], ['repeat', 'ab'], 'step', 'aside', ['message', 'ab']],
      ['ab'],
    ],
    ['pieces around something else', [['delta', 'a'], 'aside', ['delta', 'b'], ['repeat', 'ab']], ['ab']],
    [
      'pieces whose repeat never came',
      [['delta', 'a'], ['delta', 'b'], 'step', ['delta', 'c'], ['message', 'c']],
      ['ab', 'c'],
    ],
    [
      'pieces of two messages, one repeated',
      [['delta', 'one.'], 'aside', ['delta', 'two.'], ['message', 'two.']],
      ['one.', 'two.'],
    ],
    [
      'pieces whose beginning was lost',
      [
        ['delta', 'world'],
        ['message', 'hello world'],
      ],
      ['hello world'],
    ],
    [
      'a repeat that says something else',
      [
        ['delta', 'one'],
        ['message', 'two'],
      ],
      ['one', 'two'],
    ],
    ['pieces only', [['message', 'a '], ['message', 'b'], 'step', ['message', 'c']], ['a b', 'c']],
    ['pieces only, around a thought', [['message', 'a'], 'aside', ['message', 'b']], ['a', 'b']],
    ['white space', [['delta', ' \n'], ['repeat', ' \n'], 'step', ['message', '']], []],
  ])('%s', (_, steps, expected) => {
    const { messages, last } = assemble(...steps);
    expect(messages).toEqual(expected);
    expect(last).toBe(expected.at(-1) ?? '');
  });

  it.each([
    ['ok', 'ok'],
    ['Reading.ok', 'ok'],
    ['okok', 'okok'],
    ['', 'okok'],
  ])('that are short and come twice are one if the result is %j', (result, expected) => {
    const assembly = assembleMessages();
    for (let times = 0; times < 2; times += 1) assembly.add({ type: 'text', form: 'message', text: 'ok' });
    expect(assembly.close('step', result)).toEqual([expected]);
  });

  it('of two turns are two', () => {
    const assembly = assembleMessages();
    const add = (text: string, turn: number) => assembly.add({ type: 'text', form: 'message', text, turn });
    expect([...add('a', 1), ...add('b', 1), ...add('c', 2), ...assembly.close('step')]).toEqual(['ab', 'c']);
  });

  it('keep their end when they are too long', () => {
    const assembly = assembleMessages(10);
    for (let index = 0; index < 100; index += 1) {
      assembly.add({ type: 'text', form: 'delta', text: `${index % 10}` });
      expect(assembly.last().length).toBeLessThanOrEqual(20);
    }
    expect(assembly.close('step')).toEqual(['0123456789']);
  });
});
