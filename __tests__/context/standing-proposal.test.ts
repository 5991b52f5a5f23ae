import { expect, it } from '@jest/globals';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { rebuildProposal } from '../../src/context/standing-proposal.js';
import { fromText } from '../../src/git/paths.js';
import { put, git, scratchFolder } from '../sandbox/layer/scratch-repository.js';
import { commit, request, tip } from './history-scenes.js';

/** What is taken over of a proposal, if this is what it does, and this is what the base did since. */
async function rebuild(propose: (folder: string) => void, advance: (folder: string) => void) {
  const folder = join(scratchFolder(), 'clone');
  put(folder, { 'run.sh': 'echo one\n' });
  git(folder, 'init', '-q', '-b', 'main');
  const base = commit(folder, {});
  propose(folder);
  const proposed = commit(folder, {});
  git(folder, 'checkout', '-q', '--detach', base);
  advance(folder);
  const head = commit(folder, { 'other.txt': 'new\n' });
  expect(tip(folder)).toBe(head);
  return rebuildProposal(request(folder), { base, commit: proposed }, head);
}
const executable = (folder: string) => {
  chmodSync(join(folder, 'run.sh'), 0o755);
};
const nothing = () => undefined;

it('a proposal that makes a file executable is not taken for merged', async () => {
  expect(await rebuild(executable, nothing)).toMatchObject({ leftOut: ['run.sh'] });
  const { leftOut, files } = await rebuild((folder) => {
    executable(folder);
    put(folder, { 'run.sh': 'echo two\n' });
  }, nothing);
  expect({ leftOut, files: files.size }).toEqual({ leftOut: ['run.sh'], files: 0 });
});

it('is taken for merged if the base did the same', async () => {
  const rebuilt = await rebuild(executable, executable);
  expect(rebuilt).toEqual({ files: new Map(), leftOut: [], lost: '', removed: [] });
});

it('what a proposal writes is taken over if only the base made the file executable', async () => {
  const { files, leftOut } = await rebuild((folder) => {
    put(folder, { 'run.sh': 'echo two\n' });
  }, executable);
  expect(leftOut).toEqual([]);
  expect(files).toEqual(new Map([[fromText('run.sh'), Buffer.from('echo two\n')]]));
});
