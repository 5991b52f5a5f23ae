import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_LEFT_CHARACTERS } from '../../src/github/marker.js';
import { withOrigin, SEVERITIES } from '../../src/report/findings.js';
import type { Finding } from '../../src/report/model.js';
import { leaveReview, packFindings, unpackFindings } from '../../src/review/left-findings.js';

const findings = fc.array(
  fc
    .record({
      path: fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }),
      startLine: fc.integer({ min: 1, max: 1000 }),
      endLine: fc.integer({ min: 1000, max: 2000 }),
      severity: fc.constantFrom(...SEVERITIES),
      title: fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' }),
      body: fc.string({ maxLength: 200, unit: 'grapheme' }),
    })
    .map((finding) => ({
      ...finding,
      title: finding.title.slice(0, 300),
      body: finding.body.slice(0, 600).trim(),
    })),
  { maxLength: 5 },
);
const encoded = (data: unknown): string => Buffer.from(JSON.stringify(data)).toString('base64');
const pack = (findings: readonly Finding[]): string => {
  const packed = packFindings(findings);
  if (packed === undefined) throw new Error('They do not fit.');
  return packed;
};
const MARK = { head: 'a', base: 'b', policy: 'c', prompt: 'd' };
const one: Finding = { path: 'a.ts', startLine: 1, endLine: 2, severity: 'high', title: 'T', body: 'B' };

describe('findings without a thread', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(findings, (all) => {
        const packed = pack(all);
        expect(packed).toMatch(/^[A-Za-z0-9+/]*={0,2}$/);
        const wellFormed = JSON.parse(Buffer.from(JSON.stringify(all)).toString()) as Finding[];
        expect(unpackFindings(packed)).toEqual(wellFormed);
      }),
    );
  });

  it('are all left or none, and their texts are cut', () => {
    const some = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        ...one,
        startLine: index + 1,
        endLine: index + 1,
        title: 'a title of usual length for a finding',
        body: 'x'.repeat(5000),
      }));
    for (const [count, length] of [
      [12, 600],
      [30, 150],
      [80, 1],
    ] as const) {
      const packed = pack(some(count));
      expect(packed.length).toBeLessThanOrEqual(MAX_LEFT_CHARACTERS);
      const read = unpackFindings(packed);
      expect(read.map(({ startLine }) => startLine)).toEqual(read.map((_, index) => index + 1));
      expect(read).toHaveLength(count);
      expect(Math.max(...read.map(({ body }) => body.length))).toBeLessThanOrEqual(length);
    }
    // Then the next review is about the whole change. A gate would forget what is left out.
    expect(packFindings(some(500))).toBeUndefined();
    expect(leaveReview(MARK, some(500))).toBeUndefined();
    expect(leaveReview(MARK, some(1))).toEqual({ mark: MARK, findings: pack(some(1)) });
    expect(leaveReview(undefined, some(1))).toBeUndefined();
  });

  it('stay the same when they are carried over again and again', () => {
    let carried = { ...one, body: 'x'.repeat(2000) };
    const first = pack([carried]);
    for (const url of ['https://github.example/1', 'https://github.example/2']) {
      const [read] = unpackFindings(pack([carried]));
      if (!read) throw new Error('it is lost');
      carried = { ...read, body: withOrigin(read.body, url) };
      expect(pack([carried])).toBe(first);
    }
    expect(carried.body.match(/From an earlier review/g)).toHaveLength(1);
  });

  it.each([
    ['nothing', ''],
    ['no base64', '!!!'],
    ['no JSON', Buffer.from('x').toString('base64')],
    ['no list', encoded({ path: 'a' })],
    ['a finding of another form', encoded([one])],
    ['lines in the wrong order', encoded([['a.ts', 3, 2, 'high', 'T', 'B']])],
    ['a line that is none', encoded([['a.ts', 0, 2, 'high', 'T', 'B']])],
    ['another severity', encoded([['a.ts', 1, 2, 'urgent', 'T', 'B']])],
    ['a text that is too long', encoded([['a.ts', 1, 2, 'high', 'T'.repeat(301), 'B']])],
    ['more than there is', encoded([['a.ts', 1, 2, 'high', 'T', 'B', 'x']])],
  ])('are not read from %s', (_name, text) => {
    expect(unpackFindings(text)).toEqual([]);
  });
});
