import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { exchangeAddress, type Granted } from '../../src/agent/credential.js';
import { exchangeKey, openSignIn, type Pace } from '../../src/run/sign-in.js';
import {
  giveStatus,
  giveText,
  giveToken,
  redirectTo,
  startVendor,
  stayQuiet,
  type Vendor,
  type VendorAnswer,
} from '../scenarios/vendor.js';

const KEY = 'key_canary0123456789';
const never = new AbortController().signal;
const QUICK: Pace = { tryMs: 2_000, waitsMs: [1, 1] };
const IMPATIENT: Pace = { tryMs: 100, waitsMs: [1, 1] };

const open: Vendor[] = [];
const vendorWith = async (...answers: VendorAnswer[]) => {
  const vendor = await startVendor(answers);
  open.push(vendor);
  return vendor;
};
afterEach(async () => {
  for (const vendor of open.splice(0)) await vendor.close();
});

const exchangeWith = (vendor: Pick<Vendor, 'url'>, pace = QUICK, cancel = never) =>
  exchangeKey({ address: exchangeAddress({ CURSOR_API_ENDPOINT: vendor.url }), key: KEY, cancel }, pace);

describe('exchangeKey', () => {
  it('sends the key as Cursor expects it, and takes the token', async () => {
    const vendor = await vendorWith(giveToken());
    expect(await exchangeWith(vendor)).toMatchObject({ kind: 'token', secrets: vendor.tokens });
    expect(vendor.calls).toEqual([
      {
        method: 'POST',
        path: '/auth/exchange_user_api_key',
        authorization: `Bearer ${KEY}`,
        body: '{}',
      },
    ]);
  });

  it('tries again after errors of the server', async () => {
    const vendor = await vendorWith(giveStatus(500), giveStatus(503), giveToken());
    expect(await exchangeWith(vendor)).toMatchObject({ kind: 'token' });
    expect(vendor.calls).toHaveLength(3);
  });

  it('gives up after three tries, and does not blame the key', async () => {
    const vendor = await vendorWith(giveStatus(502));
    expect(await exchangeWith(vendor)).toMatchObject({ kind: 'unavailable' });
    expect(vendor.calls).toHaveLength(3);
  });

  it.each([401, 403, 404])('asks once if the answer is final (%d)', async (status) => {
    const vendor = await vendorWith(giveStatus(status), giveToken());
    expect((await exchangeWith(vendor)).kind).toBe(status === 404 ? 'unknown' : 'refused');
    expect(vendor.calls).toHaveLength(1);
  });

  it('does not wait for a server that says nothing', async () => {
    const vendor = await vendorWith(stayQuiet);
    expect(await exchangeWith(vendor, IMPATIENT)).toEqual({
      kind: 'unavailable',
      why: expect.stringMatching(/was not reached \(no answer within 0\.1 s\)/),
    });
  });

  it('does not wait for a body that does not end', async () => {
    const vendor = await vendorWith((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"accessToken":"');
    });
    expect(await exchangeWith(vendor, IMPATIENT)).toMatchObject({ kind: 'unavailable' });
  });

  it('reads only the beginning of an answer without end', async () => {
    const vendor = await vendorWith((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    expect(await exchangeWith(vendor)).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining('more text than a token needs'),
    });
  });

  it('follows no redirect, so that nobody else gets the key', async () => {
    const other = await vendorWith(giveToken());
    const vendor = await vendorWith(redirectTo(`${other.url}/auth/exchange_user_api_key`));
    expect(await exchangeWith(vendor)).toMatchObject({ kind: 'unknown' });
    expect(other.calls).toEqual([]);
  });

  it('says that nothing listens there', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    expect(await exchangeWith({ url: `http://127.0.0.1:${port}` })).toEqual({
      kind: 'unavailable',
      why: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('ends at once when the job is cancelled', async () => {
    const cancel = new AbortController();
    const vendor = await vendorWith(() => {
      cancel.abort();
    });
    const patient = { tryMs: 60_000, waitsMs: [60_000] };
    expect(await exchangeWith(vendor, patient, cancel.signal)).toMatchObject({ kind: 'unavailable' });
    expect(vendor.calls).toHaveLength(1);
  });
});

describe('openSignIn', () => {
  const MINUTE_MS = 60_000;
  const signInWith = (vendor: Vendor, inputs: Partial<Parameters<typeof openSignIn>[0]['inputs']> = {}) => {
    const accepted: Granted[] = [];
    const signIn = openSignIn(
      {
        inputs: { agent: 'cursor', apiKey: KEY, credential: 'auto', timeoutMinutes: 30, ...inputs },
        mayRunCommands: false,
      },
      { env: { CURSOR_API_ENDPOINT: vendor.url }, cancel: never },
      (granted) => accepted.push(granted),
    );
    return { signIn, accepted };
  };

  it('begins before it is asked, and keeps a token that lasts', async () => {
    const vendor = await vendorWith(giveToken());
    const { signIn, accepted } = signInWith(vendor);
    while (vendor.tokens.length === 0) await new Promise((done) => setTimeout(done, 5));
    expect(accepted).toEqual([]);
    const first = await signIn();
    expect(await signIn(20 * MINUTE_MS)).toBe(first);
    expect(accepted).toMatchObject([{ credential: first, secrets: vendor.tokens }]);
    expect(vendor.calls).toHaveLength(1);
  });

  it('gets another token when too little of the first one is left', async () => {
    const vendor = await vendorWith(giveToken(32 * 60), giveToken());
    const { signIn, accepted } = signInWith(vendor);
    const first = await signIn();
    const second = await signIn(40 * MINUTE_MS);
    expect(second).not.toEqual(first);
    expect(accepted.map(({ credential }) => credential)).toEqual([first, second]);
  });

  it('asks nobody with credential: key, and for an agent that is not Cursor', async () => {
    const vendor = await vendorWith(giveStatus(401));
    expect(await signInWith(vendor, { credential: 'key' }).signIn()).toEqual({ kind: 'key', key: KEY });
    expect(await signInWith(vendor, { agent: 'clido' }).signIn()).toBeUndefined();
    expect(vendor.calls).toEqual([]);
  });

  it('does not wait for a new token beyond the time that the agent has left', async () => {
    const vendor = await vendorWith(giveToken(62), stayQuiet);
    const { signIn } = signInWith(vendor, { timeoutMinutes: 0.001, credential: 'token' });
    await signIn();
    const startedAt = Date.now();
    await expect(signIn(2500)).rejects.toThrow('no answer within the time limit of the agent');
    expect(Date.now() - startedAt).toBeLessThan(4000);
    expect(vendor.calls).toHaveLength(2);
  });

  it('stays with the key once the agent has it', async () => {
    const vendor = await vendorWith(giveText('[]'), giveToken());
    const { signIn, accepted } = signInWith(vendor);
    expect(await signIn()).toEqual({ kind: 'key', key: KEY });
    expect(await signIn(1)).toEqual({ kind: 'key', key: KEY });
    expect(accepted).toHaveLength(1);
    expect(vendor.calls).toHaveLength(1);
  });
});
