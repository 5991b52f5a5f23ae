import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTranscript } from '../../src/run/run-output.js';
import { makeFolder } from '../scenarios/workspace.js';

const line = (number: number, text: string, isRecord = true) => ({ number, text, isRecord });

describe('openTranscript', () => {
  it('writes one JSON object a line, as it comes', () => {
    const path = join(makeFolder(), 't.ndjson');
    const transcript = openTranscript(path);
    transcript.write([line(1, '{"a":1}'), line(2, 'plain "text"', false)]);
    expect(readFileSync(path, 'utf8')).toBe(
      '{"a":1}\n{"type":"unparsed","line":2,"text":"plain \\"text\\""}\n',
    );
    transcript.close();
    transcript.write([line(3, '{}')]);
    transcript.close();
    expect(transcript.problems()).toEqual([]);
  });

  it('goes on when it cannot be opened, and says so once', () => {
    const transcript = openTranscript(join(makeFolder(), 'no', 'such', 'folder'));
    transcript.write([line(1, '{}')]);
    transcript.write([line(2, '{}')]);
    transcript.close();
    expect(transcript.problems()).toEqual([
      expect.stringMatching(/The transcript could not be written: ENOENT/),
    ]);
  });

  it('has a bound, after which a last line says how much is missing', () => {
    const path = join(makeFolder(), 't.ndjson');
    const transcript = openTranscript(path, 20);
    transcript.write([line(1, '{"a":1}')]);
    transcript.write([line(2, '{"a":"long enough"}')]);
    transcript.write([line(3, '{}')]);
    transcript.close();
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n{"type":"left-out","bytes":23}\n');
    expect(transcript.notes()).toEqual([expect.stringMatching(/ends after .* bytes; 23 more were left out/)]);
    expect(transcript.problems()).toEqual([]);
  });

  it('goes on when the disk is full', () => {
    if (!existsSync('/dev/full')) return;
    const transcript = openTranscript('/dev/full');
    transcript.write([line(1, '{}')]);
    transcript.close();
    expect(transcript.problems()).toEqual([
      expect.stringMatching(/ENOSPC.*The disk is full: free some space/),
    ]);
  });
});
