import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import {
  homesToHide,
  linkChain,
  surveyMachine,
  type AgentPaths,
} from '../../../src/sandbox/namespace/survey.js';

let root: string;
let places: AgentPaths;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'surroundings-')));
  for (const name of ['work', 'temp/home', 'temp/tmp', 'temp/bin/tool/bin']) {
    mkdirSync(join(root, name), { recursive: true });
  }
  places = {
    layer: { root: join(root, 'work'), by: join(root, 'temp', 'layer'), as: 'overlay' },
    directory: join(root, 'work'),
    home: join(root, 'temp', 'home'),
    temp: join(root, 'temp', 'tmp'),
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

it('counts as no home what everything lies in, as in some containers', () => {
  const homes = ['/root', '/', '/usr', '/root', 'relative', '/home/runner'];
  expect(homesToHide(homes)).toEqual(['/root', '/home/runner']);
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
    const rulesBelow = () => surveyMachine(places).rules.filter(({ path }) => path.startsWith(root));

    it('are told as rules about what is there', () => {
      const { home, temp, layer } = places;
      expect(rulesBelow()).toEqual([
        { kind: 'layered', path: layer.root, is: 'folder', by: layer.by, as: 'overlay' },
        { kind: 'writable', path: home, is: 'folder' },
        { kind: 'writable', path: temp, is: 'folder' },
        { kind: 'hidden', path: join(root, 'temp'), is: 'folder' },
        // A folder of programs, and what lies beside it.
        { kind: 'shown', path: join(root, 'temp', 'bin', 'tool', 'bin'), is: 'folder' },
        { kind: 'shown', path: join(root, 'temp', 'bin', 'tool'), is: 'folder' },
      ]);
    });

    it('give the agent its own temporary folder in the place of everybody’s', () => {
      const { rules } = surveyMachine(places);
      expect(rules).toContainEqual({ kind: 'private', path: '/tmp', is: 'folder', by: places.temp });
    });

    it('hide the home folder as a whole', () => {
      const { rules } = surveyMachine(places);
      expect(rules).toContainEqual({ kind: 'hidden', path: realpathSync(userInfo().homedir), is: 'folder' });
    });

    it('hide the folders where powerful programs listen, and sockets in what is shown', async () => {
      const socket = join(root, 'temp', 'bin', 'tool', 'agent.sock');
      const server = createServer();
      await new Promise<void>((done) => server.listen(socket, done));
      try {
        expect(rulesBelow()).toContainEqual({ kind: 'hidden', path: socket, is: 'file' });
        expect(surveyMachine(places).rules).toContainEqual({
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
    expect(() => surveyMachine(places)).toThrow();
  });
}
