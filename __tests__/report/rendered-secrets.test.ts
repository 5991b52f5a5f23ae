import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { marked } from 'marked';
import { findingsFiles } from '../../src/review/findings-files.js';
import { buildHtml } from '../../src/report/render-html.js';
import { logLine } from '../../src/text/plain-text.js';
import { createRedaction, redactAll } from '../../src/text/redact.js';
import { buildReport } from '../../src/report/sections.js';
import type { RunRecord } from '../../src/report/model.js';
import { buildSummary } from '../../src/report/render-markdown.js';
import { recordOf, reportOf } from './builders.js';

/** What a reader sees of HTML. */
const visible = (html: string): string =>
  html
    .replace(/<(style|script)\b[^]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, '')
    .replace(/&#x([\da-f]+);/gi, (_, digits: string) => String.fromCodePoint(parseInt(digits, 16)))
    .replace(/&#(\d+);/g, (_, digits: string) => String.fromCodePoint(Number(digits)))
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
const embedded = (html: string): string =>
  /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? '';

/** Everything that is shown of a run in which the agent says `text` wherever it can. */
function shown(text: string, key: string): [string, string][] {
  const redaction = createRedaction([key]);
  const record: RunRecord = redactAll(recordSaying(text), redaction.redact);
  const summary = buildSummary(record, 'full', { redaction });
  const page = buildHtml(record, redaction);
  const review = {
    summary: text,
    findings: [
      {
        path: 'a.ts',
        startLine: 1,
        endLine: 1,
        severity: 'high' as const,
        title: text,
        body: text,
        place: 'unchecked' as const,
        count: 1,
      },
    ],
  };
  const { sarif, rdjson } = findingsFiles(redactAll(review, redaction.redact), '/', redaction);
  const message =
    (JSON.parse(rdjson) as { diagnostics: { message: string }[] }).diagnostics[0]?.message ?? '';
  const reviewed = buildSummary({ ...record, review: redactAll(review, redaction.redact) }, 'full', {
    redaction,
  });
  return [
    ['summary', summary],
    ['summary, rendered', visible(marked.parse(summary, { async: false }))],
    ['review, rendered', visible(marked.parse(reviewed, { async: false }))],
    ['page', visible(page)],
    ['data of the page', embedded(page)],
    ['report', JSON.stringify(buildReport(record))],
    ['sarif', sarif],
    ['rdjson, rendered', visible(marked.parse(message, { async: false }))],
    ['log', redaction.redact(logLine(redaction.redact(text)))],
    ['answer, rendered as it is', visible(marked.parse(record.report.answer, { async: false }))],
  ];
}

function recordSaying(text: string): RunRecord {
  const record = recordOf(reportOf());
  record.report.answer = text;
  record.notes.push(text);
  record.stderr = text;
  record.report.todos = [{ id: '1', text, status: 'pending' }];
  return record;
}

const UNSEEN = /[\p{Cc}\p{Cf}\u034f\u115f\u3164]|<U\+[0-9A-F]+>|\ufffd/gu;

function expectHidden(text: string, key: string): void {
  const rest = key.slice(key.indexOf('_') + 1);
  for (const [name, sink] of shown(text, key)) {
    const plain = sink.replace(UNSEEN, '');
    expect([name, text, plain.includes(key) || plain.includes(rest)]).toEqual([name, text, false]);
  }
}

const KEY = 'key_0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c';
const split = (text: string, between: string) => text.slice(0, 14) + between + text.slice(14);

describe('a key that only comes out when its text is shown', () => {
  it.each([
    ['a backslash', KEY.replace('_', '\\_')],
    ['an entity', KEY.replace('_', '&#95;')],
    ['a named entity', KEY.replace('_', '&lowbar;')],
    ['an entity in an entity', KEY.replace('_', '&amp;#x5f;')],
    ['a letter as an entity', KEY.replace('f', '&#102;')],
    ['a letter in a URL', KEY.replace('f', '%66')],
    ['every letter as an entity', Array.from(KEY, (letter) => `&#${letter.charCodeAt(0)};`).join('')],
    ['a colour', split(KEY, '\u001b[31;1m')],
    ['a colour as JSON writes it', split(KEY, '\\u001b[0m')],
    ['a title of the terminal', split(KEY, '\u001b]0;title\u0007')],
    ['a colour between all letters', Array.from(KEY).join('\u001b[0m')],
    ['a character without width', split(KEY, '\u200b')],
    ['characters without width between all letters', Array.from(KEY).join('\u2060')],
    ['a control character', split(KEY, '\u0000\u0008')],
    ['emphasis', split(KEY, '**').replace(/$/, '**')],
    ['code', `${KEY.slice(0, 10)}\`${KEY.slice(10)}\``],
    ['a link that is none', `[${KEY.slice(0, 10)}][a]${KEY.slice(10)}\n\n[a]: nowhere`],
    ['blanks', Array.from(KEY).join(' ')],
    ['a comment', split(KEY, '<!-- -->')],
    ['a tag', `${split(KEY, '<b class="x">')}</b>`],
    ['the other case', KEY.toUpperCase()],
    ['nothing: its rest alone', KEY.slice(4)],
  ])('is in nothing that is shown, with %s in it', (_name, text) => {
    for (const around of [
      text,
      `It is ${text}, I think.`,
      `\`${text}\``,
      `\`\`\`\n${text}\n\`\`\``,
      `- ${text}`,
    ])
      expectHidden(around, KEY);
  });

  it('is in nothing that is shown, whatever the key and wherever the escapes are', () => {
    const key = fc
      .tuple(fc.constantFrom('key_', 'ghx_', 'sk_'), fc.stringMatching(/^[0-9a-f]{24,64}$/))
      .filter(([, rest]) => /\d.*\d.*\d/.test(rest))
      .map((parts) => parts.join(''));
    const escape = fc.constantFrom<(letter: string) => string>(
      (letter) => letter,
      (letter) => letter,
      (letter) => `&#${letter.charCodeAt(0)};`,
      (letter) => `&#x${letter.charCodeAt(0).toString(16)};`,
      (letter) => (letter === '_' ? '\\_' : letter),
      (letter) => `%${letter.charCodeAt(0).toString(16)}`,
      (letter) => `\u001b[${letter.charCodeAt(0)}m${letter}`,
      (letter) => `\u200b${letter}`,
      (letter) => `${letter}\u0001`,
      (letter) => `**${letter}**`,
    );
    fc.assert(
      fc.property(
        key,
        fc.array(escape, { minLength: 8, maxLength: 70 }),
        fc.string(),
        (value, escapes, before) => {
          const hidden = Array.from(value, (letter, index) => escapes[index % escapes.length]!(letter)).join(
            '',
          );
          expectHidden(`${before} ${hidden} after`, value);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('leaves what is no secret as it was', () => {
    const { redact, redactMarkup } = createRedaction([KEY, 'correct-horse-battery']);
    for (const text of [
      'A correct horse and a battery: 0f 1e 2d 3c are bytes.',
      'C:\\new\\table 100%25 &amp; &#95; \u001b[31mred\u001b[0m na\u00efve key_name',
      `<details><summary>*x*</summary>\n\n| a\\_b | <code>c&#95;d</code> |\n\n</details>`,
    ]) {
      expect(redact(text)).toBe(text);
      expect(redactMarkup(text, /<[^<>]*>/)).toBe(text);
    }
  });

  it('keeps the structure of a document in which it is found after all', () => {
    const { redactMarkup } = createRedaction([KEY, 'details']);
    const document = `<details>\n\`\`\`\n${KEY.slice(0, 20)}\n\`\`\`\n<b>${KEY.slice(20)}</b> details\n</details>`;
    expect(redactMarkup(document, /<[^<>]*>/)).toBe(
      '<details>\n```\n***_***\n```\n<b>***</b> ***\n</details>',
    );
  });
});

describe('a key as tools write it', () => {
  const { redact } = createRedaction([KEY]);
  const bytes = Buffer.from(`password: ${KEY}\n`);
  const hexOf = (data: Buffer) => data.toString('hex');
  const wrap = (text: string, width: number) => text.replace(new RegExp(`.{${width}}(?=.)`, 'g'), '$&\n');
  const lines = (render: (chunk: Buffer, at: number) => string) =>
    Array.from({ length: Math.ceil(bytes.length / 16) }, (_, index) =>
      render(bytes.subarray(16 * index, 16 * index + 16), 16 * index),
    ).join('\n');
  const offset = (at: number) => at.toString(16).padStart(8, '0');
  const ascii = (chunk: Buffer) => chunk.toString('latin1').replace(/[^ -~]/g, '.');
  const long = Buffer.concat([Buffer.from('x'.repeat(40)), bytes]);

  it.each<[string, string]>([
    ['base64 of 76 columns', wrap(long.toString('base64'), 76)],
    ['base64 of 64 columns', wrap(long.toString('base64'), 64)],
    ['base64 with CRLF', wrap(long.toString('base64'), 64).replaceAll('\n', '\r\n')],
    ['base64 in a numbered listing', wrap(long.toString('base64'), 64).replace(/^/gm, '     7\t')],
    ['UTF-16LE in base64', Buffer.from(KEY, 'utf16le').toString('base64')],
    ['UTF-16BE in base64', Buffer.from(KEY, 'utf16le').swap16().toString('base64')],
    ['UTF-16LE in wrapped base64', wrap(Buffer.from(KEY, 'utf16le').toString('base64'), 76)],
    ['UTF-16 as bytes', Buffer.from(KEY, 'utf16le').toString('latin1')],
    ['hex with blanks', hexOf(bytes).replace(/../g, '$& ')],
    ['hex with colons', hexOf(bytes).replace(/../g, '$&:').toUpperCase()],
    ['hex of openssl', wrap(hexOf(bytes).replace(/../g, '$&:'), 45).replace(/^/gm, '    ')],
    ['hex as numbers of C', hexOf(bytes).replace(/../g, '\\x$&')],
    ['hex in either case', hexOf(bytes).replace(/[a-f]/g, (d, at: number) => (at % 3 ? d : d.toUpperCase()))],
    ['plain hex of xxd -p', wrap(hexOf(bytes), 60)],
    [
      'xxd',
      lines(
        (chunk, at) => `${offset(at)}: ${hexOf(chunk).replace(/.{4}/g, '$& ').padEnd(40)} ${ascii(chunk)}`,
      ),
    ],
    [
      'hexdump -C',
      lines(
        (chunk, at) => `${offset(at)}  ${hexOf(chunk).replace(/../g, '$& ').padEnd(49)} |${ascii(chunk)}|`,
      ),
    ],
    [
      'od -c',
      lines((chunk, at) => `${at.toString(8).padStart(7, '0')}${ascii(chunk).replace(/./g, '   $&')}`),
    ],
    ['a buffer of Node', `<Buffer ${hexOf(bytes).replace(/../g, '$& ').trim()}>`],
    ['an array of letters', JSON.stringify(Array.from(KEY))],
  ])('is taken out: %s', (_name, text) => {
    const left = redact(`before\n${text}\nafter`);
    expect(left).toContain('***');
    // No more than a few bytes at its ends are left, in any column.
    expect(left.replace(/before|after|x{5,}/g, '').length).toBeLessThan(130);
    for (const piece of [KEY.slice(4, 16), KEY.slice(16, 28), KEY.slice(-12)])
      expect(left).not.toContain(piece);
    for (const piece of [hexOf(Buffer.from(KEY.slice(8, 14))), hexOf(Buffer.from(KEY.slice(-10)))])
      expect(left.replace(/[^0-9a-f]/gi, '').toLowerCase()).not.toContain(piece);
  });
});

describe('looking for a key that is hidden', () => {
  it('cannot be made slow', () => {
    const { redact, redactLine, openTail } = createRedaction([KEY]);
    const size = 100_000;
    const started = performance.now();
    for (const part of [
      '\\',
      '&',
      '&amp;',
      '&#',
      '%',
      '%25',
      '\u001b[',
      '\u001b]',
      '<a',
      '](',
      '][',
      '  x',
      ' ',
      '0f1e2d',
      '*',
    ]) {
      const text = `${KEY.slice(0, 20)} ${KEY.slice(20)} ${part.repeat(size / part.length)}`;
      expect(redact(text).slice(0, 10)).toContain('***');
      expect(redactLine(JSON.stringify({ text })).slice(0, 20)).toContain('***');
      expect(openTail(text)).toBeLessThan(5000);
    }
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('keeps a line of JSON what it is', () => {
    const { redactLine } = createRedaction([KEY]);
    const line = JSON.stringify({
      text: `x ${split(KEY, '\u001b[0m')} y`,
      parts: [KEY.slice(0, 20), KEY.slice(20)],
      half: [KEY.slice(0, 20), 'x'],
      whole: ['x', KEY, 'y'],
    });
    expect(JSON.parse(redactLine(line))).toEqual({
      text: 'x *** y',
      // Together they are the key, so none of them is left.
      parts: ['***'],
      half: [KEY.slice(0, 20), 'x'],
      whole: ['x', '***', 'y'],
    });
    expect(redactLine('{"a": 1.0}')).toBe('{"a": 1.0}');
  });
});
