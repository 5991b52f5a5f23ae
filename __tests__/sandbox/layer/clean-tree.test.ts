import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toBytes } from '../../../src/git/paths.js';
import { anyChanges, anyCheckout, asScript } from './any-changes.js';
import { ALL_KINDS } from './scratch-layer.js';
import { copyOf, git, picture, policyOf, put, scratchRepository } from './scratch-repository.js';
import { openScratchSandbox } from '../scratch-sandbox.js';

/** What a command sees of a file tree: names, kinds, modes, links and contents. Only the last is long. */
const LOOK = `find . -path ./.git -prune -o -type l -printf 'link %P -> %l\\0' -o -printf '%y %m %P\\0' | sort -z
  find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 -r sha256sum -z --`;
const look = (folder: string): string[] =>
  execFileSync('sh', ['-euc', LOOK], { cwd: folder, encoding: 'latin1' }).split('\0');

const CHANGES =
  'echo more >> README.md; rm docs/guide.md; rm -rf src/deep; mkdir src/deep; echo z > src/deep/z; echo new > new.txt';
const CHANGED = ['README.md', 'docs/guide.md', 'new.txt', 'src/deep/x', 'src/deep/y', 'src/deep/z'];

/** A checkout in which an earlier step installed something. */
function scratchCheckout(): string {
  const root = scratchRepository();
  put(root, {
    'src/deep/x': 'x\n',
    'src/deep/y': 'y\n',
    'build/.bin/jest': '#!/bin/sh\necho tested\n',
    'build/stamp': 'old\n',
  });
  chmodSync(join(root, 'build/.bin/jest'), 0o755);
  for (const name of ['src/main.ts', 'build/stamp', 'README.md']) utimesSync(join(root, name), 1000, 1000);
  return root;
}

describe.each(ALL_KINDS)('the clean tree (%s)', (kind) => {
  const isIsolated = kind !== 'copy';

  it('has what the agent changed, and what an earlier step installed', async () => {
    const root = scratchCheckout();
    const { act, openTree, sandbox } = openScratchSandbox(kind, root);
    await act(CHANGES);
    const tree = openTree();
    expect(
      await tree.run('tail -n 1 README.md; cat new.txt; ls src/deep; ./build/.bin/jest; test ! -e docs'),
    ).toBe('more\nnew\nz\ntested\n');
    expect(await tree.run('pwd; cat main.ts', 'src')).toContain('/src\nexport const a');
    sandbox.close();
  });

  it('has nothing else that the agent left', async () => {
    const root = scratchCheckout();
    const { act, openTree, sandbox } = openScratchSandbox(kind, root);
    await act(`echo more >> README.md
      printf '#!/bin/sh\\necho forged\\n' > build/.bin/jest; echo made > build/made; echo new > build/stamp; echo x > x.log
      mkdir -p build/empty empty/er src/empty; rm -rf docs; mkdir docs
      touch src/main.ts build/stamp; touch -d @5000 src/tool.sh
      for place in "$HOME" "$TMPDIR" ${isIsolated ? '/tmp' : ''}; do echo left > "$place/left-by-the-agent"; done
      mkdir -p "$HOME/.cache" "$HOME/.config"; echo left > "$HOME/.config/left"; mkfifo "$TMPDIR/pipe"
      (echo left > "$HOME/../left") 2>/dev/null || :`);
    const tree = openTree();
    expect(tree.changes.map(({ path }) => path).sort()).toEqual(['README.md', 'docs/guide.md']);
    const stat = (path: string) =>
      spawnSync('stat', ['-c', '%Y', join(root, path)], { encoding: 'utf8' }).stdout;
    expect(
      await tree.run(`./build/.bin/jest; cat build/stamp; stat -c %Y src/main.ts build/stamp src/tool.sh
        for path in build/made x.log build/empty empty src/empty docs "$HOME/left-by-the-agent" "$TMPDIR/left-by-the-agent" \\
          "$HOME/.config/left" "$HOME/../left" "$TMPDIR/pipe" /tmp/left-by-the-agent
        do if [ -e "$path" ] || [ -L "$path" ]; then echo "$path"; fi; done
        find "$HOME" "$TMPDIR" -type f`),
    ).toBe(`tested\nold\n1000\n1000\n${stat('src/tool.sh')}`);
    sandbox.close();
  });

  if (isIsolated)
    it('is in namespaces in which the folders of the agent cannot be reached', async () => {
      const { act, openTree, sandbox, folder } = openScratchSandbox(kind, scratchCheckout());
      await act(
        'echo left > "$HOME/left"; echo left > "$TMPDIR/left"; echo x > new.log; (sleep 1000 >/dev/null 2>&1 &)',
      );
      const { home, temp } = sandbox.places;
      expect([existsSync(join(home, 'left')), existsSync(join(temp, 'left'))]).toEqual([true, true]);
      const tree = openTree();
      const found = await tree.run(`find '${folder}' -name left -o -name new.log 2>/dev/null || :
      cat '${home}/left' '${temp}/left' 2>/dev/null || :; ps -A -o args= 2>/dev/null | grep 'sleep 100[0]' || :`);
      expect(found).toBe('');
      sandbox.close();
    });

  it('keeps what a command writes for the next one, and puts nothing of it into the layer or the checkout', async () => {
    const root = scratchCheckout();
    const before = picture(root, { folders: true });
    const { act, openTree, sandbox } = openScratchSandbox(kind, root);
    await act(CHANGES);
    const tree = openTree();
    await tree.run(
      'echo built > built.txt; echo evil > README.md; rm new.txt; rm -rf src; mkdir src; echo a > src/a; echo x > "$HOME/x"; echo x > build/x',
    );
    expect(await tree.run('cat built.txt README.md src/a build/x "$HOME/x"')).toBe('built\nevil\na\nx\nx\n');
    const { changes, violations } = sandbox.inspect(() => []);
    expect([changes.map(({ path }) => path).sort(), violations, tree.intrusions()]).toEqual([
      CHANGED,
      [],
      [],
    ]);
    expect(picture(root, { folders: true })).toEqual(before);
    const another = openTree();
    expect(
      await another.run(
        'cat new.txt; test ! -e built.txt; test ! -e build/x; test ! -e "$HOME/x"; echo clean',
      ),
    ).toBe('new\nclean\n');
    // The agent goes on with what it left, not with what the commands did.
    expect(await act('cat new.txt; tail -n 1 README.md; test ! -e built.txt')).toBe('new\nmore\n');
    sandbox.close();
  });

  it('has neither what is not allowed nor what was planted or hidden for the agent', async () => {
    const root = scratchCheckout();
    put(root, { '.cursor/hooks.json': '{"theirs":true}', '.cursor/cli.json': '{"theirs":true}' });
    const { act, openTree, sandbox } = openScratchSandbox(kind, root, {
      policy: policyOf('fix-ci', ['Shell(*)'], ['Write(docs/**)']),
      hide: ['.cursor/hooks.json'],
      plant: () => ({ '.cursor/cli.json': '{"ours":true}', 'RULES.md': 'ours\n' }),
    });
    await act(
      'cat RULES.md; grep -q ours .cursor/cli.json; test ! -e .cursor/hooks.json; echo a > src/a; echo a > docs/a; mkdir .github; echo a > .github/a; mkfifo pipe',
    );
    const tree = openTree('allowed');
    expect(
      await tree.run('grep -c theirs .cursor/cli.json .cursor/hooks.json; ls docs src; ls -A | sort'),
    ).toBe(
      `.cursor/cli.json:1\n.cursor/hooks.json:1\ndocs:\nguide.md\n\nsrc:\na\ndeep\nmain.ts\ntool.sh\n${['.cursor', '.git', '.gitignore', 'README.md', 'build', 'docs', 'src', ''].join('\n')}`,
    );
    sandbox.close();
  });

  it('has every file as it will be in the checkout', async () => {
    const root = scratchCheckout();
    put(root, {
      'a/b/c': 'c\n',
      'd/e': 'e\n',
      f: 'f\n',
      'kept/private': 'p\n',
      'gone/x/y': 'y\n',
      'half/x': 'x\n',
      'half/y': 'y\n',
    });
    symlinkSync('../f', join(root, 'd/l'));
    symlinkSync('d', join(root, 'l'));
    chmodSync(join(root, 'kept/private'), 0o600);
    chmodSync(join(root, 'kept'), 0o700);
    mkdirSync(join(root, 'gone/empty'));
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'more');
    const { act, openTree, sandbox } = openScratchSandbox(kind, root);
    await act(`mv README.md renamed.md; mv src/main.ts src/deep/main.ts
      rm -rf a; echo file > a; rm f; mkdir -p f/g; echo x > f/g/h; rm l; mkdir l; echo in > l/in; rm -rf d; ln -s half d
      ln -s renamed.md link; ln -s nowhere/at/all dangling; ln -s . 'li nk'
      printf '#!/bin/sh\\n' > run; chmod 755 run; chmod +x src/tool.sh; printf 'x' > odd; chmod 4711 odd; echo more >> kept/private
      chmod 640 half/y; echo more >> half/y; rm -r gone; rm half/x; : > empty
      echo x > 'it'\\''s "odd" $(name)'; echo x > '-rf'; echo x > ' '; echo x > 'new
line'; mkdir -p é/漢; echo x > é/漢/字
      head -c 3000000 /dev/urandom > large.bin; truncate -s 5000000 sparse; umask 0; echo x > open; mkdir -m 777 wide; echo x > wide/x`);
    const tree = openTree();
    const seen = (await tree.run(LOOK)).split('\0');
    tree.apply();
    expect(seen).toEqual(look(root));
    expect(seen).toEqual(
      expect.arrayContaining(['link d -> half', 'f 755 run', 'f 644 l/in', 'f 600 kept/private']),
    );
    sandbox.close();
  });

  it('has the modes that the umask of the action gives', async () => {
    const root = scratchCheckout();
    const { act, openTree, sandbox } = openScratchSandbox(kind, root);
    await act(
      'echo x > new; mkdir -p new-folder/in; echo x > new-folder/in/x; chmod +x src/tool.sh; echo >> README.md',
    );
    const before = process.umask(0o027);
    try {
      const tree = openTree();
      const seen = (await tree.run(LOOK)).split('\0');
      tree.apply();
      expect(seen).toEqual(look(root));
      expect(seen).toEqual(expect.arrayContaining(['d 750 new-folder/in', 'f 640 new', 'f 755 src/tool.sh']));
    } finally {
      process.umask(before);
      sandbox.close();
    }
  });

  it('has files with names that are not text, and files that nobody may read', async () => {
    const root = scratchCheckout();
    writeFileSync(toBytes(`${root}/gone\xff`), 'x');
    mkdirSync(toBytes(`${root}/\xfe`));
    writeFileSync(toBytes(`${root}/\xfe/gone`), 'x');
    const { act, openTree, sandbox } = openScratchSandbox(kind, root);
    await act(`echo x > "$(printf 'a\\377')"; mkdir "$(printf 'b\\300\\257')"; echo x > "$(printf 'b\\300\\257/x')"
      rm "$(printf 'gone\\377')"; rm -r "$(printf '\\376')"; ln -s "$(printf '\\377')" "$(printf 'l\\377')"
      echo x > closed; chmod 000 closed; mkdir shut; echo x > shut/x; chmod 000 shut/x shut`);
    const tree = openTree();
    const seen = (await tree.run(LOOK)).split('\0');
    tree.apply();
    expect(seen).toEqual(look(root));
    expect(seen.filter((line) => line.startsWith('f ') && /[\xfe\xff]|closed|shut/.test(line))).toHaveLength(
      3,
    );
    sandbox.close();
  });
});

describe('any sequence of changes', () => {
  const template = anyCheckout();
  it.each(ALL_KINDS)('is in the clean tree what it will be in the checkout (%s)', async (kind) => {
    let applied = 0;
    await fc.assert(
      fc.asyncProperty(
        anyChanges,
        fc.constantFrom('allowed' as const, 'all' as const),
        async (folders, which) => {
          const root = copyOf(template);
          const policy = policyOf('custom', ['Shell(*)', 'Write(**)'], ['Write(**/e/**)', 'Write(*/b)']);
          const { act, openTree, sandbox, folder } = openScratchSandbox(kind, root, { policy });
          await act(asScript(folders));
          const tree = openTree(which);
          const seen = (await tree.run(LOOK)).split('\0');
          tree.apply();
          expect(seen).toEqual(look(root));
          applied += tree.changes.length;
          sandbox.close();
          for (const made of [folder, dirname(root)]) rmSync(made, { recursive: true });
        },
      ),
      { numRuns: 6, endOnFailure: true },
    );
    expect(applied).toBeGreaterThan(60);
  });
});

it('says what was changed outside of it, where nothing prevents that', async () => {
  const root = scratchCheckout();
  const { act, openTree, sandbox } = openScratchSandbox('copy', root);
  await act(CHANGES);
  const tree = openTree();
  expect(tree.intrusions()).toEqual([]);
  await tree.run(
    `echo another > '${join(sandbox.places.top, 'new.txt')}'; echo x > '${join(root, 'src', 'main.ts')}'`,
  );
  expect(tree.intrusions()).toEqual(['new.txt', 'src/main.ts']);
  sandbox.close();
});
