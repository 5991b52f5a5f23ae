import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HistoryRequest } from '../../src/context/history.js';
import { git, put, scratchFolder } from '../sandbox/layer/scratch-repository.js';

/** A repository as GitHub has it, and clones of it as actions/checkout makes them. */
export interface Scene {
  /** The folder a git server can serve: `acme/project` is in it. */
  folder: string;
  origin: string;
  /** Where main and the branch parted, the tip of main, the tip of the branch, and their merge. */
  parted: string;
  base: string;
  head: string;
  merge: string;
}

export function makeScene(): Scene {
  const folder = scratchFolder();
  const origin = join(folder, 'acme', 'project');
  mkdirSync(origin, { recursive: true });
  git(origin, 'init', '-q', '-b', 'main');
  commit(origin, { 'a.txt': lines(40), 'old name.txt': lines(30), 'gone.txt': 'x\n', 'main.txt': 'one\n' });
  for (const step of [1, 2, 3]) commit(origin, { 'a.txt': lines(40), 'step.txt': `${step}\n` });
  const parted = tip(origin);
  git(origin, 'checkout', '-q', '-b', 'change');
  git(origin, 'mv', 'old name.txt', 'new name.txt');
  git(origin, 'rm', '-q', 'gone.txt');
  commit(origin, {
    'a.txt': lines(40).replace('line 7\n', 'line seven\n'),
    'é "quoted"\t.txt': 'odd\n',
    'picture.bin': Buffer.from([0, 1, 2, 255, 0]),
  });
  const head = tip(origin);
  git(origin, 'checkout', '-q', 'main');
  commit(origin, { 'main.txt': 'one\ntwo, on main only\n' });
  commit(origin, { 'more.txt': 'on main only\n' });
  const base = tip(origin);
  git(origin, 'checkout', '-q', '--detach');
  git(origin, 'merge', '-q', '--no-ff', '-m', 'merge', head);
  const merge = tip(origin);
  git(origin, 'update-ref', 'refs/pull/7/head', head);
  git(origin, 'update-ref', 'refs/pull/7/merge', merge);
  git(origin, 'checkout', '-q', 'main');
  return { folder, origin, parted, base, head, merge };
}

export function commit(folder: string, files: Readonly<Record<string, string | Buffer>>): string {
  put(folder, files);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'a commit');
  return tip(folder);
}

export const tip = (folder: string): string => git(folder, 'rev-parse', 'HEAD').trim();
export const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');
/** Forty lines, some of them changed. */
export const edit = (changes: Readonly<Record<number, string>>): string =>
  lines(40)
    .split('\n')
    .map((line, index) => changes[index + 1] ?? line)
    .join('\n');

/** What actions/checkout leaves: one ref, detached, of this depth (0 is all of it). */
export function checkout(scene: Scene, ref: string, depth: number): string {
  const clone = join(scratchFolder(), 'clone');
  mkdirSync(clone);
  git(clone, 'init', '-q', '-b', 'main');
  const way = depth === 0 ? ['+refs/*:refs/remotes/all/*'] : [`--depth=${depth}`, ref];
  git(
    clone,
    ...['fetch', '-q', '--no-tags', `file://${scene.origin}`],
    ...way.sort((a) => (a.startsWith('--') ? -1 : 1)),
  );
  git(
    clone,
    'checkout',
    '-q',
    '--detach',
    depth === 0 ? ref.replace('refs/', 'refs/remotes/all/') : 'FETCH_HEAD',
  );
  return clone;
}

/** How the history of a clone is asked for; without a server there is nowhere to fetch from. */
export const request = (clone: string, server?: string): HistoryRequest => ({
  directory: clone,
  workspace: clone,
  scratch: join(dirname(clone), 'held'),
  env: {
    PATH: process.env['PATH'],
    GITHUB_SERVER_URL: server ?? 'http://127.0.0.1:9',
    GITHUB_REPOSITORY: 'acme/project',
  },
  token: 'ghs_fetchtoken',
  cancel: new AbortController().signal,
});
