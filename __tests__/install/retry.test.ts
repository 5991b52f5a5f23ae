import { describe, expect, it } from '@jest/globals';
import { trackProgress } from '../../src/install/progress.js';
import { HttpStatus, messageOf, Refused, waitBeforeRetry } from '../../src/install/retry.js';

const NOW = Date.parse('2026-10-01T12:00:00Z');
const withCode = (code: string) => Object.assign(new Error('x'), { code });

describe('waitBeforeRetry', () => {
  it.each([408, 429, 500, 502, 503, 504, 599])('waits longer each time after %d, then gives up', (code) => {
    const error = new HttpStatus(code, '');
    expect([1, 2, 3, 4].map((failed) => waitBeforeRetry(error, failed, NOW))).toEqual([
      2_000,
      6_000,
      18_000,
      undefined,
    ]);
  });

  it.each([400, 401, 403, 404, 410, 304])('does not try again after %d', (code) => {
    expect(waitBeforeRetry(new HttpStatus(code, ''), 1, NOW)).toBeUndefined();
  });

  it.each(['ECONNRESET', 'ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'EAI_AGAIN', 'UND_ERR'])(
    'tries again after %s',
    (code) => {
      expect(waitBeforeRetry(withCode(code), 1, NOW)).toBe(2_000);
    },
  );

  it.each([
    'ENOSPC',
    'EACCES',
    'EROFS',
    'CERT_HAS_EXPIRED',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])('does not try again after %s', (code) => {
    expect(waitBeforeRetry(withCode(code), 1, NOW)).toBeUndefined();
  });

  it('does not try again what it refused itself', () => {
    expect(waitBeforeRetry(new Refused('no'), 1, NOW)).toBeUndefined();
  });

  it.each([
    ['7', 7_000],
    ['0', 0],
    ['Thu, 01 Oct 2026 12:01:30 GMT', 90_000],
    ['Thu, 01 Oct 2026 11:00:00 GMT', 0],
    ['soon', 2_000],
    ['301', undefined],
  ])('reads Retry-After: %s', (retryAfter, wait) => {
    expect(waitBeforeRetry(new HttpStatus(429, '', retryAfter), 1, NOW)).toBe(wait);
  });
});

describe('messageOf', () => {
  it('finds words for errors that have none', () => {
    expect(messageOf(Object.assign(new Error(''), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
    expect(messageOf('a string')).toBe('a string');
    expect(messageOf(new Error('It ended.'))).toBe('It ended');
  });
});

describe('trackProgress', () => {
  it('speaks every five seconds, with percent, megabytes and speed', () => {
    const progress = trackProgress(200_000_000, 0);
    expect(progress.line(10_000_000, 4_999)).toBeUndefined();
    expect(progress.line(50_000_000, 5_000)).toBe('  25 % (50.0 of 200.0 MB), 10.0 MB/s');
    expect(progress.line(60_000_000, 6_000)).toBeUndefined();
    expect(progress.line(120_000_000, 10_000)).toBe('  60 % (120.0 of 200.0 MB), 12.0 MB/s');
    expect(progress.done(200_000_000, 20_000)).toBe('Downloaded 200.0 MB, 10.0 MB/s');
  });

  it('has no percentage without a total, and no more than 100', () => {
    expect(trackProgress(undefined, 0).line(5_000_000, 5_000)).toBe('  5.0 MB, 1.0 MB/s');
    expect(trackProgress(10, 0).line(1_000_000, 5_000)).toContain('100 %');
  });
});
