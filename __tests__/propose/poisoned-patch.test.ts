import { beforeAll, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyPatch, type PatchOutcome } from '../../src/git/apply-patch.js';
import { findRepository } from '../../src/git/repository.js';
import { judgePatch } from '../../src/propose/judge-patch.js';
import { planEntries } from '../../src/propose/write-commit.js';
import { patchOf } from '../scenarios/propose-step.js';
import { git, makeFolder, makeWorkspace } from '../scenarios/workspace.js';
import { GIT } from '../sandbox/layer/scratch-repository.js';
import { added } from './patches.js';

let checkout = '';
let scratch = '';
beforeAll(() => {
  scratch = makeFolder('git');
  checkout = makeWorkspace({
    'docs/guide.md': 'one\ntwo\nthree\n',
    'docs/windows.md': 'one\r\ntwo\r\nthree\r\n',
    'docs/long.md': Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join(''),
    'src/run.sh': 'echo run\n',
    'README.md': '# Project\n',
  });
  symlinkSync('guide.md', join(checkout, 'docs/link.md'));
  git(checkout, 'add', '--all');
  git(checkout, 'commit', '--quiet', '--message', 'a link');
});
const apply = (patch: string, folder = checkout): PatchOutcome => {
  const repository = findRepository(folder)!;
  return applyPatch({ repository, program: GIT, scratch, patch: Buffer.from(patch, 'latin1') });
};
/** What is wrong with a patch: that it does not apply, or what it does. */
const problemsOf = (patch: string, folder = checkout): string => {
  const outcome = apply(patch, folder);
  if (outcome.kind === 'no-commit') return 'no commit';
  if (outcome.kind === 'does-not-apply') return outcome.problems.join('\n');
  try {
    return judgePatch(outcome, { paths: ['docs/**', '*.md'], denyPaths: ['docs/private/'] }).join('\n');
  } finally {
    outcome.close();
  }
};

describe('a poisoned patch', () => {
  it.each<[string, string, RegExp]>([
    ['a workflow', added('.github/workflows/x.yml'), /only a person/],
    ['a workflow in capitals', added('.GitHub/workflows/x.yml'), /only a person/],
    ['a workflow with an ignored code point', added('.git\u00e2\u0080\u008chub/x.yml'), /only a person/],
    ['rules of the agent', added('docs/AGENTS.md'), /only a person/],
    ['rules of the agent in small letters', added('docs/agents.md'), /only a person/],
    ['rules of Cursor', added('docs/.cursor/rules/a.mdc'), /only a person/],
    ['a list of owners', added('docs/CODEOWNERS'), /only a person/],
    ['an attribute file', added('docs/.gitattributes'), /only a person/],
    ['a folder of agents as a file', added('docs/.claude'), /only a person/],
    ['a hidden file', added('docs/.hidden.md'), /is hidden/],
    ['a hidden folder', added('docs/.x/a.md'), /is hidden/],
    ['a link', added('docs/to.md', '120000', '/etc/passwd'), /is a link/],
    ['a submodule', added('sub', '160000', `Subproject commit ${'a'.repeat(40)}`), /is a submodule/],
    ['a file outside of paths', added('src/a.ts'), /no pattern in paths allows it/],
    ['a denied file in capitals', added('docs/Private/a.md'), /deny-paths contains docs\/private\//],
    ['a denied folder as a file', added('docs/private'), /deny-paths contains docs\/private\//],
    ['a path that leaves the folder', added('docs/../../x.md'), /does not accept this path/],
    ['an absolute path', added('/etc/x.md'), /./],
    ['a path in .git', added('docs/.git/config'), /does not accept this path/],
    ['a path in .git in capitals', added('docs/.GIT/config'), /\.git|does not accept/i],
    ['a path in .git for Windows', added('docs/git~1/config'), /inside a \.git/],
    [
      'a stream of .git for Windows',
      added('docs/.git::$INDEX_ALLOCATION/x'),
      /inside a \.git|does not accept/,
    ],
    ['a backslash', added('docs/in\\x.md'), /backslash/],
    ['a drive', added('c:/x.md'), /colon/],
    [
      'a name that is not UTF-8',
      added('"docs/\\377.md"').replaceAll('a/"', '"a/').replaceAll('b/"', '"b/'),
      /UTF-8/,
    ],
    ['a file below a link', added('docs/link.md/x.md'), /./],
  ])('is refused: %s', (_, patch, words) => {
    expect(problemsOf(patch)).toMatch(words);
  });

  it.each<[string, string[], RegExp[]]>([
    ['a name that is shown in another order', ['docs/guide\u202edm.md'], [/invisible/]],
    ['a zero-width character', ['docs/guide\u200b.md'], [/invisible/]],
    ['another case of a file', ['docs/Guide.md'], [/Guide\.md: .*spelled like guide\.md/]],
    ['another case of a folder', ['Docs/new.md'], [/Docs\/new\.md: .*Docs is spelled like docs/]],
    [
      'twins',
      ['docs/u\u0308.md', 'docs/\u00fc.md'],
      [/u\u0308\.md: .*spelled like/, /\u00fc\.md: .*spelled like/],
    ],
    ['a stream', ['docs/guide.md:y'], [/colon/]],
    ['a folder that Windows calls docs', ['docs./new.md'], [/ends with/]],
    ['a file that Windows calls guide.md', ['docs/guide.md '], [/ends with/]],
    ['a short name', ['docs/VSCODE~1/x.md'], [/short name/]],
    ['a device', ['docs/aux.md'], [/device/]],
  ])('is refused for a name that reads like another: %s', (_, paths, words) => {
    const patch = patchOf(checkout, () => {
      for (const path of paths) {
        mkdirSync(dirname(join(checkout, path)), { recursive: true });
        writeFileSync(join(checkout, path), 'x\n');
      }
    });
    const problems = problemsOf(patch);
    for (const each of words) expect(problems).toMatch(each);
    expect(problems.split('\n')).toHaveLength(paths.length);
  });

  it('may rename a file to another case of its name, and change one that always had such a name', () => {
    const folder = makeWorkspace({ 'docs/guide.md': 'one\n', 'docs/aux.md': 'x\n', 'docs/AUX.md': 'x\n' });
    const patch = patchOf(folder, () => {
      renameSync(join(folder, 'docs/guide.md'), join(folder, 'docs/Guide.md'));
      writeFileSync(join(folder, 'docs/aux.md'), 'y\n');
    });
    expect(problemsOf(patch, folder)).toBe('');
  });

  it('is judged on both sides of a rename, and of a link that becomes a file', () => {
    const renamed = patchOf(checkout, () => {
      renameSync(join(checkout, 'src/run.sh'), join(checkout, 'docs/run.sh'));
    });
    expect(renamed).toContain('rename from src/run.sh');
    expect(problemsOf(renamed)).toBe('src/run.sh: no pattern in paths allows it; add one to allow it.');
    const unlinked = patchOf(checkout, () => {
      rmSync(join(checkout, 'docs/link.md'));
      writeFileSync(join(checkout, 'docs/link.md'), 'x\n');
    });
    expect(problemsOf(unlinked)).toContain('docs/link.md is a link');
  });
});

describe('a patch that is applied', () => {
  it('is exactly what git itself makes of it, and leaves the checkout alone', () => {
    const patch = patchOf(checkout, () => {
      writeFileSync(join(checkout, 'docs/windows.md'), 'one\r\n2\r\nthree\r\n');
      writeFileSync(join(checkout, 'docs/logo.png'), Buffer.from([0, 255, 1, 254]));
      renameSync(join(checkout, 'docs/long.md'), join(checkout, 'docs/moved.md'));
      rmSync(join(checkout, 'README.md'));
      chmodSync(join(checkout, 'src/run.sh'), 0o755);
    });
    const outcome = apply(patch);
    if (outcome.kind !== 'applied') throw new Error(JSON.stringify(outcome));
    expect(
      planEntries(outcome.changes)
        .map(({ kind, path, mode }) => `${kind} ${mode} ${path}`)
        .sort(),
    ).toEqual([
      'file 100644 docs/logo.png',
      'file 100644 docs/moved.md',
      'file 100644 docs/windows.md',
      'file 100755 src/run.sh',
      'gone 100644 README.md',
      'gone 100644 docs/long.md',
    ]);
    const windows = outcome.changes.find(({ path }) => path === 'docs/windows.md')?.after?.id ?? '';
    expect(outcome.read(windows).toString()).toBe('one\r\n2\r\nthree\r\n');
    expect(outcome.sizes([windows]).get(windows)).toBe(15);
    git(checkout, 'apply', '--index', writePatchFile(patch));
    expect(outcome.tree).toBe(git(checkout, 'write-tree').trim());
    git(checkout, 'reset', '--quiet', '--hard');
    outcome.close();
  });

  it('fits an older or newer commit if its lines are there, also in a shallow clone', () => {
    const patch = patchOf(checkout, () => {
      const text = Array.from({ length: 40 }, (_, line) => `line ${line === 20 ? 'twenty' : line}\n`);
      writeFileSync(join(checkout, 'docs/long.md'), text.join(''));
    });
    const clone = join(makeFolder('clone'), 'shallow');
    git(checkout, 'clone', '--quiet', '--depth=1', `file://${checkout}`, clone);
    writeFileSync(join(clone, 'docs/long.md'), `above\n${git(clone, 'show', 'HEAD:docs/long.md')}`);
    git(clone, 'commit', '--quiet', '--all', '--message', 'newer');
    git(clone, 'pack-refs', '--all');
    for (const folder of [clone, checkout]) {
      const outcome = apply(patch, folder);
      expect(outcome.kind).toBe('applied');
      if (outcome.kind === 'applied') outcome.close();
    }
    writeFileSync(join(clone, 'docs/long.md'), 'nothing of it\n');
    git(clone, 'commit', '--quiet', '--all', '--message', 'another');
    expect(apply(patch, clone)).toMatchObject({
      kind: 'does-not-apply',
      problems: ['docs/long.md: the lines around line 18 are not the lines that the patch expects there.'],
    });
  });

  it.each<[string, string]>([
    [added('docs/guide.md'), 'docs/guide.md: the patch adds it, but it is already there.'],
    [
      'diff --git a/gone.md b/gone.md\n--- a/gone.md\n+++ b/gone.md\n@@ -1 +1 @@\n-a\n+b\n',
      'gone.md: the patch changes it, but it is not in the commit.',
    ],
    [
      'diff --git a/docs/guide.md b/docs/guide.md\n--- a/docs/guide.md\n+++ b/docs/guide.md\n@@ -1,3 +1,3 @@\n one\n',
      'The patch is damaged at its line',
    ],
    ['not a patch\n', 'git says: No valid patches in input'],
  ])('says why it does not fit', (patch, words) => {
    expect(problemsOf(patch)).toContain(words);
  });
});

function writePatchFile(patch: string): string {
  const file = join(makeFolder('patch'), 'x.patch');
  writeFileSync(file, patch, 'latin1');
  return file;
}
