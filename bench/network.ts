import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProxy } from '../src/sandbox/network/proxy.js';

/** Compares 200 MB through the proxy with the same transfer over loopback. The start-up is part of `overhead`. */
const BYTES = 200_000_000;
const ROUNDS = 5;
const MARK = 6;

const block = Buffer.alloc(1 << 18);
const server = createServer((socket) => {
  let left = BYTES;
  const more = () => {
    while (left > 0) {
      const next = left < block.length ? block.subarray(0, left) : block;
      left -= next.length;
      if (!socket.write(next)) {
        socket.once('drain', more);
        return;
      }
    }
    socket.end();
  };
  more();
});

async function readAll(socket: Socket): Promise<number> {
  const startedAt = performance.now();
  let bytes = 0;
  socket.on('data', (chunk) => (bytes += chunk.length));
  await once(socket, 'end');
  socket.destroy();
  if (bytes < BYTES) throw new Error(`${bytes} bytes arrived`);
  return performance.now() - startedAt;
}

const folder = mkdtempSync(join(tmpdir(), 'bench-network-'));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const proxy = createProxy({
  rules: [{ kind: 'local', port }],
  route: () => undefined,
  lookup: () => Promise.resolve(['127.0.0.1']),
  onRefused: () => undefined,
});
const path = join(folder, 'proxy');
await proxy.listen(path);
try {
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const direct = await readAll(connect({ port, host: '127.0.0.1' }));
    const tunnel = connect({ path });
    tunnel.write(`CONNECT localhost:${port} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    ratios.push((await readAll(tunnel)) / direct);
  }
  const ratio = ratios.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? Infinity;
  console.log(`200 MB through the proxy: ${ratio.toFixed(2)} × a direct transfer (limit ${MARK})`);
  if (ratio > MARK) process.exitCode = 1;
} finally {
  proxy.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
