import { afterEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ASKED, LINKED, canaryProgram, SAW } from '../../src/doctor/canaries.js';
import { makeFolder, removeFolders, writeTree } from '../scenarios/workspace.js';

afterEach(removeFolders);

(process.platform === 'win32' ? describe.skip : describe)('the program behind a command', () => {
  it.each<[string, boolean, number]>([
    ['directly', false, 1],
    ['through a proxy that lets everything pass', true, 2],
  ])('finds the ways out that are open: %s', async (_, isProxied, times) => {
    const [marks, outside, cwd] = [makeFolder(), makeFolder(), makeFolder()];
    writeTree(outside, { secret: '' });
    let rung = 0;
    // It is also the proxy: who asks it for a tunnel has reached it once more.
    const bell = createServer((socket) => {
      rung += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(bell, 'listening');
    const { port } = bell.address() as AddressInfo;
    const { name, text } = canaryProgram('free', { marks, outside, port, node: process.execPath }, 'linux');
    writeFileSync(join(cwd, name), text);
    chmodSync(join(cwd, name), 0o755);
    const env = {
      PATH: process.env['PATH'],
      ...(isProxied ? { HTTPS_PROXY: `http://127.0.0.1:${port}` } : {}),
    };
    await promisify(execFile)(join(cwd, name), { cwd, env });
    bell.close();
    expect(rung).toBe(times);
    const left = readdirSync(marks).filter((file) => file !== name + ASKED && file !== name + LINKED);
    expect(left).toEqual([name, name + SAW]);
    expect(readdirSync(marks)).toHaveLength(3);
  });
});
