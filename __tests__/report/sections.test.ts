import { describe, expect, it } from '@jest/globals';
import type { RunRecord } from '../../src/report/model.js';
import { buildHtml } from '../../src/report/render-html.js';
import { buildSummary } from '../../src/report/render-markdown.js';
import { buildSections } from '../../src/report/sections.js';
import { call, recordOf, reportOf, result, text } from './builders.js';

const HOSTILE = '</code></details><img src=x>|\n## `@everyone`.lock';
const record = recordOf(reportOf(text('Done.'), result()), {
  instruction: 'Look, and say what you see.',
  context: [
    {
      kind: 'diff',
      description: 'the change',
      file: '/tmp/context/diff.patch',
      bytes: 12_345,
      items: 3,
      outOf: 2000,
      leftOut: [HOSTILE, ...Array.from({ length: 200 }, (_, index) => `dist/${index}.js`)],
      inlined: false,
    },
  ],
});

describe('what the agent was given', () => {
  it('is in the summary, folded and bounded, as text', () => {
    const summary = buildSummary(record, 'full');
    expect(summary).toContain('What the agent was given: diff');
    expect(summary).toContain('12,345 bytes');
    expect(summary).toContain('3 of 2,000 changed files');
    expect(summary).toContain('Look, and say what you see.');
    expect(summary).toContain('201 in all');
    expect(summary).not.toContain('dist/100.js');
    expect(summary).not.toContain('<img');
    expect(summary).not.toContain('\n## `');
  });

  it('is on the page, as text', () => {
    const page = buildHtml(record);
    expect(page).toContain('What the agent was given');
    expect(page).toContain('3 of 2,000');
    expect(page).toContain('Look, and say what you see.');
    expect(page).not.toContain('<img');
  });

  it('includes the task of the preset, if the workflow gave none', () => {
    const task = recordOf(reportOf(text('Done.'), result()), { task: 'Find what is wrong.' });
    for (const shown of [buildSummary(task, 'full'), buildHtml(task)]) {
      expect(shown).toContain('What the agent was told');
      expect(shown).toContain('The preset’s task, because the workflow gave no prompt');
      expect(shown).toContain('Find what is wrong.');
    }
    expect(buildSummary(record, 'full')).not.toContain('The preset’s task');
  });

  it('is not told where there was nothing', () => {
    const bare = recordOf(reportOf(text('Done.'), result()));
    expect(buildSummary(bare, 'full')).not.toContain('What the agent was given');
    expect(buildHtml(bare)).not.toContain('What the agent was given');
  });
});

describe('the sections of a run', () => {
  const full = {
    ...record,
    ...recordOf(
      reportOf(
        { type: 'todos', merge: false, todos: [{ id: '1', text: 'a step', status: 'done' }] },
        { type: 'unknown', line: 1, why: 'record', label: 'new', sample: 'a sample' },
        call('1', { kind: 'edit', target: 'a.md', facts: { linesAdded: 2 } }),
        call('2', { state: 'denied', target: 'git push', message: 'a reason' }),
        text('Done.'),
        result(),
      ),
      {
        verdict: { status: 'failure', reason: 'timeout', detail: 'a detail' },
        tries: [{ reason: 'network', detail: 'a try', waitMs: 1 }],
        notes: ['a note'],
        stderr: 'an error',
      },
    ),
  };

  it('are the same in the summary and on the page, except what the page draws by itself', () => {
    const { head, failure, time, calls, ...others } = buildSections(full);
    const { pageUrl: _url, prompt: _prompt, ...shared } = others;
    const texts = [
      head.who,
      ...Object.values(failure ?? {}).filter((words) => words !== undefined),
      ...Object.values(shared).flatMap((section) => (section && 'title' in section ? [section.title] : [])),
      ...['a step', 'a.md', 'git push', 'a reason', 'a try', 'a note', 'an error', 'new × 1'],
    ];
    expect(texts.length).toBeGreaterThan(17);
    const page = buildHtml(full).replace(/<code>(timeout-minutes)<\/code>/g, '`$1`');
    for (const document of [buildSummary(full, 'full'), page])
      for (const words of texts) expect(document).toContain(words);
    // Calls that took no time say nothing about where it went.
    expect(time).toBeUndefined();
    expect(calls?.title).toBe('2 tool calls: 1 edit, 1 shell');
  });
});

describe('calls that a hook refused', () => {
  const refused = (id: string, message: string) =>
    ({
      type: 'tool-finished',
      callId: id,
      tool: { name: 'shell', kind: 'shell', target: 'git push', paths: [], isKnown: true },
      outcome: { status: 'denied', message, byHook: true },
      facts: {},
    }) as const;
  const OURS = 'Shell blocked by preToolUse hook: cursor-agent-action: denied by Shell(git)';
  const THEIRS = 'Command execution was blocked by a hook.';
  const deniedOf = (...messages: string[]) =>
    JSON.stringify(
      buildSections(
        recordOf(reportOf(...messages.map((words, index) => refused(String(index), words)), result())),
      ).denied,
    );

  it('by our own hook, name the rule and what to do', () => {
    const shown = deniedOf(OURS);
    expect(shown).toContain('"denied by Shell(git)"');
    expect(shown).toContain('Let a later step commit');
    expect(shown).not.toContain('hooks.json');
  });

  it('by another hook, name it as such, with no token and where to look', () => {
    const shown = deniedOf(THEIRS);
    expect(shown).not.toContain('"names"');
    expect(shown).not.toContain('allow: |');
    expect(shown).toContain(`by a hook that is not this action’s: ${THEIRS}`);
    expect(shown).toContain('/etc/cursor/hooks.json');
  });
});

describe('connections that the CLI lost', () => {
  it('are one remark, however many there were', () => {
    const notices = Array.from({ length: 10 }, (_, index) => [
      { type: 'notice', level: 'warning', text: `lost ${index}`, connection: 'lost' } as const,
      { type: 'notice', level: 'warning', text: `retry ${index}`, connection: 'retry' } as const,
    ]).flat();
    const summary = buildSummary(recordOf(reportOf(...notices, result())), 'full');
    expect(summary).toContain('lost 10 times and a request was sent again 10 times. The last time: retry 9');
    expect(summary.match(/lost \d/g)).toHaveLength(1);
  });
});

describe('work that was still running in the background', () => {
  const events = [
    {
      type: 'tool-finished',
      callId: '1',
      tool: { name: 'shell', kind: 'shell', target: 'npm run dev', paths: [], isKnown: true },
      outcome: { status: 'ok', message: '' },
      facts: {},
      background: { taskId: '7' },
    },
  ] as const;

  it('is named in the summary, and running on the page', () => {
    const running = recordOf(reportOf(...events, result()));
    expect(buildSummary(running, 'full')).toContain(
      'Still running in the background when the agent was done, and ended: shell <code>npm run dev</code>',
    );
    expect(buildHtml(running)).toContain('"state":"running","message":"","background":true');
  });
});

describe('denied calls', () => {
  const deniedWith = (setup: Partial<NonNullable<RunRecord['setup']>>, ...targets: string[]) => {
    const calls = targets.map((target, index) => call(String(index), { state: 'denied', target }));
    const record = recordOf(reportOf(...calls, text('Done.'), result()));
    return buildSummary({ ...record, setup: Object.assign({}, record.setup, setup) }, 'full');
  };

  it('come with one list that can be pasted, without what must stay denied', () => {
    const summary = deniedWith({ deny: ['Shell(*)'] }, 'npm test', 'make', 'npm ci', 'git push', 'sudo make');
    expect(summary).toContain('```yaml\nallow: |\n  Shell(npm)\n  Shell(make)\n```');
    expect(summary.match(/allow: \|/g)).toHaveLength(1);
    expect(summary).toMatch(/git push.*Let a later step commit/);
    expect(summary).toMatch(/sudo make.*isolation/);
  });

  it('in a mode that only reads, come with the mode that they need', () => {
    const review = { preset: 'review', mode: 'ask', force: false, deny: ['Shell(*)', 'Write(**)'] };
    expect(deniedWith(review, 'npm test')).toContain('```yaml\nmode: agent\nallow: |\n  Shell(npm)\n```');
  });

  it('have no list if nothing of it should be allowed', () => {
    expect(deniedWith({}, 'git push')).not.toContain('```yaml');
  });
});

describe('answers that could not be used', () => {
  it('are one line where the problem is the same', () => {
    const corrections = ['No JSON.', 'No JSON.', 'No field "a".'].map((problem) => ({ problem }));
    const summary = buildSummary(recordOf(reportOf(text('Hi.'), result()), { corrections }), 'full');
    expect(summary.match(/could not be used: No JSON\./g)).toHaveLength(1);
    expect(summary).toContain(
      '- Answer 1, 2 could not be used: No JSON.\n- Answer 3 could not be used: No field',
    );
  });
});

describe('what the summary leaves out', () => {
  it('is everything that would say zero', () => {
    const summary = buildSummary(
      { ...recordOf(reportOf(text('Hi.'), result())), agentMs: 3, wallMs: 3 },
      'full',
    );
    expect(summary).not.toMatch(/Tool&nbsp;calls|0\.0/);
  });

  it('is JSON, and what the failure has said already', () => {
    const stderr = 'Segmentation fault\nat 0x0';
    const detail = `The process ended with exit code 139.\n${stderr}`;
    const report = reportOf({
      type: 'unknown',
      line: 7,
      why: 'record',
      label: 'new',
      sample: '{"type":"new"}',
    });
    const exit = { kind: 'exited', code: 139 } as const;
    const failed = recordOf(report, {
      verdict: { status: 'failure', reason: 'crashed', detail },
      exit,
      stderr,
    });
    const summary = buildSummary(failed, 'full');
    expect(summary).not.toContain('{');
    expect(summary.match(/Segmentation/g)).toHaveLength(1);
    expect(summary.match(/139/g)).toHaveLength(1);
    expect(summary).toContain('1 line not recognised (line 7): new × 1');
  });

  it('are violations that the failure has listed', () => {
    const violation = 'src/a.ts: no Write rule allows it; Write(src/a.ts) would';
    const changes = { kind: 'unknown', note: '', violations: [violation, 'b: c'] } as const;
    const verdict = { status: 'failure', reason: 'policy-violation', detail: `x\n- ${violation}` } as const;
    const summary = buildSummary(
      recordOf(reportOf(result()), { verdict, changes: { ...changes, violations: [...changes.violations] } }),
      'full',
    );
    expect(summary.match(/no Write rule allows it/g)).toHaveLength(1);
    expect(summary).toContain('- b: c');
  });
});
