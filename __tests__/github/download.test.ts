import { describe, expect, it } from '@jest/globals';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { downloadTail } from '../../src/github/download.js';

/** Asks a server of the test's own for a file, and stops asking as soon as the server was asked. */
async function cancelled(listener: RequestListener): Promise<unknown> {
  const cancel = new AbortController();
  const server = createServer((request, response) => {
    listener(request, response);
    cancel.abort();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await downloadTail({ from, location: '/log', mostBytes: 1000, cancel: cancel.signal });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('a download that is cancelled', () => {
  it.each<[string, RequestListener]>([
    ['nothing is answered', () => undefined],
    ['the answer does not end', (_request, response) => void response.write('a line\n')],
  ])('ends at once where %s', async (_name, listener) => {
    await expect(cancelled(listener)).rejects.toThrow('it took too long, or was cancelled');
  });
});
