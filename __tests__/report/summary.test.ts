import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { Marked, type Token } from 'marked';
import type { RunRecord } from '../../src/report/model.js';
import { buildAnnotations } from '../../src/report/annotations.js';
import { buildHtml } from '../../src/report/render-html.js';
import { buildSummary, SUMMARY_BYTES } from '../../src/report/render-markdown.js';
import { call, recordOf, reportOf, result, text } from './builders.js';
import { anyText } from './hostile-text.js';

const session = { type: 'session', sessionId: 's', model: 'Model <1>' } as const;
const parse = (markdown: string) =>
  fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });

/** A run that has every part, with the given text wherever a text of the agent stands. */
function recordWith(words: string): RunRecord {
  const kinds = ['shell', 'read', 'edit', 'web', 'other'] as const;
  const calls = kinds.flatMap((kind, index) => [
    call(`${index}a`, { kind, name: words, target: words, facts: { linesAdded: 1 } }),
    call(`${index}b`, { kind, name: words, target: words, state: 'failed', message: words }),
    call(`${index}c`, { kind, name: words, target: words, state: 'denied', message: words }),
  ]);
  const report = reportOf(
    { type: 'session', sessionId: words, model: words },
    { type: 'todos', merge: false, todos: [{ id: '1', text: words, status: 'done' }] },
    { type: 'unknown', line: 1, why: 'record', label: words, sample: words },
    { type: 'notice', level: 'warning', text: words },
    { type: 'refusal', what: words, reason: words },
    ...calls,
    result(),
  );
  return recordOf(report, {
    verdict: { status: 'failure', reason: 'agent-error', detail: words },
    changes: {
      kind: 'known',
      files: [{ path: words, status: words, added: 1 }],
      applied: 'allowed',
      paths: [words],
      ignored: 3,
      omitted: [words],
      violations: [words],
    },
    stderr: words,
    notes: [words],
    tries: [{ reason: 'network', detail: words, waitMs: 1 }],
    files: { result: words },
  });
}

/** The blocks of a document down to the cells of its tables, without the words in them. */
function outline(node: Nodes): unknown {
  if (node.type === 'html') return node.value.replace(/<summary>.*/s, '<summary>');
  if (node.type === 'heading') return `h${node.depth}`;
  if (node.type === 'code') return `code ${node.lang ?? ''}`;
  if (node.type === 'paragraph') return 'p';
  if (node.type === 'tableCell') return 'cell';
  return 'children' in node ? { [node.type]: (node.children as Nodes[]).map(outline) } : node.type;
}
const secondOutline = (markdown: string) =>
  new Marked({ gfm: true })
    .lexer(markdown)
    .filter(({ type }) => type !== 'space')
    .map((token: Token) =>
      token.type === 'heading' ? `h${(token as { depth: number }).depth}` : token.type,
    );

describe('buildSummary', () => {
  it('links to what the documents of this version say about the reason', () => {
    const failed = recordOf(reportOf(), {
      verdict: { status: 'failure', reason: 'timeout', detail: 'Too late.' },
      documentsUrl: 'https://github.com/o/cursor-agent-action/blob/v1.2.3/docs',
    });
    const url = 'https://github.com/o/cursor-agent-action/blob/v1.2.3/docs/troubleshooting.md#timeout';
    expect(buildSummary(failed, 'full')).toContain(`[More about this](${url})`);
    expect(buildSummary(failed, 'compact')).toContain(`[More about this](${url})`);
    expect(buildHtml(failed)).toContain(`<a href="${url}">More about this</a>`);
    expect(buildAnnotations(failed).map(({ text }) => text.split('\n').at(-1))).toEqual([`More: ${url}`]);
  });

  it('puts reason and remedy on top of a failure', () => {
    const summary = buildSummary(
      recordOf(reportOf(session, text('Half.')), {
        verdict: { status: 'failure', reason: 'timeout', detail: 'It was ended at the time limit.' },
        stderr: 'last words',
      }),
      'full',
    );
    const places = [
      'failed (<code>timeout</code>)',
      'What happened',
      'It was ended',
      'What to do',
      'Half.',
      'last words',
    ];
    const found = places.map((place) => summary.indexOf(place));
    expect(found.every((place) => place >= 0)).toBe(true);
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(summary).toContain('<details open><summary>Diagnostics');
  });

  it('has the numbers that are known, and no others', () => {
    const summary = buildSummary(
      recordOf(reportOf(session, { ...result(), costUsd: 0.5 } as never)),
      'compact',
    );
    expect(summary.replaceAll('&nbsp;', ' ')).toContain(
      '**Time** 1 min · **Model** Model &#60;1&#62; · **Cost** $0.5000\n',
    );
  });

  it('names for each denial what was refused, why, and the token that would allow it', () => {
    const denied = { state: 'denied', target: 'git push', message: 'not allowed' } as const;
    const summary = buildSummary(recordOf(reportOf(call('1', denied), call('2', denied), result())), 'full');
    expect(summary).toContain('| shell <code>git push</code> × 2 | not allowed | git and gh stay denied.');
    const npm = call('1', { ...denied, target: 'npm test' });
    const { setup } = recordOf(reportOf());
    const strict = { setup: { ...setup!, deny: ['Shell(*)'] } };
    expect(buildSummary(recordOf(reportOf(npm, result()), strict), 'full')).toContain('  Shell(npm)\n');
  });

  it('tells changed files by git where it looked, else by the agent’s own edits', () => {
    const report = reportOf(
      call('1', { kind: 'edit', target: 'a.md', facts: { linesAdded: 2, linesRemoved: 1 } }),
      call('2', { kind: 'edit', target: 'a.md', facts: { linesAdded: 1 } }),
      result(),
    );
    expect(buildSummary(recordOf(report), 'full')).toContain('| <code>a.md</code> | modified | +3 −1 |');
    const changes = {
      kind: 'known' as const,
      files: [{ path: 'b.md', status: 'added', added: 5 }],
      applied: 'none' as const,
      paths: [],
      ignored: 1,
      omitted: [],
      violations: ['b.md is outside'],
    };
    const looked = buildSummary(recordOf(report, { changes }), 'full');
    expect(looked).toContain('| <code>b.md</code> | added | +5 −0 |');
    expect(looked).toContain('- b.md is outside');
    expect(looked).toContain('Nothing was applied: the checkout is unchanged.');
    expect(looked).toContain('1 more file that git ignores was changed; it was not applied.');
    expect(looked).not.toContain('| <code>a.md</code> | modified');
  });

  it('has the same outer structure, whatever the texts of the agent are', () => {
    const expected = outline(parse(buildSummary(recordWith('word'), 'full')));
    const second = secondOutline(buildSummary(recordWith('word'), 'full'));
    fc.assert(
      fc.property(
        anyText.filter((words) => words.trim() !== ''),
        (words) => {
          // What is only a different number of lines is no difference in structure.
          const summary = buildSummary(
            recordWith(`x${words.replace(/[\n\r\u2028\u2029\u0085]/g, ' ')}x`),
            'full',
          );
          expect(outline(parse(summary))).toEqual(expected);
          expect(secondOutline(summary)).toEqual(second);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps the answer from reaching what stands before and after it', () => {
    const withAnswer = (words: string) => {
      const record = recordOf(reportOf(text(words), call('1'), result()), { stderr: 'e' });
      return (parse(buildSummary(record, 'full')).children as Nodes[]).map(outline);
    };
    const plain = withAnswer('word');
    const after = plain.slice(3);
    expect(plain.slice(0, 3)).toEqual(['h2', 'h3', 'p']);
    fc.assert(
      fc.property(anyText, (words) => {
        const blocks = withAnswer(`${words}x`);
        expect(blocks[0]).toBe('h2');
        expect(blocks.slice(-after.length)).toEqual(after);
        const headings = blocks.filter((block) => block === 'h1' || block === 'h2' || block === 'h3');
        const own = plain.filter((block) => block === 'h2' || block === 'h3');
        // Words that show nothing, such as a link definition alone, have no title.
        expect([own, own.filter((_block, index) => index !== 1)]).toContainEqual(headings);
      }),
      { numRuns: 120 },
    );
  });

  it('stays below the limit and keeps everything closed, whatever there is to tell', () => {
    const long = 'é'.repeat(100);
    const calls = Array.from({ length: 3000 }, (_, index) =>
      call(String(index), { target: `${index} ${long}`, state: 'denied', message: long }),
    );
    const answer = `# Title\n\n${'words and words\n\n'.repeat(20_000)}`;
    const record = recordOf(reportOf(session, ...calls, text(answer), result()), {
      stderr: long.repeat(1000),
    });
    const sizes = [SUMMARY_BYTES, 200_000, 100_000, 50_000, 10_000, 1500].map((room) => {
      const summary = buildSummary(record, 'full', { room });
      expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(room);
      expect(summary.match(/<details/g)?.length).toBe(summary.match(/<\/details>/g)?.length);
      expect((summary.match(/^`{3,}/gm)?.length ?? 0) % 2).toBe(0);
      expect(summary).toContain('done');
      expect(summary).toContain('words and words');
      expect(summary).toContain(
        'The whole answer is in the file that the output <code>result-file</code> names.',
      );
      return summary.length;
    });
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(new Set(sizes).size).toBeGreaterThan(3);
    expect(buildSummary(record, 'full', { room: 60 })).toBe('## ✅ Cursor agent (docs): done\n');
    expect(buildSummary(record, 'full', { room: 10 })).toBe('');
    expect(buildSummary(record, 'full', { room: -5 })).toBe('');
  });
});

describe('what the agent was allowed', () => {
  const rules = (count: number) => Array.from({ length: count }, (_, index) => `Write(place-${index}/**)`);
  const summaryWith = (deny: string[], given: Partial<RunRecord> = {}) => {
    const record = recordOf(reportOf(session, result()), given);
    return buildSummary({ ...record, setup: { ...record.setup!, deny, force: true } }, 'full');
  };

  it('is one line with a link where the rules are many, and a list where they are few', () => {
    const linked = summaryWith(rules(87), { pageUrl: 'https://example.com/page' });
    expect(linked).toContain(
      'Denied, even if allowed (87): [the list is on the page](https://example.com/page).',
    );
    expect(linked).not.toContain('place-0');
    expect(summaryWith(rules(87))).toContain('Denied, even if allowed (87): all of them are in the report.');
    expect(summaryWith(rules(3))).toContain('place-2');
  });

  it('names --force only where it is passed', () => {
    expect(summaryWith([])).toContain(', with <code>--force</code>.');
    const record = recordOf(reportOf(session, result()));
    const without = buildSummary({ ...record, setup: { ...record.setup!, force: false } }, 'full');
    expect(without).not.toMatch(/force/);
  });

  it('has names in notes as code, without backticks', () => {
    const summary = buildSummary(
      recordOf(reportOf(session, result()), { notes: ['Set `credential: key`.'] }),
      'full',
    );
    expect(summary).toContain('Set <code>credential: key</code>.');
    expect(summary).not.toMatch(/&#96;|`credential/);
  });
});
