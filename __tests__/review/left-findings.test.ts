import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_LEFT_CHARACTERS } from '../../src/github/marker.js';
import { withOrigin, SEVERITIES } from '../../src/report/findings.js';
import type { Finding } from '../../src/report/model.js';
import { packFindings, unpackFindings } from '../../src/review/left-findings.js';

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
const pack = (data: unknown): string => Buffer.from(JSON.stringify(data)).toString('base64');
const one: Finding = { path: 'a.ts', startLine: 1, endLine: 2, severity: 'high', title: 'T', body: 'B' };

describe('findings without a thread', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(findings, (all) => {
        const packed = packFindings(all);
        expect(packed).toMatch(/^[A-Za-z0-9+/]*={0,2}$/);
        const wellFormed = JSON.parse(Buffer.from(JSON.stringify(all)).toString()) as Finding[];
        expect(unpackFindings(packed)).toEqual(wellFormed);
      }),
    );
  });

  it('are as many as fit, and their texts are cut', () => {
    const many = Array.from({ length: 500 }, (_, index) => ({
      ...{
        ...one,
        startLine: index + 1,
        endLine: index + 1,
        title: '€'.repeat(5000),
        body: '"'.repeat(5000),
      },
    }));
    const packed = packFindings(many);
    expect(packed.length).toBeLessThanOrEqual(MAX_LEFT_CHARACTERS);
    const read = unpackFindings(packed);
    expect(read.length).toBeGreaterThan(2);
    expect(read.map(({ startLine }) => startLine)).toEqual(read.map((_, index) => index + 1));
    expect(read[0]?.body.length).toBeLessThanOrEqual(600);
  });

  it('stay the same when they are carried over again and again', () => {
    let carried = { ...one, body: 'x'.repeat(2000) };
    const first = packFindings([carried]);
    for (const url of ['https://github.example/1', 'https://github.example/2']) {
      const [read] = unpackFindings(packFindings([carried]));
      if (!read) throw new Error('it is lost');
      carried = { ...read, body: withOrigin(read.body, url) };
      expect(packFindings([carried])).toBe(first);
    }
    expect(carried.body.match(/From an earlier review/g)).toHaveLength(1);
  });

  it.each([
    ['nothing', ''],
    ['no base64', '!!!'],
    ['no JSON', Buffer.from('x').toString('base64')],
    ['no list', pack({ path: 'a' })],
    ['a finding of another form', pack([one])],
    ['lines in the wrong order', pack([['a.ts', 3, 2, 'high', 'T', 'B']])],
    ['a line that is none', pack([['a.ts', 0, 2, 'high', 'T', 'B']])],
    ['another severity', pack([['a.ts', 1, 2, 'urgent', 'T', 'B']])],
    ['a text that is too long', pack([['a.ts', 1, 2, 'high', 'T'.repeat(301), 'B']])],
    ['more than there is', pack([['a.ts', 1, 2, 'high', 'T', 'B', 'x']])],
  ])('are not read from %s', (_name, text) => {
    expect(unpackFindings(text)).toEqual([]);
  });
});
