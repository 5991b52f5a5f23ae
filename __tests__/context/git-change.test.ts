import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diffByGit, numstatByGit } from '../../src/context/git-change.js';
import { parseGitDiff } from '../../src/git/diff.js';
import { git, picture, removeScratch, scratchFolder } from '../sandbox/layer/scratch-repository.js';
import { startGitServer, type GitServer } from './git-server.js';
import { checkout, commit, lines, makeScene, request, tip, type Scene } from './history-scenes.js';

let scene: Scene;
let server: GitServer;
beforeAll(async () => {
  scene = makeScene();
  server = await startGitServer(scene.folder);
});
afterAll(async () => {
  await server.close();
  removeScratch();
});
afterEach(() => {
  server.requests.length = 0;
});

const known = (base: string, head: string, history: 'straight' | 'forked' = 'forked') =>
  ({ kind: 'known', base, head, history }) as const;
const summary = (text: string) =>
  parseGitDiff(text).map(({ path, oldPath, status, binary }) =>
    [status, path, ...(oldPath === undefined ? [] : [`from ${oldPath}`]), ...(binary ? ['binary'] : [])].join(
      ' ',
    ),
  );

/** What the branch changed, and nothing that main changed meanwhile. */
const CHANGED = [
  'modified a.txt',
  'deleted gone.txt',
  'renamed new name.txt from old name.txt',
  'added picture.bin binary',
  'added é "quoted"\t.txt',
];

describe('the diff of a pull request', () => {
  it.each([
    ['the merge commit, with all history', 'refs/pull/7/merge', 0, 0],
    ['the head, with all history', 'refs/pull/7/head', 0, 0],
    ['the merge commit alone', 'refs/pull/7/merge', 1, 1],
    ['the head alone', 'refs/pull/7/head', 1, 1],
    ['the merge commit and its parents', 'refs/pull/7/merge', 2, 1],
  ])('is the same from a checkout of %s', async (_name, ref, depth, fetches) => {
    const clone = checkout(scene, ref, depth);
    const before = picture(clone);
    const diff = await diffByGit(request(clone, server.url), known(scene.base, scene.head));
    expect(diff.base).toBe(scene.parted);
    expect(summary(diff.text)).toEqual(CHANGED);
    expect(diff).toMatchObject({ head: scene.head, unread: [], notes: [] });
    expect(server.requests.filter(({ path }) => path.includes('info/refs'))).toHaveLength(fetches);
    expect(picture(clone)).toEqual(before);
  });

  it('fetches with the token, told to the server and to nobody else', async () => {
    const clone = checkout(scene, 'refs/pull/7/merge', 1);
    const asked = request(clone, server.url);
    await diffByGit(asked, known(scene.base, scene.head));
    const basic = Buffer.from('x-access-token:ghs_fetchtoken').toString('base64');
    expect(server.requests.length).toBeGreaterThan(1);
    expect(new Set(server.requests.map(({ authorization }) => authorization.toLowerCase()))).toEqual(
      new Set([`basic ${basic}`.toLowerCase()]),
    );
    const left = JSON.stringify([picture(clone), existsSync(asked.scratch) ? picture(asked.scratch) : {}]);
    expect(left).not.toContain(basic);
    expect(left).not.toContain(Buffer.from(basic).toString('base64').slice(0, 30));
  });

  it('says why it cannot be had where nothing answers', async () => {
    const clone = checkout(scene, 'refs/pull/7/merge', 1);
    await expect(diffByGit(request(clone), known(scene.base, scene.head))).rejects.toThrow(
      /git fetch failed/,
    );
  });

  it('stops fetching when the job is cancelled', async () => {
    const clone = checkout(scene, 'refs/pull/7/merge', 1);
    const cancel = AbortSignal.abort();
    await expect(
      diffByGit({ ...request(clone, server.url), cancel }, known(scene.base, scene.head)),
    ).rejects.toThrow(/abort/i);
    expect(server.requests).toEqual([]);
  });
});

describe('the diff of a push', () => {
  it('is what is new, in its direction, though the clone has the new commit alone', async () => {
    const clone = checkout(scene, 'refs/heads/main', 1);
    const diff = await diffByGit(request(clone, server.url), known(scene.parted, scene.base, 'straight'));
    expect(summary(diff.text)).toEqual(['modified main.txt', 'added more.txt']);
    expect(diff.text).toContain('+two, on main only');
  });

  it('of a branch that was forced to something else is what is new on it', async () => {
    const clone = checkout(scene, 'refs/heads/change', 1);
    const diff = await diffByGit(request(clone, server.url), known(scene.base, scene.head, 'forked'));
    expect(summary(diff.text)).toEqual(CHANGED);
  });

  it('of a new branch is what it has over the default branch', async () => {
    const clone = checkout(scene, 'refs/heads/change', 1);
    const commits = {
      kind: 'new-branch',
      head: scene.head,
      ref: 'refs/heads/change',
      defaultBranch: 'main',
    } as const;
    const diff = await diffByGit(request(clone, server.url), commits);
    expect(diff.base).toBe(scene.parted);
    expect(summary(diff.text)).toEqual(CHANGED);
  });

  it('of the default branch, when it is new, is everything', async () => {
    const clone = checkout(scene, 'refs/heads/main', 1);
    const commits = {
      kind: 'new-branch',
      head: scene.base,
      ref: 'refs/heads/main',
      defaultBranch: 'main',
    } as const;
    const diff = await diffByGit(request(clone, server.url), commits);
    expect(summary(diff.text)).toContain('added a.txt');
    expect(summary(diff.text)).toHaveLength(6);
  });

  it('of commits without common history compares them as they are, and says so', async () => {
    const clone = checkout(scene, 'refs/heads/main', 0);
    git(clone, 'checkout', '-q', '--orphan', 'other');
    git(clone, 'rm', '-rq', '--cached', '.');
    const other = commit(clone, { 'a.txt': 'all other\n' });
    const diff = await diffByGit(request(clone), known(scene.base, other));
    expect(diff.notes).toEqual([expect.stringContaining('no common history')]);
    expect(summary(diff.text)).toContain('modified a.txt');
  });

  it('of an annotated tag that was moved is that of the commits', async () => {
    const clone = checkout(scene, 'refs/heads/main', 0);
    const tag = (name: string, at: string) => {
      git(clone, 'tag', '-a', '-m', name, name, at);
      return git(clone, 'rev-parse', name).trim();
    };
    const [before, after] = [tag('before', scene.parted), tag('after', scene.base)];
    const diff = await diffByGit(request(clone), known(before, after, 'straight'));
    expect(summary(diff.text)).toEqual(['modified main.txt', 'added more.txt']);
  });
});

describe('a diff too long to be looked at', () => {
  it('is read to the end of a file, and the files after that are named', async () => {
    const clone = checkout(scene, 'refs/pull/7/head', 0);
    const before = tip(clone);
    const after = commit(clone, {
      'a.txt': 'short\n',
      'b.txt': `${'x'.repeat(99)}\n`.repeat(180_000),
      'c.txt': 'short\n',
    });
    const diff = await diffByGit(request(clone), known(before, after, 'straight'));
    expect(summary(diff.text)).toEqual(['modified a.txt']);
    expect(diff.unread).toEqual(['b.txt', 'c.txt']);
  });
});

describe('the lines of a change', () => {
  it.each([
    ['the merge commit alone', 'refs/pull/7/merge', 1],
    ['the head, with all history', 'refs/pull/7/head', 0],
  ])('are counted for the same files as its diff has, from a checkout of %s', async (_name, ref, depth) => {
    const clone = checkout(scene, ref, depth);
    const { text, notes } = await numstatByGit(request(clone, server.url), known(scene.base, scene.head));
    expect(notes).toEqual([]);
    expect(text.split('\0')).toEqual([
      ...['1\t1\ta.txt', '0\t1\tgone.txt', '0\t0\t', 'old name.txt', 'new name.txt'],
      ...['-\t-\tpicture.bin', '1\t0\té "quoted"\t.txt', ''],
    ]);
  });
});

describe('the diff of some files alone', () => {
  const LONG = `${'x'.repeat(99)}\n`.repeat(180_000);

  it('is their part of the whole, which is still had', async () => {
    const clone = checkout(scene, 'refs/pull/7/head', 0);
    const wanted = new Set(['new name.txt', 'é "quoted"\t.txt', 'main.txt', 'old name.txt']);
    const isWanted = (path: string) => wanted.has(path);
    const diff = await diffByGit(request(clone), known(scene.base, scene.head), isWanted);
    expect(summary(diff.text)).toEqual(CHANGED);
    expect(summary(diff.wanted?.text ?? '')).toEqual([
      'renamed new name.txt from old name.txt',
      'added é "quoted"\t.txt',
    ]);
    expect(diff.wanted?.unread).toEqual([]);
  });

  it('is there although the whole is too long to be looked at, moved files as moved', async () => {
    const clone = checkout(scene, 'refs/pull/7/head', 0);
    const before = commit(clone, { 'z/old.txt': lines(50), 'was-a-file': 'x\n' });
    git(clone, 'mv', 'z/old.txt', 'z/new.txt');
    git(clone, 'rm', '-q', 'was-a-file');
    const odd = [':(glob)**', '*', '[a]', '-x', 'a\tb\n"c"', 'dir\\'].map((name) => `z/${name}`);
    const after = commit(clone, {
      'long.txt': LONG,
      'was-a-file/inside.txt': 'y\n',
      'z/other.txt': 'not asked for\n',
      ...Object.fromEntries(odd.map((name) => [name, 'odd\n'])),
    });
    const wanted = new Set(['z/new.txt', 'was-a-file', ...odd]);
    const isWanted = (path: string) => wanted.has(path);
    const diff = await diffByGit(request(clone), known(before, after, 'straight'), isWanted);
    expect(diff.unread).toEqual(expect.arrayContaining(['long.txt', 'z/new.txt', 'z/other.txt']));
    expect(summary(diff.wanted?.text ?? '').sort()).toEqual(
      [
        ...odd.map((name) => `added ${name}`),
        'deleted was-a-file',
        'renamed z/new.txt from z/old.txt',
      ].sort(),
    );
    expect(diff.wanted?.unread).toEqual([]);
  });

  it('is asked for in several command lines where the names are long, and says what is too long itself', async () => {
    const clone = checkout(scene, 'refs/pull/7/head', 0);
    const before = tip(clone);
    const names = Array.from(
      { length: 1000 },
      (_, index) => `${'n'.repeat(200)}/${'m'.repeat(40)}${index}.txt`,
    );
    const after = commit(clone, {
      'long.txt': LONG,
      ...Object.fromEntries(names.map((name) => [name, 'short\n'])),
    });
    const wanted = new Set([...names, 'long.txt']);
    const isWanted = (path: string) => wanted.has(path);
    const diff = await diffByGit(request(clone), known(before, after, 'straight'), isWanted);
    expect(diff.unread.length).toBe(1001);
    expect(new Set(summary(diff.wanted?.text ?? ''))).toEqual(new Set(names.map((name) => `added ${name}`)));
    expect(diff.wanted?.unread).toEqual(['long.txt']);
  });
});

describe('a hostile checkout', () => {
  it('has no say: no attributes, drivers, filters, hooks, monitors or helpers', async () => {
    const clone = checkout(scene, 'refs/pull/7/head', 0);
    const canary = join(scratchFolder(), 'canary');
    const evil = `sh -c 'touch ${canary}; cat' --`;
    const base = commit(clone, {
      '.gitattributes': '* diff=evil filter=evil\n*.txt -diff\n',
      'a.txt': lines(5),
      'sub.txt': 'x\n',
    });
    for (const [name, value] of [
      ['diff.evil.textconv', evil],
      ['diff.evil.command', evil],
      ['diff.external', evil],
      ['core.fsmonitor', evil],
      ['core.sshCommand', evil],
      ['core.alternateRefsCommand', evil],
      ['credential.helper', `!${evil}`],
      ['core.pager', evil],
      ['url.http://127.0.0.1:9/.insteadOf', server.url],
      ['http.proxy', 'http://127.0.0.1:9'],
    ] as const)
      git(clone, 'config', name, value);
    appendFileSync(join(clone, '.git', 'config'), '[include]\n\tpath = /nowhere\n');
    writeFileSync(join(clone, '.git', 'hooks', 'reference-transaction'), `#!/bin/sh\ntouch ${canary}\n`, {
      mode: 0o755,
    });
    writeFileSync(join(clone, '.git', 'info', 'attributes'), '* diff=evil\n');
    git(clone, '-c', 'core.fsmonitor=false', 'config', 'core.hooksPath', join(clone, '.git', 'hooks'));
    const straight = await diffByGit(request(clone, server.url), known(scene.head, base, 'straight'));
    expect(straight.text).toContain('-line 6');
    // The commit on main is not told of in this clone's refs, but it is there; one that is not has to be fetched.
    const elsewhere = commit(scene.origin, { 'later.txt': 'later\n' });
    const fetched = await diffByGit(request(clone, server.url), known(scene.base, elsewhere, 'straight'));
    git(scene.origin, 'reset', '-q', '--hard', scene.base);
    expect(summary(fetched.text)).toEqual(['added later.txt']);
    expect(existsSync(canary)).toBe(false);
    // An ordinary git walks right into it.
    git(clone, 'diff', '--ext-diff', scene.head, base);
    expect(existsSync(canary)).toBe(true);
  });

  it('with submodules tells which commit they were moved to', async () => {
    const clone = checkout(scene, 'refs/pull/7/head', 0);
    const before = tip(clone);
    git(clone, 'update-index', '--add', '--cacheinfo', `160000,${scene.base},module`);
    git(clone, 'commit', '-q', '-m', 'module');
    const diff = await diffByGit(request(clone), known(before, tip(clone), 'straight'));
    expect(diff.text).toContain(`+Subproject commit ${scene.base}`);
  });
});
