import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkChain, surveySurroundings, type Places } from '../../../src/agent/isolation/surroundings.js';

let root: string;
let places: Places;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'surroundings-')));
  for (const name of ['work', 'temp/home', 'temp/tmp', 'temp/bin/tool/bin']) {
    mkdirSync(join(root, name), { recursive: true });
  }
  places = {
    workspace: join(root, 'work'),
    access: 'write',
    home: join(root, 'temp', 'home'),
    temp: join(root, 'temp', 'tmp'),
    ownFiles: [join(root, 'work', 'missing')],
    hidden: [join(root, 'temp')],
    shown: [],
    cli: '/bin/sh',
    env: { PATH: join(root, 'temp', 'bin', 'tool', 'bin') },
    control: join(root, 'temp', 'control'),
  };
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

it('follows a chain of links, each by itself, and no circle for ever', () => {
  writeFileSync(join(root, 'end'), '');
  symlinkSync('end', join(root, 'middle'));
  symlinkSync(join(root, 'middle'), join(root, 'start'));
  expect(linkChain(join(root, 'start'))).toEqual(['start', 'middle', 'end'].map((name) => join(root, name)));
  symlinkSync('circle', join(root, 'circle'));
  expect(new Set(linkChain(join(root, 'circle')))).toEqual(new Set([join(root, 'circle')]));
});

if (process.platform === 'linux') {
  describe('the surroundings of a run', () => {
    const rulesBelow = () => surveySurroundings(places).rules.filter(({ path }) => path.startsWith(root));

    it('are told as rules about what is there', () => {
      expect(rulesBelow()).toEqual([
        { kind: 'writable', path: places.workspace, is: 'folder' },
        { kind: 'writable', path: places.home, is: 'folder' },
        { kind: 'writable', path: places.temp, is: 'folder' },
        { kind: 'hidden', path: join(root, 'temp'), is: 'folder' },
        // A folder of programs, and what lies beside it.
        { kind: 'shown', path: join(root, 'temp', 'bin', 'tool', 'bin'), is: 'folder' },
        { kind: 'shown', path: join(root, 'temp', 'bin', 'tool'), is: 'folder' },
      ]);
    });

    it('hide the folders where powerful programs listen, and sockets elsewhere', async () => {
      const socket = join(root, 'agent.sock');
      const server = createServer();
      await new Promise<void>((done) => server.listen(socket, done));
      try {
        expect(rulesBelow()).toContainEqual({ kind: 'hidden', path: socket, is: 'file' });
        expect(surveySurroundings(places).rules).toContainEqual({
          kind: 'hidden',
          path: '/run',
          is: 'folder',
        });
      } finally {
        server.close();
      }
    });
  });
} else {
  it('were not surveyed here: this is not Linux', () => {
    expect(() => surveySurroundings(places)).toThrow();
  });
}
