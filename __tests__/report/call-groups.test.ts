import { describe, expect, it } from '@jest/globals';
import { printGuarded } from '../../src/run/run-output.js';
import { buildCallGroups } from '../../src/report/live-log.js';
import { call, reportOf } from './builders.js';

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
