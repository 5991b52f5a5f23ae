import { describe, expect, it } from '@jest/globals';
import { followRedirect, isSafeAddress, showAddress } from '../../src/core/address.js';

describe('isSafeAddress', () => {
  it.each([
    ['https://downloads.example.com/x', true],
    ['http://localhost:8080/x', true],
    ['http://127.0.0.1/x', true],
    ['http://[::1]:9/x', true],
    ['http://example.com/x', false],
    ['http://localhost.example.com/', false],
    ['http://127.0.0.1.example.com/', false],
    ['http://localhost@example.com/', false],
    ['http://0.0.0.0/', false],
    ['http://192.168.0.1/', false],
    ['ftp://localhost/x', false],
    ['file:///etc/passwd', false],
    ['not an address', false],
    ['', false],
  ])('%s → %s', (address, isSafe) => {
    expect(isSafeAddress(address)).toBe(isSafe);
  });
});

describe('followRedirect', () => {
  it.each([
    ['https://a.example/x', 'https://b.example/y', 'https://b.example/y'],
    ['https://a.example/x', '/y', 'https://a.example/y'],
    ['http://localhost:1/x', 'y', 'http://localhost:1/y'],
    ['http://localhost:1/x', 'https://b.example/y', 'https://b.example/y'],
  ])('%s may go to %s', (from, location, url) => {
    expect(followRedirect(from, location)).toEqual({ url });
  });

  it.each([
    ['https://a.example/x', 'http://a.example/x'],
    ['https://a.example/x', 'http://localhost:1/x'],
    ['http://localhost:1/x', 'http://example.com/x'],
    ['http://localhost:1/x', '//example.com/x'],
    ['https://a.example/x', 'file:///etc/passwd'],
    ['https://a.example/x', 'http://'],
  ])('%s may not go to %s', (from, location) => {
    expect(followRedirect(from, location)).toHaveProperty('problem');
  });
});

describe('showAddress', () => {
  it('keeps passwords and signed queries out of the log', () => {
    expect(showAddress('https://me:secret@mirror.example:8443/a/b?sig=secret#c')).toBe(
      'https://mirror.example:8443/a/b',
    );
  });
});
