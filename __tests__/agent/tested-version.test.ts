import { describe, expect, it } from '@jest/globals';
import { newerCliNotice, TESTED_CLI_VERSION } from '../../src/agent/tested-version.js';

describe('a CLI newer than the tested one', () => {
  it.each(['2026.10.02-0a1b2c3', '2026.11.01-e373342', '2027.01.01-12-00-00-abc', '2026.10.02-abc\n'])(
    '%j is told',
    (version) => {
      const notice = newerCliNotice(version);
      expect(notice).toContain(version.trim());
      expect(notice).toContain(TESTED_CLI_VERSION);
    },
  );

  it.each([
    TESTED_CLI_VERSION,
    '2026.10.01-ffffff',
    '2026.10.01-23-59-59-e373342',
    '2025.12.31-abc',
    '',
    'latest',
    '1.0.15',
  ])('%j is not', (version) => {
    expect(newerCliNotice(version)).toBeUndefined();
  });

  it('of the same day is told where both name their time', () => {
    expect(newerCliNotice('2026.10.01-12-00-01-a', '2026.10.01-12-00-00-b')).toBeDefined();
    expect(newerCliNotice('2026.10.01-12-00-00-a', '2026.10.01-12-00-00-b')).toBeUndefined();
  });
});
