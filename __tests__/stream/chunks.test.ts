import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitLines, type Line } from '../../src/stream/lines.js';
import { eventsOf, fixtureBytes, fixtureNames } from './fixture-files.js';

const names = fixtureNames();
const CUTS_AT_ONCE = 64;

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places].sort((a, b) => a - b);
  return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length));
}

function linesOf(...chunks: Buffer[]): Line[] {
  const splitter = splitLines();
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

const areSame = (some: Line[], others: Line[]): boolean =>
  some.length === others.length &&
  some.every(({ number, text }, at) => number === others[at]?.number && text === others[at].text);

describe('a stream that arrives in pieces', () => {
  // Where bytes are what the stream is about, it is cut at one place at a time. Other streams are longer and are cut at
  // several places at once, far from each other: still at every byte, and each time the lines and the events are compared.
  it.each(names)('%s gives the same lines and events, cut at any byte', (name) => {
    const bytes = fixtureBytes(name);
    const lines = linesOf(bytes);
    const events = JSON.stringify(eventsOf(bytes));
    const apart = name.startsWith('bytes/') ? bytes.length + 1 : Math.ceil((bytes.length + 1) / CUTS_AT_ONCE);
    const wrong: number[] = [];
    for (let at = 0; at < apart; at += 1) {
      const places = Array.from(
        { length: Math.ceil((bytes.length + 1) / apart) },
        (_, cut) => at + cut * apart,
      );
      const chunks = cutAt(bytes, places);
      const isSame = areSame(linesOf(...chunks), lines) && JSON.stringify(eventsOf(...chunks)) === events;
      if (!isSame) wrong.push(at);
    }
    expect(wrong).toEqual([]);
  });

  it.each(names)('%s gives the same events, byte by byte', (name) => {
    const bytes = fixtureBytes(name);
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect(eventsOf(...single)).toEqual(eventsOf(bytes));
  });

  it('gives the same events, cut at random in many places', () => {
    const cases = fc.constantFrom(...names).chain((name) => {
      const bytes = fixtureBytes(name);
      const places = fc.array(fc.nat({ max: bytes.length }), { maxLength: 40 });
      return fc.record({ bytes: fc.constant(bytes), places });
    });
    fc.assert(
      fc.property(cases, ({ bytes, places }) => {
        expect(eventsOf(...cutAt(bytes, places))).toEqual(eventsOf(bytes));
      }),
      { numRuns: 100 },
    );
  });

  it('does not mind when the memory of a chunk is used again', () => {
    const bytes = fixtureBytes('bytes/multi-byte');
    const chunk = Buffer.alloc(7);
    const splitter = splitLines();
    const lines: string[] = [];
    for (let at = 0; at < bytes.length; at += chunk.length) {
      const size = bytes.copy(chunk, 0, at);
      lines.push(...splitter.push(chunk.subarray(0, size)).map(({ text }) => text));
      chunk.fill(0x2a);
    }
    expect(lines.join('\n')).toBe(bytes.toString().trimEnd());
  });
});
