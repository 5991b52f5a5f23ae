import { describe, expect, it } from '@jest/globals';
import { createRedaction } from '../../src/text/redact.js';

const redact = createRedaction([]).redact;
const letters = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8';
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA7bq98\n'.repeat(5)}-----END RSA PRIVATE KEY-----`;

describe('tokens known by their shape', () => {
  it.each([
    ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'npm_', 'sk-proj-', 'sk-ant-api03-', 'glpat-', 'AIza'].map(
      (prefix) => `${prefix}${letters}`,
    ),
    `github_pat_${letters}_${letters}`,
    'key_0123456789abcdef0123456789abcdef',
    'AKIAIOSFODNN7EXAMPLE',
    'ASIAIOSFODNN7EXAMPLE',
    'xoxb-123456789012-abcdefghij',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
    PEM,
    PEM.replace(' RSA', ''),
    PEM.replaceAll(' RSA PRIVATE KEY', ' PGP PRIVATE KEY BLOCK'),
  ])('are taken out wherever they stand: %j', (token) => {
    expect(redact(`x ${token} y`)).toBe('x *** y');
    expect(redact(`TOKEN=${token}`)).toBe('TOKEN=***');
    expect(redact(`\n${token}`)).toBe('\n***');
    const line = JSON.stringify({ text: `first\n${token}\nlast` });
    expect(JSON.parse(createRedaction([]).redactLine(line))).toEqual({ text: 'first\n***\nlast' });
  });

  it('do not catch ordinary words', () => {
    for (const text of [
      'task-management-system-overview',
      'sk-learn-based-classification-pipeline',
      'ghost_writer_of_the_whole_story_here',
      'key_name key_value key_of_the_whole_thing',
      'monkey_0123456789abcdef0123456789abcdef',
      'the PRIVATE KEY of a house',
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
      'eyJustAWord.and.another',
    ])
      expect(redact(text)).toBe(text);
  });

  it('take a private key without an end as far as it goes', () => {
    expect(redact('-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKC\nQEA7bq98"} and words')).toBe('***"} and words');
  });

  it('cannot be made slow', () => {
    const size = 2_000_000;
    for (const part of [
      'eyJ',
      'eyJaaaaaaaa.',
      '-----BEGIN PRIVATE KEY-----',
      'sk-',
      'sk-a',
      'ghp_',
      '-----END ',
      'A',
    ])
      expect(redact(part.repeat(size / part.length)).length).toBeLessThanOrEqual(size);
  });
});
