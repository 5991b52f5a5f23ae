import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** Starts a server on this machine. */
export async function listen(
  server: HttpServer | HttpsServer,
): Promise<{ host: string; close(): Promise<void> }> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = () =>
    new Promise<void>((done) => {
      server.closeAllConnections();
      server.close(() => {
        done();
      });
    });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
