import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { changeSince, type ReviewThen, type Tips } from '../../src/context/change-since.js';
import { splitDiff } from '../../src/context/diff-text.js';
import { placeText } from '../../src/report/findings.js';
import type { Finding } from '../../src/report/model.js';
import { git, removeScratch, scratchFolder } from '../sandbox/layer/scratch-repository.js';
import { startGitServer, type GitServer } from './git-server.js';
import { commit, edit, lines, request } from './history-scenes.js';

/** A branch `change` of `main`, whose two files were reviewed. */
let folder: string;
let template: string;
let origin: string;
let server: GitServer;
let reviewed: Tips;
beforeAll(async () => {
  folder = scratchFolder();
  server = await startGitServer(folder);
  template = origin = scratchFolder();
  git(origin, 'init', '-q', '-b', 'main');
  git(origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  commit(origin, { 'a.txt': lines(40), 'b.txt': lines(40), 'main.txt': 'one\n' });
  git(origin, 'checkout', '-q', '-b', 'change');
  commit(origin, { 'a.txt': edit({ 7: 'seven' }) });
  commit(origin, { 'b.txt': edit({ 20: 'twenty' }), 'new.bin': Buffer.from([0, 1, 2]) });
  reviewed = tips();
});
beforeEach(() => {
  origin = join(folder, 'acme', 'project');
  cpSync(template, origin, { recursive: true, preserveTimestamps: true });
});
afterEach(() => {
  rmSync(join(folder, 'acme'), { recursive: true });
});
afterAll(async () => {
  await server.close();
  removeScratch();
});

const tips = (): Tips => ({
  base: git(origin, 'rev-parse', 'main').trim(),
  head: git(origin, 'rev-parse', 'change').trim(),
});

/** The base gets a commit of its own; the branch stays checked out. */
function moveBase(files: Readonly<Record<string, string>>): void {
  git(origin, 'checkout', '-q', 'main');
  commit(origin, files);
  git(origin, 'checkout', '-q', 'change');
}

/** A clone of the head alone, as actions/checkout makes it: everything else has to be fetched. */
function clone(): string {
  const made = join(scratchFolder(), 'clone');
  mkdirSync(made);
  git(made, 'init', '-q', '-b', 'main');
  git(made, 'fetch', '-q', '--no-tags', '--depth=1', `file://${origin}`, tips().head);
  git(made, 'checkout', '-q', '--detach', 'FETCH_HEAD');
  return made;
}

const since = async (then: ReviewThen = reviewed) => {
  const found = await changeSince(request(clone(), server.url), then, tips());
  const parts = splitDiff(found.diff.text).map(({ path, text }) => ({
    path,
    lines: text.split('\n').filter((line) => /^[+-](?![+-])/.test(line)),
  }));
  return { ...found, parts };
};

describe('what is new since a review', () => {
  it('is nothing for the same commit', async () => {
    expect(await since()).toMatchObject({ parts: [], same: ['a.txt', 'b.txt', 'new.bin'] });
  });

  it('is a push of new commits, and only their lines', async () => {
    commit(origin, { 'a.txt': edit({ 7: 'seven', 30: 'thirty' }), 'c.txt': 'new\n' });
    expect(await since()).toMatchObject({
      parts: [
        { path: 'a.txt', lines: ['-line 30', '+thirty'] },
        { path: 'c.txt', lines: ['+new'] },
      ],
      same: ['b.txt', 'new.bin'],
      fromBase: { files: 0, touched: 0 },
    });
  });

  it('is what an amended commit changed', async () => {
    const files = { 'b.txt': edit({ 20: 'zwanzig' }) };
    git(origin, 'reset', '-q', '--soft', 'HEAD^');
    commit(origin, files);
    expect(await since()).toMatchObject({
      parts: [{ path: 'b.txt', lines: ['-twenty', '+zwanzig'] }],
      same: ['a.txt', 'new.bin'],
    });
  });

  it('is nothing after a squash', async () => {
    git(origin, 'reset', '-q', '--soft', 'main');
    commit(origin, {});
    expect(tips().head).not.toBe(reviewed.head);
    expect((await since()).parts).toEqual([]);
  });

  it('is nothing after a rebase, also where the lines moved and the base changed the same file', async () => {
    moveBase({ 'a.txt': `first\n${edit({ 39: 'on main' })}`, 'main.txt': 'two\n' });
    git(origin, 'rebase', '-q', 'main');
    expect(await since()).toMatchObject({
      parts: [],
      same: ['a.txt', 'b.txt', 'new.bin'],
      fromBase: { files: 2, touched: 1 },
    });
  });

  it('is only the new commit after a rebase and a push', async () => {
    moveBase({ 'main.txt': 'two\n' });
    git(origin, 'rebase', '-q', 'main');
    commit(origin, { 'b.txt': edit({ 20: 'twenty', 33: 'new' }) });
    expect((await since()).parts).toEqual([{ path: 'b.txt', lines: ['-line 33', '+new'] }]);
  });

  it('is not what a merge from the base brought, but what was changed in the merge is', async () => {
    moveBase({ 'main.txt': 'two\n', 'more.txt': 'on main\n', 'b.txt': edit({ 2: 'on main' }) });
    git(origin, 'merge', '-q', '--no-commit', '--no-ff', 'main');
    commit(origin, { 'more.txt': 'on main\nslipped in\n' });
    expect(await since()).toMatchObject({
      parts: [{ path: 'more.txt', lines: ['+slipped in'] }],
      fromBase: { files: 3, touched: 2 },
    });
  });

  it('is the whole change of a file where the earlier one no longer fits the base', async () => {
    moveBase({ 'a.txt': edit({ 7: 'SEVEN' }) });
    git(origin, 'reset', '-q', '--hard', 'main');
    commit(origin, {
      'a.txt': edit({ 7: 'seven!' }),
      'b.txt': edit({ 20: 'twenty' }),
      'new.bin': Buffer.from([0, 1, 2]),
    });
    expect(await since()).toMatchObject({
      parts: [{ path: 'a.txt', lines: ['-SEVEN', '+seven!'] }],
      same: ['b.txt', 'new.bin'],
    });
  });

  it('is compared patch by patch if the branch was put on an older base', async () => {
    moveBase({ 'main.txt': 'two\n' });
    git(origin, 'rebase', '-q', 'main');
    const then = tips();
    git(origin, 'rebase', '-q', '--onto', 'main^', 'main');
    commit(origin, { 'new.bin': Buffer.from([0, 1, 3]) });
    expect(await since(then)).toMatchObject({ parts: [{ path: 'new.bin' }], same: ['a.txt', 'b.txt'] });
  });

  it('contains a hunk that moved to another place with the same surroundings', async () => {
    const block = 'same\n'.repeat(8);
    moveBase({ 'r.txt': `${block}x\n${block}` });
    git(origin, 'rebase', '-q', 'main');
    commit(origin, { 'r.txt': `${'same\n'.repeat(4)}guard\n${'same\n'.repeat(4)}x\n${block}` });
    const then = tips();
    commit(origin, { 'r.txt': `${block}x\n${'same\n'.repeat(4)}guard\n${'same\n'.repeat(4)}` });
    expect((await since(then)).parts).toEqual([{ path: 'r.txt', lines: ['-guard', '+guard'] }]);
  });

  it('is the whole change of a file that was moved, because nobody looks for its findings at the old name', async () => {
    git(origin, 'mv', 'a.txt', 'moved.txt');
    commit(origin, {});
    const moved = await since();
    expect(moved.parts).toEqual([{ path: 'moved.txt', lines: ['-line 7', '+seven'] }]);
    expect(moved.same).toEqual(['b.txt', 'new.bin']);
  });

  it('contains what was taken back', async () => {
    git(origin, 'checkout', '-q', 'main', '--', 'a.txt');
    commit(origin, {});
    expect((await since()).parts).toEqual([{ path: 'a.txt', lines: ['-seven', '+line 7'] }]);
  });

  it('cannot be said if the reviewed commit cannot be fetched', async () => {
    await expect(since({ ...reviewed, head: 'f'.repeat(40) })).rejects.toThrow();
  });
});

describe('a finding without a thread', () => {
  const at = (path: string, startLine: number, endLine = startLine): Finding => ({
    ...{ path, startLine, endLine, severity: 'high', title: 'Wrong', body: '' },
  });
  const standing = async (...findings: Finding[]) =>
    (await since({ ...reviewed, findings })).standing.map(placeText);

  it('stands as long as its lines are as they were, wherever they are now', async () => {
    const findings = [at('a.txt', 7), at('a.txt', 20, 22), at('b.txt', 1), at('gone.txt', 3)];
    expect(await standing(...findings)).toEqual(findings.map(placeText));
    moveBase({ 'a.txt': lines(40).replace('line 2\n', 'line 2\nfrom the base\n') });
    git(origin, 'rebase', '-q', 'main');
    commit(origin, { 'b.txt': lines(40).replace('line 5\n', '') });
    expect(await standing(...findings, at('b.txt', 4), at('b.txt', 5), at('b.txt', 6))).toEqual([
      ...['a.txt:8', 'a.txt:21-23', 'b.txt:1', 'gone.txt:3', 'b.txt:4', 'b.txt:5'],
    ]);
  });

  it('stands or falls alone, whatever others have for a path', async () => {
    commit(origin, { 'b.txt': lines(41) });
    const odd = [
      '../b.txt',
      '/etc/passwd',
      ':(top)b.txt',
      'a/../../b.txt',
      '.',
      'a.txt\\',
      '\u{1F600}',
      'a\0b',
    ];
    expect(await standing(...odd.map((path) => at(path, 1)), at('a.txt', 7))).toContain('a.txt:7');
  });

  it('does not stand if a line between its lines is new, or its file is gone or moved', async () => {
    git(origin, 'mv', 'a.txt', 'moved.txt');
    commit(origin, { 'b.txt': lines(40).replace('line 20\n', 'line 20\nbetween\n') });
    expect(await standing(at('a.txt', 1), at('b.txt', 20, 21), at('b.txt', 21), at('new.bin', 1))).toEqual([
      ...['b.txt:22', 'new.bin:1'],
    ]);
  });
});
