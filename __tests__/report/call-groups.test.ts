import { describe, expect, it } from '@jest/globals';
import { printGuarded } from '../../src/run/run-output.js';
import { buildCallGroups } from '../../src/report/live-log.js';
import { call, reportOf } from './builders.js';

describe('buildCallGroups', () => {
  it('has a group for each call with more to tell than its line', () => {
    const { groups, left } = buildCallGroups(
      reportOf(
        call('1', { facts: { output: 'one\n::error::two\n' } }),
        call('2', { target: 'echo a\necho b' }),
        call('3'),
      ),
    );
    expect(left).toBe(0);
    expect(groups).toEqual([
      { title: '+0:00 shell npm test (0.0 s)', lines: ['one', ':\\:error::two'] },
      { title: '+0:01 shell echo a echo b (0.0 s)', lines: ['echo a', 'echo b'] },
    ]);
  });

  it('keeps to a number of groups and lines, and to those that went wrong first', () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      call(String(index), {
        facts: { output: 'x\n'.repeat(100) },
        ...(index >= 250 ? { state: 'failed', message: 'exit 1' } : {}),
      }),
    );
    const { groups, left } = buildCallGroups(reportOf(...many));
    expect([groups.length, left]).toEqual([200, 100]);
    expect(groups.filter(({ title }) => title.includes('failed'))).toHaveLength(50);
    expect(groups[0]?.lines).toHaveLength(61);
    expect(groups[0]?.lines.at(-1)).toBe('… 40 more lines; see report-html');
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
