import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTranscript } from '../../src/run/run-output.js';
import { readRecording } from '../../src/try/trial.js';

describe('readRecording', () => {
  it('gives back the lines a transcript was written from', () => {
    const folder = mkdtempSync(join(tmpdir(), 'recording-'));
    const record = fc.oneof(
      fc.dictionary(fc.string(), fc.string()).map((value) => JSON.stringify(value)),
      fc.constant('{"type":"unparsed","line":1}'),
      fc.constant('{"type":"assistant","text":"\\"unparsed\\""}'),
    );
    const words = fc.string().map((text) => text.replaceAll(/[\r\n]/g, ' '));
    const line = fc.oneof(
      record.map((text) => ({ text, isRecord: true })),
      words.map((text) => ({ text, isRecord: false })),
    );
    try {
      fc.assert(
        fc.property(fc.array(line), (lines) => {
          const path = join(folder, 'transcript.ndjson');
          const transcript = openTranscript(path);
          transcript.write(lines.map((each, index) => ({ ...each, number: index + 1 })));
          transcript.close();
          const played = readRecording(readFileSync(path)).toString('utf8');
          expect(played).toBe(lines.map(({ text }) => `${text}\n`).join(''));
        }),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('leaves bytes alone that are no transcript', () => {
    const bytes = Buffer.from([0xff, 0x7b, 0x0a, 0x00]);
    expect(readRecording(bytes)).toEqual(bytes);
  });
});
