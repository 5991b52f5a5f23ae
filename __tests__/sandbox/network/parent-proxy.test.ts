import { describe, expect, it } from '@jest/globals';
import { readAuthority } from '../../../src/sandbox/network/host.js';
import { proxySecrets, readRoute } from '../../../src/sandbox/network/parent-proxy.js';

const routeOf =
  (env: Record<string, string>) =>
  (where: string, isPlain = false) =>
    readRoute(env).route(readAuthority(where)!, isPlain);

describe('the proxy of the job', () => {
  it('is chosen as other programs do', () => {
    const route = routeOf({ HTTPS_PROXY: 'http://secure:8080', HTTP_PROXY: 'plain' });
    expect(route('a.com:443')).toEqual({ host: 'secure', port: 8080, isSecure: false });
    expect(route('a.com:80', true)).toEqual({ host: 'plain', port: 80, isSecure: false });
    expect(routeOf({ ALL_PROXY: 'https://[fd00::1]' })('a.com:443')).toEqual({
      host: 'fd00::1',
      port: 443,
      isSecure: true,
    });
    expect(routeOf({})('a.com:443')).toBeUndefined();
    expect(routeOf({ https_proxy: 'http://lower:1', HTTPS_PROXY: 'http://upper:1' })('a.com:443')?.host).toBe(
      'lower',
    );
  });

  it('is sent its credentials, decoded', () => {
    const env = { HTTPS_PROXY: 'http://me:p%40ss@proxy:8080' };
    const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(routeOf(env)('a.com:443')).toMatchObject({ authorization });
    expect(proxySecrets({ ...env, NO_PROXY: '*' })).toContain(authorization.slice(6));
    expect(proxySecrets({})).toEqual([]);
  });

  it.each([
    ['a.com:443', 'a.com', true],
    ['x.a.com:443', 'a.com', true],
    ['x.a.com:443', '.a.com', true],
    ['x.a.com:443', '*.a.com', true],
    ['ba.com:443', 'a.com', false],
    ['a.com:443', 'a.com:8443', false],
    ['a.com:8443', 'b.com, a.com:8443', true],
    ['10.0.0.1:80', '10.0.0.1', true],
    ['a.com:443', '*', true],
    ['a.com:443', '', false],
  ])('is left out for %s with NO_PROXY=%s: %s', (where, exceptions, isDirect) => {
    expect(routeOf({ HTTPS_PROXY: 'http://p:1', NO_PROXY: exceptions })(where) === undefined).toBe(isDirect);
  });

  it('cannot be one that is not spoken here', () => {
    expect(readRoute({ HTTPS_PROXY: 'socks5://p:1', HTTP_PROXY: 'http://' }).problems).toEqual([
      'HTTPS_PROXY',
      'HTTP_PROXY',
    ]);
    expect(readRoute({ all_proxy: 'socks5h://p:1' }).problems).toEqual(['ALL_PROXY']);
    expect(readRoute({ ALL_PROXY: 'socks5://p:1', HTTPS_PROXY: 'http://p:1' }).problems).toEqual([
      'ALL_PROXY',
    ]);
  });
});
