import { describe, expect, it } from '@jest/globals';
import { buildHtml } from '../../src/report/html.js';
import { buildSummary } from '../../src/report/summary.js';
import { recordOf, reportOf, result, text } from './builders.js';

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
    expect(page).toContain('What it was given');
    expect(page).toContain('3 of 2,000');
    expect(page).toContain('Look, and say what you see.');
    expect(page).not.toContain('<img');
  });

  it('is not told where there was nothing', () => {
    const bare = recordOf(reportOf(text('Done.'), result()));
    expect(buildSummary(bare, 'full')).not.toContain('What the agent was given');
    expect(buildHtml(bare)).not.toContain('What it was given');
  });
});
