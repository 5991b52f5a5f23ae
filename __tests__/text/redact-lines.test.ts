import { describe, expect, it } from '@jest/globals';
import { createRedaction } from '../../src/text/redact.js';
import { cleanLines } from '../../src/text/redact-lines.js';

const clean = (lines: string[]) => lines.map(cleanLines(createRedaction(['secret-word-1'])));

describe('cleanLines', () => {
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
