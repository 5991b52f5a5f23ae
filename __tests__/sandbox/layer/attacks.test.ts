import { beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fromText } from '../../../src/git/paths.js';
import { applyChanges, canBeApplied } from '../../../src/sandbox/layer/apply-changes.js';
import { KINDS, openLayer, type Seen } from './scratch-layer.js';
import { copyOf, git, picture, policyOf, put, scratchRepository, USUAL_FILES } from './scratch-repository.js';

interface Attack {
  script: string;
  /** The expected violations, by paths from the folder of the attack. */
  violations: string[];
  /** The changes that are not violations. */
  allowed?: string[];
}

const OTHER_REPOSITORY = 'it belongs to another git repository inside this one';
const NO_FILE = 'it is neither a file nor a link';
const TOO_LARGE = 'it is larger than 100 MiB';
const LEADS_OUT = 'it is a link that leads out of the repository';
/** No rule allows a change there. */
const OUTSIDE = 'outside';
const SETUID = 'it was made to run with the rights of its owner (setuid)';

/** Each runs in a folder of its own, under a policy that allows every path except those that no preset allows. */
const ATTACKS: Readonly<Record<string, Attack>> = {
  'a pipe, new and in the place of a file': {
    script: 'mkfifo pipe; rm a.txt; mkfifo a.txt',
    violations: [`a.txt: ${NO_FILE}`, `pipe: ${NO_FILE}`],
  },
  'a socket': {
    script: `perl -e 'use Socket; socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("sock")) or die $!'`,
    violations: [`sock: ${NO_FILE}`],
  },
  'a device, where one can be made': {
    script: 'mknod device c 1 3 2>/dev/null || mkfifo device',
    violations: [`device: ${NO_FILE}`],
  },
  'a program with the rights of its owner or group': {
    script: 'cp tool.sh own; chmod 4755 own; cp tool.sh group; chmod 2755 group; chmod u+s tool.sh',
    violations: [`group: ${SETUID}`, `own: ${SETUID}`, `tool.sh: ${SETUID}`],
  },
  'a terabyte of nothing': {
    script: 'truncate -s 1T huge; truncate -s 1T a.txt',
    violations: [`a.txt: ${TOO_LARGE}`, `huge: ${TOO_LARGE}`],
  },
  'a file that is a byte too large': {
    script: 'truncate -s 104857601 large',
    violations: [`large: ${TOO_LARGE}`],
  },
  'names that are no UTF-8': {
    script: `echo x > "$(printf 'a\\377')"; mkdir "$(printf 'b\\300\\257')"; echo x > "$(printf 'b\\300\\257/x')"`,
    violations: ['a\ufffd', 'b\ufffd\ufffd/x'].map((name) => `${name}: its name is not valid UTF-8`),
  },
  'another repository, as a folder, a file and in other spellings': {
    script: `mkdir -p sub/.git/hooks; echo evil > sub/.git/hooks/pre-push; echo '[core]' > sub/.git/config
      mkdir x y; echo 'gitdir: ../.git' > x/.git; echo 'gitdir: z' > y/.GIT
      mkdir '.git ' .Git. 'GIT~1' '.g\u200cit'
      for name in '.git ' .Git. 'GIT~1' '.g\u200cit'; do echo x > "$name/config"; done; echo x > '.git::$INDEX_ALLOCATION'`,
    violations: [
      ...['.Git./config', '.git /config', '.git::$INDEX_ALLOCATION', '.g\u200cit/config', 'GIT~1/config'],
      ...['sub/.git/config', 'sub/.git/hooks/pre-push', 'x/.git', 'y/.GIT'],
    ].map((path) => `${path}: ${OTHER_REPOSITORY}`),
  },
  'a bare repository': {
    script: `mkdir -p bare/objects bare/refs/heads bare/hooks; echo 'ref: refs/heads/main' > bare/HEAD
      echo '[core] fsmonitor = evil' > bare/config; echo evil > bare/hooks/x`,
    violations: ['HEAD', 'config', 'hooks/x'].map(
      (name) => `bare/${name}: it is part of a bare git repository`,
    ),
  },
  'a folder made a bare repository by what it lacks': {
    script: `mkdir -p deep/objects deep/refs; echo x > deep/HEAD`,
    violations: ['deep/HEAD: it is part of a bare git repository'],
  },
  'another mode': {
    script: 'chmod +x a.txt; chmod -x tool.sh; mv b.txt c.sh; chmod +x c.sh',
    violations: [
      'a.txt: it was made executable',
      'c.sh: it was renamed, and made executable or no longer executable',
      'tool.sh: it is no longer executable',
    ],
    allowed: ['b.txt'],
  },
  'links that lead out, also by way of another or to something missing': {
    script: `ln -s /etc etc; ln -s etc hop; ln -s ../../not/there dangling; ln -s hop/passwd far
      ln -s ../.git/config settings; ln -s ../.GIT/config loud; ln -s circle circle; ln -s ../../ up; ln -s deep here`,
    violations: [
      'circle: it is a link that leads in circles',
      `dangling: ${LEADS_OUT}`,
      `etc: ${LEADS_OUT}`,
      `far: ${LEADS_OUT}`,
      `hop: ${LEADS_OUT}`,
      'loud: it is a link that leads into .git',
      'settings: it is a link that leads into .git',
      `up: ${LEADS_OUT}`,
    ],
    allowed: ['here'],
  },
  'a folder renamed, and a link that leads out in its place': {
    script: 'mv deep aside; ln -s /etc deep',
    violations: [`deep: ${LEADS_OUT}`],
    allowed: ['aside/er/y', 'aside/x', 'deep/er/y', 'deep/x'],
  },
  'a link that puts files where they may not be written': {
    script: `mkdir -p gh/workflows; echo 'on: push' > gh/workflows/ci.yml; ln -s gh .github; ln -s deep .cursor`,
    violations: [
      '.cursor: it is a link that puts HERE/deep/x where it may not be written, at HERE/.cursor/x',
      '.github: it is a link that puts HERE/gh/workflows/ci.yml where it may not be written, at HERE/.github/workflows/ci.yml',
    ],
    allowed: ['gh/workflows/ci.yml'],
  },
  'denied names in other cases, spellings and with unseen code points': {
    script: `mkdir -p .GITHUB/workflows '.gith\u200cub/workflows' 'secre\u0301t' SECR\u00c9T
      for f in .GITHUB/workflows/a '.gith\u200cub/workflows/a' 'secre\u0301t/a' SECR\u00c9T/a AGENTS.MD; do echo x > "$f"; done`,
    violations: [
      '.GITHUB/workflows/a: the rule Write(**/.github/**) forbids it',
      '.gith\u200cub/workflows/a: the rule Write(**/.github/**) forbids it',
      'AGENTS.MD: the rule Write(**/AGENTS.md) forbids it',
      'SECR\u00c9T/a: the rule Write(secr\u00e9t/**) forbids it',
      'secre\u0301t/a: the rule Write(secr\u00e9t/**) forbids it',
    ],
  },
  'names that read like others': {
    script: `mkdir -p 'docs.' DEEP 'VSCODE~1' o
      for f in 'docs./a' DEEP/x 'VSCODE~1/tasks.json' A.txt 'a.txt:y' 'a.txt ' aux.txt 'x\u200b.txt' 'e\u202etxt.sh' 'o/\u00fc' 'o/u\u0308'
      do echo x > "$f"; done; mv b.txt B.txt`,
    violations: [
      `A.txt: A.txt is spelled like a.txt, which is there too, and some systems take one for the other`,
      `DEEP/x: DEEP is spelled like deep, which is there too, and some systems take one for the other`,
      `VSCODE~1/tasks.json: VSCODE~1 is the form of a short name on Windows, which means another file there`,
      `a.txt : a name in it begins with a space, or ends with a space or a dot, which Windows leaves out`,
      `a.txt:y: its name has a colon, a backslash or a control character`,
      `aux.txt: aux.txt is a device on Windows`,
      `x\u200b.txt: its name has an invisible character, or one that is easily taken for another`,
      `docs./a: a name in it begins with a space, or ends with a space or a dot, which Windows leaves out`,
      `e\u202etxt.sh: its name has an invisible character, or one that is easily taken for another`,
      `o/\u00fc: \\u{fc} is spelled like u\\u{308}, which is there too, and some systems take one for the other`,
      `o/u\u0308: u\\u{308} is spelled like \\u{fc}, which is there too, and some systems take one for the other`,
    ],
    allowed: ['B.txt', 'b.txt'],
  },
  'a folder in another case, of which a part must stay': {
    script: 'mv guarded Guarded; echo x > Guarded/new',
    violations: [
      'Guarded/.github/ci.yml: the rule Write(**/.github/**) forbids it',
      'Guarded/new: Guarded is spelled like guarded, which is there too, and some systems take one for the other',
      'guarded/.github/ci.yml: the rule Write(**/.github/**) forbids it',
    ],
  },
  'denied files changed by what is done to the folder above': {
    script: `mv guarded other; mkdir guarded`,
    violations: [
      'guarded/.github/ci.yml: the rule Write(**/.github/**) forbids it',
      'other/.github/ci.yml: the rule Write(**/.github/**) forbids it',
    ],
  },
  'rules of git that would hide a file': {
    script: `echo '*' > .gitignore; echo x > hidden; mkdir in; echo '*' > in/.gitignore; echo x > in/side`,
    violations: [],
    allowed: ['.gitignore', 'hidden', 'in/.gitignore', 'in/side'],
  },
  'a change whose size and times were put back': {
    script: `touch -r a.txt stamp; printf 'ONE\\n' > a.txt; touch -r stamp a.txt; rm stamp`,
    violations: [],
    allowed: ['a.txt'],
  },
  'files that were there although git ignores them': {
    script: 'echo more >> kept.log; rm build/kept.js',
    violations: [],
    allowed: ['build/kept.js', 'kept.log'],
  },
};

const folderOf = (name: string): string => name.replaceAll(/\W/g, '-');

/** The order has no meaning. It makes the two sides comparable. */
const sorted = (texts: string[]): string[] => [...texts].sort();

const template = scratchRepository({ 'README.md': '# Readme\n', '.gitignore': '*.log\nbuild/\n' });
for (const name of Object.keys(ATTACKS)) {
  put(join(template, folderOf(name)), {
    'a.txt': 'one\n',
    'b.txt': 'b\nb\nb\n',
    'deep/x': 'x\n',
    'deep/er/y': 'y\n',
    'tool.sh': '#!/bin/sh\n',
    'kept.log': 'kept\n',
    'build/kept.js': 'kept\n',
    'guarded/.github/ci.yml': 'on: push\n',
  });
  chmodSync(join(template, folderOf(name), 'tool.sh'), 0o755);
}
git(template, 'add', '-Af');
git(template, 'commit', '-qm', 'folders');

const large = scratchRepository(
  Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`many/${index % 30}/${index}.txt`, `${index}\n`]),
  ),
);

describe.each(KINDS)('a layer by %s', (kind) => {
  describe('sees through', () => {
    let root: string;
    let found: Seen;
    let close: () => void;
    beforeAll(() => {
      root = copyOf(template);
      const layer = openLayer(kind, root, { policy: policyOf('fix-ci', [], ['Write(secr\u00e9t/**)']) });
      const scripts = Object.entries(ATTACKS).map(
        ([name, { script }]) => `(cd ${folderOf(name)}\n${script}\n)`,
      );
      layer.act(scripts.join('\n'));
      found = layer.inspect();
      close = () => {
        found.inspection.close();
        layer.opened.close();
      };
    });

    it.each(Object.entries(ATTACKS))('%s', (name, { violations, allowed = [] }) => {
      const prefix = `${folderOf(name)}/`;
      const here = (texts: string[]) =>
        sorted(texts.filter((text) => text.startsWith(prefix)).map((text) => text.slice(prefix.length)));
      expect(here(found.violations).map((text) => text.replaceAll(prefix.slice(0, -1), 'HERE'))).toEqual(
        sorted(violations),
      );
      const pass = found.inspection.allowed.map(({ path }) => Buffer.from(path, 'latin1').toString('utf8'));
      expect(here(pass)).toEqual(sorted(allowed));
    });

    it('all of it, and reports nothing else', () => {
      const folders = Object.keys(ATTACKS).map((name) => `${folderOf(name)}/`);
      expect(found.violations.filter((text) => !folders.some((folder) => text.startsWith(folder)))).toEqual(
        [],
      );
    });

    it('and names in the patch what cannot be in it', () => {
      const { omitted, file } = found.patch([...found.inspection.allowed, ...found.inspection.refused]);
      const reasons = new Set(omitted.map(({ reason }) => reason));
      expect(reasons).toEqual(new Set([NO_FILE, TOO_LARGE, 'git does not add files of another repository']));
      expect(file).toBeDefined();
    });

    it('and applies nothing that cannot be a file of the repository, and no setuid bits', () => {
      const { allowed, refused, sourceOf } = found.inspection;
      const before = picture(root, { folders: true });
      for (const change of refused.filter((one) => !canBeApplied(one)))
        expect(() => {
          applyChanges({ changes: [...allowed, change], sourceOf, to: fromText(root) });
        }).toThrow('may not be written');
      expect(picture(root, { folders: true })).toEqual(before);
      found.apply([...allowed, ...refused.filter(canBeApplied)]);
      expect(git(root, 'fsck')).toBe('');
      close();
    });
  });

  it('writes nothing through a link that was put in the place of .cursor', () => {
    const root = scratchRepository({ 'a.txt': 'a\n', '.cursor/rules/index.js': 'rules\n' });
    const action = join(dirname(root), 'action');
    put(action, { 'dist/index.js': 'ours\n', 'dist/rules/index.js': 'ours\n' });
    const before = picture(action);
    const layer = openLayer(kind, root);
    layer.act(`mv .cursor old; ln -s ${action}/dist .cursor; echo theirs > old/rules/index.js`);
    const found = layer.inspect();
    expect(found.violations).toEqual([
      '.cursor/rules/index.js: the rule Write(**/.cursor/**) forbids it',
      `.cursor: ${LEADS_OUT}`,
    ]);
    const { allowed, refused } = found.inspection;
    found.apply([...refused, ...allowed]);
    // After the link is in place, nothing is written behind it.
    const behind = {
      path: '.cursor/rules/index.js',
      before: { kind: 'absent' },
      after: { kind: 'absent' },
    } as const;
    found.apply([behind]);
    expect(picture(action)).toEqual(before);
  });

  it('counts what git ignores, and neither applies nor judges it', () => {
    const root = scratchRepository();
    put(root, { 'build/old.js': 'old\n', 'x.log': 'old\n' });
    const layer = openLayer(kind, root, { policy: policyOf('docs') });
    layer.act(
      'echo new > build/old.js; mkdir -p build/deep; echo x > build/deep/x; rm x.log; echo > docs/more.md',
    );
    const found = layer.inspect();
    expect(found.inspection.ignored).toBe(3);
    expect(found.paths).toEqual(['docs/more.md']);
    expect(found.violations).toEqual([]);
    found.apply();
    expect(readFileSync(join(root, 'build/old.js'), 'utf8')).toBe('old\n');
  });

  it('allows no change at all in the preset review, whatever else is allowed', () => {
    const layer = openLayer(kind, scratchRepository(), { policy: policyOf('review', ['Write(docs/**)']) });
    layer.act('echo x > docs/new.md; rm README.md');
    expect(layer.inspect().violations).toEqual([
      'README.md: the preset review allows no change; use preset docs, edit, fix-ci or custom',
      'docs/new.md: the preset review allows no change; use preset docs, edit, fix-ci or custom',
    ]);
  });

  it('counts a rename as both paths', () => {
    const layer = openLayer(kind, scratchRepository(), { policy: policyOf('docs', ['Write(docs/**)']) });
    layer.act('mv src/main.ts docs/main.ts');
    const found = layer.inspect();
    expect(found.changes).toMatchObject([{ status: 'renamed', from: 'src/main.ts', path: 'docs/main.ts' }]);
    expect(found.violations).toEqual(['src/main.ts: no Write rule allows it; Write(src/main.ts) would']);
    found.apply();
    expect(existsSync(join(layer.checkout, 'src/main.ts'))).toBe(true);
  });

  it('sees the real paths behind a linked folder of the checkout', () => {
    const root = scratchRepository();
    symlinkSync('../src', join(root, 'docs/code'));
    const layer = openLayer(kind, root, { policy: policyOf('docs', ['Write(docs/**)']) });
    layer.act('echo evil > docs/code/evil.ts');
    expect(layer.inspect().violations).toEqual([
      'src/evil.ts: no Write rule allows it; Write(src/evil.ts) would',
    ]);
  });

  it('fails if a path is too long to be read', () => {
    const layer = openLayer(kind, scratchRepository());
    layer.act(`perl -e 'for (1..16) { mkdir "d" x 250; chdir "d" x 250 or die $! } mkdir "e" x 50; chdir "e" x 50;
      open F, ">", "deep" or die $!; print F "x"'; echo fine > fine.txt`);
    expect(() => layer.inspect()).toThrow('ENAMETOOLONG');
    layer.opened.close();
    expect(existsSync(dirname(layer.opened.written))).toBe(false);
  });

  it('finds thousands of removed files at once', () => {
    const root = copyOf(large);
    const layer = openLayer(kind, root);
    layer.act('rm -rf many; mkdir many; echo one > many/one');
    const found = layer.inspect();
    expect(found.changes).toHaveLength(1001);
    expect(found.violations).toEqual([]);
    found.apply();
    expect(readdirSync(join(root, 'many'))).toEqual(['one']);
  });

  it('starts another attempt from the checkout', () => {
    const layer = openLayer(kind, scratchRepository(), { files: { '.cursor/cli.json': '{}' } });
    layer.act('rm -rf src docs; mkdir src; echo first > first.txt');
    layer.opened.renew();
    layer.act('test -e src/main.ts; test ! -e first.txt; test -e .cursor/cli.json; echo second > second.txt');
    expect(layer.inspect().paths).toEqual(['second.txt']);
  });
});

/** What is left out of a change decides what the rest of it means. */
const PARTS: Readonly<Record<string, Part>> = {
  'a link to a folder, where the checkout has a link into .git': {
    links: { meta: '.git' },
    script:
      'rm meta; mkdir meta; echo x > meta/config; ln -s ../meta/config docs/leak; echo x > docs/fine.md',
    refused: {
      'docs/leak': 'applied to the checkout, it is a link that leads into .git',
      'meta/config': OUTSIDE,
      meta: OUTSIDE,
    },
    applied: ['docs/fine.md'],
  },
  'a chain of links, the last of which leads out only after the one before it is left out': {
    links: { meta: '.git', 'docs/x': '../.git' },
    script: `rm meta; mkdir -p meta/deep; echo x > meta/deep/x; ln -sfn ../meta/deep docs/x
      ln -s x/../../README.md docs/chain; ln -s chain docs/link`,
    refused: {
      'docs/chain': 'applied to the checkout, it is a link that leads out of the repository',
      'docs/link': 'applied to the checkout, it is a link that leads out of the repository',
      'docs/x': 'applied to the checkout, it is a link that leads into .git',
      'meta/deep/x': OUTSIDE,
      meta: OUTSIDE,
    },
    applied: [],
  },
  'a file below a link of the checkout that has to stay': {
    links: { 'docs/kept': '../src' },
    script: 'rm docs/kept; mkdir docs/kept; echo x > docs/kept/x; echo x > docs/fine.md',
    refused: {
      'docs/kept/x': 'applied to the checkout, it is below docs/kept, which is not a folder',
      'docs/kept': 'the rule Write(docs/kept) forbids it',
    },
    applied: ['docs/fine.md'],
  },
  'a file in the place of a folder in which something has to stay': {
    files: { 'docs/set/.github/ci.yml': 'on: push\n', 'docs/set/a': 'a\n' },
    script: 'rm -rf docs/set; echo x > docs/set; rm docs/guide.md',
    refused: {
      'docs/set': 'applied to the checkout, it is in the place of a folder with other files in it',
      'docs/set/.github/ci.yml': 'the rule Write(**/.github/**) forbids it',
    },
    applied: ['docs/guide.md', 'docs/set/a'],
  },
  'a bare repository, of which one part was only removed in the layer': {
    files: { 'docs/r/objects/x': 'x\n', 'docs/r/refs/kept': 'x\n' },
    script: 'rm -r docs/r/refs; echo x > docs/r/HEAD; echo x > docs/r/config',
    refused: {
      'docs/r/HEAD': 'applied to the checkout, it is part of a bare git repository',
      'docs/r/config': 'applied to the checkout, it is part of a bare git repository',
      'docs/r/refs/kept': 'the rule Write(docs/r/refs/kept) forbids it',
    },
    applied: [],
  },
  'a link to what is absent from the layer only': {
    links: { '.cursor': '.git' },
    absent: ['.cursor'],
    script: 'ln -s ../.cursor/config docs/leak',
    refused: { 'docs/leak': 'applied to the checkout, it is a link that leads into .git' },
    applied: [],
  },
};

interface Part {
  files?: Record<string, string>;
  links?: Record<string, string>;
  absent?: string[];
  script: string;
  refused: Record<string, string>;
  applied: string[];
}

describe.each(KINDS)('the allowed part of a change in a layer by %s', (kind) => {
  it.each(Object.entries(PARTS))('does not contain %s', (_, { files = {}, links = {}, ...part }) => {
    const root = scratchRepository({ ...USUAL_FILES, ...files });
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'links', '--allow-empty');
    const policy = policyOf('docs', ['Write(docs/**)'], ['Write(docs/kept)', 'Write(docs/r/refs/kept)']);
    const layer = openLayer(kind, root, { policy, absent: part.absent ?? [] });
    layer.act(part.script);
    const found = layer.inspect();
    const reasons = Object.entries(part.refused).map(([path, reason]) =>
      reason === OUTSIDE ? `${path}: no Write rule allows it; Write(${path}) would` : `${path}: ${reason}`,
    );
    expect(found.violations).toEqual(sorted(reasons));
    expect(sorted(found.inspection.allowed.map(({ path }) => path))).toEqual(part.applied);
    found.apply();
  });
});

describe('programs', () => {
  it.each(KINDS)('are never run for a layer by %s: no filter, driver, monitor or hook', (kind) => {
    const root = scratchRepository();
    const canary = join(dirname(root), 'canary');
    const trap = join(dirname(root), 'trap');
    put(dirname(root), { trap: `#!/bin/sh\necho ran >> ${canary}\ncat\n` });
    chmodSync(trap, 0o755);
    for (const name of [
      ...['filter.trap.clean', 'filter.trap.smudge', 'filter.trap.process', 'diff.trap.command'],
      ...['diff.trap.textconv', 'core.fsmonitor', 'diff.external', 'core.pager', 'core.sshCommand'],
    ])
      git(root, 'config', name, trap);
    const attributes = '* filter=trap diff=trap merge=trap\n';
    put(root, { '.gitattributes': attributes, '.git/info/attributes': attributes });
    for (const hook of ['post-index-change', 'fsmonitor-watchman', 'reference-transaction']) {
      put(root, { [`.git/hooks/${hook}`]: `#!/bin/sh\n${trap} </dev/null\n` });
      chmodSync(join(root, '.git/hooks', hook), 0o755);
    }
    const layer = openLayer(kind, root, { policy: policyOf('fix-ci', ['Write(**/.gitattributes)']) });
    layer.act(
      `echo evil > src/main.ts; mkdir new; echo '* filter=trap diff=trap' > new/.gitattributes; echo x > new/x`,
    );
    const found = layer.inspect();
    expect(found.paths).toEqual(['new/.gitattributes', 'new/x', 'src/main.ts']);
    found.patch();
    found.apply();
    expect(existsSync(canary)).toBe(false);
    // The attack works: ordinary git runs the program.
    spawnSync('git', ['status'], { cwd: root });
    expect(existsSync(canary)).toBe(true);
  });

  it('of the agent cannot block the inspection with a pipe', () => {
    const layer = openLayer('copy', scratchRepository());
    layer.act(
      'mkfifo .gitattributes docs/.gitattributes; mkfifo .gitignore.new; echo x > docs/x; echo x > x',
    );
    const found = layer.inspect();
    expect(found.violations.filter((text) => text.endsWith(NO_FILE))).toHaveLength(3);
    expect(found.inspection.allowed.map(({ path }) => basename(path))).toEqual(['x', 'x']);
  }, 20_000);
});

it('leaves nothing behind', () => {
  const layer = openLayer('copy', scratchRepository());
  const folder = dirname(dirname(layer.opened.written));
  layer.act('echo x > x');
  const found = layer.inspect();
  found.inspection.close();
  layer.opened.close();
  expect(readdirSync(join(folder, 'git'))).toEqual([]);
  expect(readdirSync(folder)).toEqual(['git']);
});
