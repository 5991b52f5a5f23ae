import { describe, expect, it } from '@jest/globals';
import { MAX_LINE_BYTES, readLines, splitLines, type Line } from '../../src/stream/lines.js';
import { createRedaction } from '../../src/text/redact.js';

function split(maxBytes: number | undefined, ...chunks: (string | Buffer)[]): Line[] {
  const splitter = splitLines(maxBytes);
  return [...chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk))), ...splitter.end()];
}

describe('splitting bytes into lines', () => {
  it('counts empty lines and leaves them out', () => {
    expect(split(undefined, 'a\n\n \r\nb')).toEqual([
      { number: 1, text: 'a' },
      { number: 4, text: 'b', isUnfinished: true },
    ]);
  });

  it('takes the mark off the first line only, and a return off each', () => {
    expect(split(undefined, '\ufeffa\r\n\ufeffb\r\n').map(({ text }) => text)).toEqual(['a', '\ufeffb']);
  });

  it('joins a character that was cut, and replaces what is none', () => {
    const bytes = Buffer.from('🌍\n');
    expect(split(undefined, bytes.subarray(0, 2), bytes.subarray(2))).toEqual([{ number: 1, text: '🌍' }]);
    expect(split(undefined, Buffer.from([0x61, 0xff, 0x62, 0x0a]))[0]?.text).toBe('a\ufffdb');
  });

  it('does not split where only other readers would', () => {
    expect(split(undefined, 'a\u2028b\u2029c\u0085d\re\n')).toHaveLength(1);
  });

  it.each([
    ['in one chunk', ['0123456789ABC\nnext\n']],
    ['across chunks', ['0123', '456789', 'ABC', '\nne', 'xt\n']],
    ['byte by byte', '0123456789ABC\nnext\n'.split('')],
    ['at the end of the stream', ['next\n', '0123456789ABC']],
  ])('skips a line over the bound to its end, %s', (_, chunks) => {
    const lines = split(10, ...chunks);
    expect(lines.map(({ text }) => text).sort()).toEqual(['0123456789', 'next']);
    expect(lines.find(({ oversized }) => oversized)?.oversized).toEqual({ bytes: 13 });
  });

  it('counts a line over the bound even when it is blank', () => {
    expect(split(4, '        \n')).toEqual([{ number: 1, text: '    ', oversized: { bytes: 8 } }]);
  });

  it('reads a line that is just as long as the bound', () => {
    expect(split(4, '1234\n12345\n').map(({ oversized }) => oversized?.bytes)).toEqual([undefined, 5]);
  });

  it('keeps only the head of a very long line', () => {
    const splitter = splitLines();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent <= MAX_LINE_BYTES; sent += chunk.length) expect(splitter.push(chunk)).toEqual([]);
    const [line] = splitter.push(Buffer.from('\n'));
    expect(line?.oversized?.bytes).toBe(MAX_LINE_BYTES + chunk.length);
    expect(line?.text.length).toBe(64 * 1024);
  });
});

describe('readLines', () => {
  const clean = (lines: string[]) =>
    readLines(createRedaction(['secret-word-1']))
      .push(Buffer.from(`${lines.join('\n')}\n`))
      .map(({ text }) => text);

  it('takes out a private key over many lines, and nothing after it', () => {
    const key = ['-----BEGIN PRIVATE KEY-----', 'MIIEpAIBAAKC', 'AQEA7bq98w==', '-----END PRIVATE KEY-----'];
    expect(clean(['before', ...key, 'after', 'secret-word-1'])).toEqual([
      ...['before', '***', '***', '***', '***', 'after', '***'],
    ]);
  });

  it('goes on after a key that does not end', () => {
    expect(clean(['-----BEGIN PRIVATE KEY-----', 'MIIE', '{"type":"result"}', 'MIIE'])).toEqual([
      ...['***', '***', '{"type":"result"}', 'MIIE'],
    ]);
    const endless = clean(['-----BEGIN PRIVATE KEY-----', ...Array<string>(1000).fill('MIIE')]);
    expect(endless.at(-1)).toBe('MIIE');
  });

  it('does not take the lines after an event that names a key for one', () => {
    const event = JSON.stringify({ text: '-----BEGIN PRIVATE KEY-----' });
    expect(clean([event, 'plain words'])).toEqual(['{"text":"***"}', 'plain words']);
  });
});
