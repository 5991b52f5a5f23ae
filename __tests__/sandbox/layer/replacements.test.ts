import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_KINDS, openLayer, type Seen } from './scratch-layer.js';
import {
  cleanClone,
  copyOf,
  git,
  picture,
  put,
  scratchRepository,
  withoutGit,
} from './scratch-repository.js';

/** What an agent can do to the files of a folder. Applying it must give the same result as doing it in the checkout. */
const SCENES: Readonly<Record<string, string>> = {
  'nothing at all': ':',
  'a folder removed': 'rm -rf deep',
  'a folder removed and made anew': 'rm -rf deep && mkdir deep',
  'a folder made anew with a file of a former name': 'rm -rf deep && mkdir deep && echo new > deep/x',
  'a folder made anew with the same file': 'cp deep/x .x; rm -rf deep; mkdir deep; mv .x deep/x',
  'a folder made anew within one that stays': 'rm -rf deep/er && mkdir deep/er && echo new > deep/er/y',
  'folders made anew one in the other':
    'rm -rf deep && mkdir -p deep/er && rm -rf deep/er && mkdir deep/er && echo new > deep/er/z',
  'a folder emptied file by file': 'rm deep/x deep/er/y deep/er/z',
  'a folder made anew, and another moved into it':
    'rm -rf deep && mkdir new && echo 1 > new/y && mv new deep',
  'a file that became a folder': 'rm a.txt && mkdir a.txt && echo in > a.txt/in',
  'a file that became a folder and a file again':
    'rm a.txt && mkdir a.txt && echo x > a.txt/x && rm -r a.txt && echo back > a.txt',
  'a folder that became a file': 'rm -rf deep && echo file > deep',
  'a folder that became a file and a folder again':
    'rm -rf deep && echo f > deep && rm deep && mkdir deep && echo x2 > deep/x2',
  'a link that became a folder': 'rm linked && mkdir linked && echo in > linked/x',
  'a link that became a file': 'rm alias && echo plain > alias',
  'a link that leads elsewhere': 'ln -sf b.txt alias',
  'a file that became a link': 'rm a.txt && ln -s b.txt a.txt',
  'a folder that became a link, with files written behind it':
    'mkdir other && rm -rf deep && ln -s other deep && echo behind > deep/new && echo behind > deep/x',
  'files written behind a link of the checkout':
    'echo behind > linked/new && echo changed > linked/x && rm linked/er/y',
  'a folder renamed': 'mv deep shallow',
  'a folder renamed, and another in its place': 'mv deep shallow && mkdir deep && echo x > deep/x',
  'two folders that changed names': 'mkdir two && echo 2 > two/x && mv deep t && mv two deep && mv t two',
  'a folder renamed below itself': 'mv deep t && mkdir deep && mv t deep/deep',
  'a file renamed over another': 'mv a.txt b.txt',
  'a hard link that was written to': 'ln a.txt hard && echo more >> hard',
  'hard links between folders, one taken away': 'ln deep/x deep/er/hard && rm deep/x',
  'content that goes away and comes back':
    'cp a.txt keep && echo other > a.txt && cat keep > a.txt && rm keep',
  'a mode that changes and comes back, and one that nobody keeps':
    'chmod 755 a.txt && chmod 600 a.txt && chmod 700 deep',
  'strange names': `
    echo 1 > 'quo"te'; echo 2 > "apo'strophe"; echo 6 > ./-dash; echo 7 > --; echo 9 > '*'; echo 11 > '#x'; echo 12 > '!x'
    mkdir ./-rf; echo 15 > ./-rf/-f; echo 16 > '$(touch evil)'; echo 17 > 'a.txt;b'; echo 18 > '\u65e5\u672c'`,
  'names and paths as long as they can be': `
    long=$(printf '%0255d' 0); echo x > $long; mkdir -p d/$long/$long; echo x > d/$long/$long/$long`,
  'strange names of the checkout, changed': `cd odd; rm -- '-dash'
    for name in 'trailing ' 'back\\slash' ':(top)x' 'a\tb' '
' 'new
line'; do echo changed > "$name"; done; mv ' leading' 'quo"te'; rm -rf 'fol
der'; mkdir 'fol
der'; echo x > 'fol
der/y'`,
  'empty files and empty folders': ': > empty; mkdir -p nothing/in/here; : > a.txt',
  'no newline at the end, carriage returns, zeros': `printf 'x' > a.txt; printf 'a\\r\\nb\\r' > cr; printf 'a\\0b' > zero`,
  'a new program': `printf '#!/bin/sh\\n' > new.sh; chmod 755 new.sh`,
  'a program rewritten': `echo '#!/bin/sh -e' > tool.sh`,
  'a whiteout of an overlay, made by hand': 'mknod made c 0 0 2>/dev/null || :; rm -rf made; rm a.txt',
};

const folderOf = (name: string): string => name.replaceAll(/\W/g, '-');

function fillFolder(root: string, folder: string): void {
  put(join(root, folder), {
    'a.txt': 'one\ntwo\nthree\n',
    'b.txt': 'b\n',
    'deep/x': 'x\n',
    'deep/er/y': 'y\n',
    'deep/er/z': 'z\n',
    'tool.sh': '#!/bin/sh\n',
    'odd/-dash': 'dash\n',
    'odd/ leading': 'leading\n',
    'odd/new\nline': 'line\n',
    'odd/trailing ': 'odd\n',
    'odd/back\\slash': 'odd\n',
    'odd/:(top)x': 'odd\n',
    'odd/a\tb': 'odd\n',
    'odd/\n': 'odd\n',
    'odd/fol\nder/y': 'y\n',
  });
  chmodSync(join(root, folder, 'tool.sh'), 0o755);
  symlinkSync('a.txt', join(root, folder, 'alias'));
  symlinkSync('deep', join(root, folder, 'linked'));
}

const script = Object.entries(SCENES)
  .map(([name, one]) => `(cd ${folderOf(name)}\n${one}\n)`)
  .join('\n');
const template = scratchRepository({ 'README.md': '# Readme\n' });
for (const name of Object.keys(SCENES)) fillFolder(template, folderOf(name));
git(template, 'add', '-A');
git(template, 'commit', '-qm', 'folders');
const plain = copyOf(template);
execFileSync('sh', ['-euc', script], { cwd: plain });
/** A file keeps its mode, except for whether it is executable. */
const modesKept = (path: string) => {
  if (picture(path)['a.txt']) chmodSync(join(path, 'a.txt'), 0o644);
};
modesKept(join(plain, folderOf('a mode that changes and comes back, and one that nobody keeps')));

describe.each(ALL_KINDS)('a layer by %s', (kind) => {
  let root: string;
  let found: Seen;
  beforeAll(() => {
    root = copyOf(template);
    const layer = openLayer(kind, root);
    layer.act(script);
    found = layer.inspect();
    const patch = found.patch();
    expect(patch.omitted).toEqual([]);
    const clone = cleanClone(template);
    git(clone, 'apply', '--index', '--whitespace=nowarn', patch.file ?? '');
    found.apply();
    expect(picture(clone, withoutGit)).toEqual(picture(root, withoutGit));
    found.inspection.close();
    layer.opened.close();
  });

  it('finds nothing wrong with it', () => {
    expect(found.violations).toEqual([]);
    expect(git(root, 'fsck')).toBe('');
  });

  it.each(Object.keys(SCENES))('reports and applies: %s', (name) => {
    const folder = folderOf(name);
    const [was, is, wanted] = [template, root, plain].map((top) => picture(join(top, folder))) as [
      Record<string, string>,
      Record<string, string>,
      Record<string, string>,
    ];
    expect(is).toEqual(wanted);
    const differing = [...new Set([...Object.keys(was), ...Object.keys(wanted)])]
      .filter((path) => was[path] !== wanted[path])
      .map((path) => Buffer.from(`${folder}/${path}`, 'latin1').toString('utf8'));
    expect(found.paths.filter((path) => path.startsWith(`${folder}/`))).toEqual(differing.sort());
  });
});
