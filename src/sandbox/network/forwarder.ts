import type * as Net from 'node:net';

export interface ForwarderOptions {
  /** A folder with the socket of the proxy, and the socket's name in it. A full path can be too long for a socket. */
  folder: string;
  socket: string;
  proxyPort: number;
  /** Ports of the runner that are offered under the same number. */
  ports: readonly number[];
}

export const FORWARDING = 'forwarding';

/**
 * Runs inside of the agent's network namespace, where there is only loopback. It leads connections through a Unix socket
 * to the proxy outside. It runs as the agent's user and decides nothing: the agent could do the same itself.
 *
 * It is passed to `node -e` as text, so it can use nothing from outside of itself.
 */
function forward(net: typeof Net, options: ForwarderOptions, ready: string): void {
  const { folder, socket, proxyPort, ports } = options;
  const lead = (inner: Net.Socket, port: number) => {
    // Not earlier: until the agent runs, this path may still lead to the original folder.
    process.chdir(folder);
    const outer = net.connect({ path: socket, allowHalfOpen: true });
    const end = () => {
      inner.destroy();
      outer.destroy();
    };
    const join = () => {
      inner.pipe(outer);
      outer.pipe(inner);
    };
    for (const one of [inner, outer]) {
      one.on('error', end).on('close', () => {
        if (!one.readableEnded) end();
      });
    }
    if (port === proxyPort) {
      join();
      return;
    }
    // A service of the runner: the proxy makes the connection, like any other.
    outer.write(`CONNECT localhost:${port} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    let head = Buffer.alloc(0);
    const onData = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const at = head.indexOf('\r\n\r\n');
      if (at === -1) return;
      outer.off('data', onData).pause();
      if (!head.toString('latin1').startsWith('HTTP/1.1 200 ')) {
        end();
        return;
      }
      if (head.length > at + 4) inner.write(head.subarray(at + 4));
      join();
    };
    outer.on('data', onData);
  };
  const listen = (port: number, host: string) =>
    new Promise<void>((resolve, reject) => {
      net
        .createServer({ allowHalfOpen: true }, (inner) => {
          lead(inner, port);
        })
        .once('error', reject)
        .listen({ port, host }, resolve);
    });
  const all = [proxyPort, ...ports];
  void Promise.all(all.map((port) => listen(port, '127.0.0.1')))
    // Many programs try ::1 first. Not every machine has IPv6.
    .then(() => Promise.all(all.map((port) => listen(port, '::1').catch(() => undefined))))
    .then(
      () => {
        process.on('uncaughtException', () => undefined);
        process.stdout.write(`${ready}\n`);
      },
      (error: unknown) => {
        process.stdout.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
}

export const forwarderProgram = (options: ForwarderOptions): string =>
  `(${forward.toString()})(require('node:net'), ${JSON.stringify(options)}, ${JSON.stringify(FORWARDING)})`;

/**
 * The variables for a program inside, without those that lead to a proxy of the job and contain its password. Programs
 * that know proxies find the forwarder by them. What is on loopback inside is reached directly.
 */
export function closedEnvironment(
  env: Readonly<Record<string, string>>,
  { proxyPort }: ForwarderOptions,
): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => name.toLowerCase() !== 'all_proxy');
  const address = `http://127.0.0.1:${proxyPort}`;
  const direct = 'localhost,127.0.0.1,::1';
  return {
    ...Object.fromEntries(kept),
    HTTP_PROXY: address,
    HTTPS_PROXY: address,
    NO_PROXY: direct,
    http_proxy: address,
    https_proxy: address,
    no_proxy: direct,
    // Without it, Node itself does not look at the others.
    NODE_USE_ENV_PROXY: '1',
  };
}

/** The usual port of a proxy, unless the agent is to find a service there. */
export const proxyPortBeside = (ports: readonly number[]): number => {
  let port = 3128;
  while (ports.includes(port)) port += 1;
  return port;
};
