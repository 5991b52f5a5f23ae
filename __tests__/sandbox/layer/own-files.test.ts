import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_KINDS, openLayer, type LayerOptions } from './scratch-layer.js';
import { git, put, scratchFolder, scratchRepository } from './scratch-repository.js';

/** A repository with a credential, a hook, a branch and a file that steers the agent. */
function repository(): string {
  const root = scratchRepository();
  git(root, 'branch', 'side');
  git(root, 'config', 'http.https://github.com/.extraheader', 'AUTHORIZATION: basic c2VjcmV0');
  put(root, {
    '.git/hooks/pre-push': '#!/bin/sh\n',
    '.cursor/hooks.json': '{"theirs":true}',
    'x.log': 'ignored\n',
  });
  return root;
}
const shared = repository();

describe('an agent that is not isolated', () => {
  const attack = (script: string, options: LayerOptions = {}) => {
    const layer = openLayer('copy', shared, options);
    layer.act(script);
    const { violations, paths } = layer.inspect();
    layer.opened.close();
    return { violations, paths };
  };

  it('can ask git about the repository without a violation, and finds no credential there', () => {
    const script = `git status; git log --oneline -1; git diff; git show HEAD:README.md; git branch -a
      touch README.md; git status; test -z "$(git config --local --get-regexp http)"; ! grep -r c2VjcmV0 .git`;
    expect(attack(script)).toEqual({ violations: [], paths: [] });
  });

  const COMMIT = 'git -c user.name=x -c user.email=x@example.com commit -q --allow-empty -m x';
  it.each<[string, string, string[]]>([
    [
      'a hook',
      'mkdir -p .git/hooks; echo evil > .git/hooks/pre-push',
      ['.git/hooks/pre-push: a git hook was written, which git commands would run'],
    ],
    [
      'configuration',
      'git config core.sshCommand evil',
      ['.git/config: git’s configuration was changed, which can run programs'],
    ],
    [
      'a branch',
      'echo $(git rev-parse HEAD) > .git/refs/heads/other',
      ['.git/refs/heads/other: a branch, tag or other reference was changed'],
    ],
    [
      'HEAD',
      'echo ref: refs/heads/side > .git/HEAD',
      ['.git/HEAD: another commit or branch was checked out'],
    ],
    ['staging', 'git rm -q --cached README.md', ['.git/index: files were staged or unstaged']],
    ['flags', 'git update-index --assume-unchanged README.md', ['.git/index: files were staged or unstaged']],
    [
      'ignore rules',
      'echo hidden >> .git/info/exclude',
      ['.git/info/exclude: git’s rules on what to ignore or convert were changed'],
    ],
    [
      'all of it',
      'mv .git elsewhere; echo gitdir: elsewhere > .git; rm -rf elsewhere',
      ['.git: it was replaced by something else'],
    ],
  ])('changes only a copy of .git, which is reported: %s', (_, script, expected) => {
    expect(attack(script).violations).toEqual(expected);
  });

  it('changes only a copy of .git with a commit', () => {
    expect(attack(COMMIT).violations).toContain(
      '.git/refs/heads/main: a branch, tag or other reference was changed',
    );
  });

  it('cannot hide changes with the settings of its git', () => {
    const { paths } = attack(
      'git update-index --skip-worktree README.md; echo h > .git/info/exclude; echo x > README.md; echo x > h',
    );
    expect(paths).toEqual(['README.md', 'h']);
  });

  const PAST = 'it was changed in the checkout itself, not in the agent’s copy of it';
  it.each<[string, (root: string) => string, string[]]>([
    ['a file', (root) => `echo evil > ${root}/README.md`, ['README.md']],
    [
      'a new file',
      (root) => `echo evil > ${root}/new.sh; mkdir ${root}/a; echo evil > ${root}/a/b`,
      ['a/b', 'new.sh'],
    ],
    ['a removed file', (root) => `rm ${root}/README.md`, ['README.md']],
    ['a mode', (root) => `chmod 600 ${root}/README.md`, ['README.md']],
    [
      'a file through a hard link',
      (root) => `ln ${root}/README.md mine; echo evil >> mine; rm mine`,
      ['README.md'],
    ],
    ['a file of git', (root) => `echo evil > ${root}/.git/hooks/post-checkout`, ['.git/hooks/post-checkout']],
    ['a file that was set aside', (root) => `echo '{}' > ${root}/.cursor/hooks.json`, ['.cursor/hooks.json']],
    ['what git ignores, which is not told', (root) => `echo x > ${root}/x.log; echo x > ${root}/y.log`, []],
  ])('is found out when it changes the checkout itself: %s', (_, script, expected) => {
    const root = repository();
    const layer = openLayer('copy', root, { absent: ['.cursor/hooks.json'] });
    layer.act(script(root));
    expect(layer.inspect().violations).toEqual(expected.map((path) => `${path}: ${PAST}`));
  });

  it('gets no ignored files if it cannot run commands, but all tracked files', () => {
    const root = scratchRepository({ '.gitignore': 'build/\n*.log\n', 'a.txt': 'a\n' });
    put(root, {
      'build/kept.js': 'kept\n',
      'build/old.js': 'old\n',
      'x.log': 'x\n',
      'deep/y.log': 'y\n',
      'new.txt': 'n\n',
    });
    git(root, 'add', '-f', 'build/kept.js');
    const layer = openLayer('copy', root, { skipsIgnored: true });
    expect(layer.act('find . -name .git -prune -o -type f -print | sort')).toBe(
      './.gitignore\n./a.txt\n./build/kept.js\n./new.txt\n',
    );
    layer.act('echo changed > build/kept.js; echo new > build/old.js; echo x > z.log');
    const found = layer.inspect();
    expect(found.paths).toEqual(['build/kept.js']);
    expect(found.inspection.ignored).toBe(2);
    expect(found.violations).toEqual([]);
    found.apply();
    expect(readFileSync(join(root, 'build/old.js'), 'utf8')).toBe('old\n');
  });
});

describe.each(ALL_KINDS.filter((kind) => kind !== 'copy'))('an agent in a layer by %s', (kind) => {
  it('can ask git, and can change nothing of .git', () => {
    const layer = openLayer(kind, shared);
    layer.act(`git -c safe.directory='*' log --oneline -1 | cat; git -c safe.directory='*' status
      try() { if "$@" 2>/dev/null; then echo "done: $*" >&2; exit 1; fi; }
      try sh -c 'echo evil > .git/hooks/pre-push'; try sh -c 'echo >> .git/config'; try rm -f .git/HEAD; try mv .git x
      try rmdir .git; try ln -s x .git/x; try mkdir .git/x; try sh -c ': > .git/index'; ! grep -r c2VjcmV0 .git`);
    const found = layer.inspect();
    expect(found.violations).toEqual([]);
    expect(found.changes).toEqual([]);
    layer.opened.close();
  });

  it('cannot reach the checkout behind its layer', () => {
    const outside = scratchFolder();
    const layer = openLayer(kind, shared);
    layer.act(`echo x > README.md; ! (echo x > ${outside}/x) 2>/dev/null`);
    expect(layer.inspect().paths).toEqual(['README.md']);
    expect(readdirSync(outside)).toEqual([]);
    layer.opened.close();
  });
});

describe.each(ALL_KINDS)('what the action arranged in a layer by %s', (kind) => {
  const options = {
    absent: ['.cursor/hooks.json', 'src'],
    files: { '.cursor/cli.json': '{"ours":true}', 'docs/guide.md': 'rules\n', 'src/rules.md': 'r\n' },
  };

  it('is there, and is no change', () => {
    const layer = openLayer(kind, shared, options);
    layer.act(
      'test ! -e .cursor/hooks.json; test ! -e src/main.ts; grep -q ours .cursor/cli.json; grep -q rules docs/guide.md',
    );
    expect(layer.inspect()).toMatchObject({ changes: [], violations: [] });
    layer.opened.close();
  });

  it('is guarded, and what was set aside stays as it is', () => {
    const layer = openLayer(kind, shared, options);
    layer.act(`echo '{}' > .cursor/cli.json; rm -rf docs; mkdir docs; echo rules > docs/guide.md; rm src/rules.md
      echo mine > src/main.ts; echo mine > .cursor/hooks.json`);
    const { violations, paths } = layer.inspect();
    const reason = 'the action put it there, and the agent changed or removed it';
    expect(violations).toEqual([
      `.cursor/cli.json: ${reason}`,
      '.cursor/hooks.json: the rule Write(**/.cursor/**) forbids it',
      `src/rules.md: ${reason}`,
    ]);
    expect(paths).toEqual(['.cursor/hooks.json', 'src/main.ts']);
    layer.opened.close();
  });

  it('is never written through a link of the checkout', () => {
    const root = scratchRepository();
    const outside = scratchFolder();
    symlinkSync(outside, join(root, '.cursor'));
    const layer = openLayer(kind, root, { files: { '.cursor/cli.json': '{}' } });
    layer.act('test -f .cursor/cli.json; test ! -L .cursor');
    expect(layer.inspect()).toMatchObject({ changes: [], violations: [] });
    expect(readdirSync(outside)).toEqual([]);
    layer.opened.close();
  });
});
