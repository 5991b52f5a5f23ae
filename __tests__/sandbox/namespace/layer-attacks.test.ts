import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { replaceOurFile } from './attack-scripts.js';
import { OWN_FILE } from './job.js';
import { CREDENTIAL, git, leaveCredential, makeStand, runJob, type StandOptions } from './stand.js';
import { all, describeWays, fingerprint, outcomes, type Way } from './ways.js';

const LAYERS = ['overlay', 'copy'] as const;

/** Something that is in the checkout for one test. */
async function withChange<T>(
  way: Way,
  change: () => void,
  undo: () => void,
  work: () => Promise<T>,
): Promise<T> {
  change();
  if (way.account.kind === 'user') {
    execFileSync('chown', ['-R', '-h', `${way.account.uid}:${way.account.gid}`, way.stand.workspace]);
  }
  try {
    return await work();
  } finally {
    undo();
  }
}

describeWays('a layer', (way) => {
  const at = (...names: string[]) => join(way.stand.workspace, ...names);

  it.each(LAYERS)('takes in all that is written to the checkout (%s)', async (layer) => {
    const before = fingerprint(way.stand.workspace);
    const script = `echo x >new; mkdir -p a/b; echo x >a/b/c; chmod 777 README.md .; echo more >>README.md
      mv README.md moved; ln -s /etc/passwd link; rm -rf .cursor/other; truncate -s 1000 large
      touch -d 2001-01-01 . ; ls`;
    const answer = await way.run({ run: script, layer });
    expect(answer).toMatchObject({
      stdout: 'a\nlarge\nlink\nmoved\nnew\n',
      changes: ['README.md', 'a/b/c', 'large', 'link', 'moved', 'new'],
      tampering: [],
    });
    expect(fingerprint(way.stand.workspace)).toBe(before);
  });

  it('leaves a file of ours in the agent’s home as it is, and lets it write beside that', async () => {
    const script = `cd "$HOME" || exit; ${replaceOurFile('.cursor', OWN_FILE)}
      echo x >.cursor/new && mv .cursor/new .cursor/chats && [ -e .cursor/chats ] && echo 'write beside it: done'`;
    const { 'write beside it': beside, ...tried } = outcomes(
      (await way.run({ run: script, locked: '.cursor/cli.json' })).stdout,
    );
    expect(beside).toBe('done');
    expect(Object.keys(tried).length).toBeGreaterThan(10);
    expect(tried).toEqual(all(tried, 'refused'));
  });

  describe('with a file of ours', () => {
    it.each(LAYERS)('keeps it, where the checkout has one of its own (%s)', async (layer) => {
      const answer = await way.run({ run: replaceOurFile('.cursor', OWN_FILE), layer });
      const tried = outcomes(answer.stdout);
      expect(Object.keys(tried).length).toBeGreaterThan(10);
      expect(tried).toEqual(all(tried, 'refused'));
      expect(answer.tampering).toEqual([]);
    });

    it.each(LAYERS)('keeps it, where the checkout has no such folder, also below (%s)', async (layer) => {
      const folder = 'packages/one';
      const [change, undo] = [
        () => mkdirSync(at(folder), { recursive: true }),
        () => {
          rmSync(at('packages'), { recursive: true });
        },
      ];
      await withChange(way, change, undo, async () => {
        const script = `cd ../..; ${replaceOurFile(`${folder}/.cursor`, OWN_FILE)}`;
        const tried = outcomes((await way.run({ run: script, layer, directory: folder })).stdout);
        expect(tried).toEqual(all(tried, 'refused'));
      });
    });

    it('keeps it, whatever link the checkout has in its place or in that of its folder', async () => {
      const files = ['/dev/null', '/dev/stdin', '..', 'cli.json', 'missing', '/etc/passwd'];
      const folders = ['/tmp', '.cursor', '../.git', at('.git'), '/'];
      const change = () => {
        for (const [index, target] of files.entries()) {
          mkdirSync(at('links', `file-${index}`, '.cursor'), { recursive: true });
          symlinkSync(target, at('links', `file-${index}`, '.cursor', 'cli.json'));
        }
        for (const [index, target] of folders.entries()) {
          mkdirSync(at('links', `folder-${index}`), { recursive: true });
          symlinkSync(target, at('links', `folder-${index}`, '.cursor'));
        }
      };
      const undo = () => {
        rmSync(at('links'), { recursive: true });
      };
      await withChange(way, change, undo, async () => {
        const script = `[ -L .cursor ] || [ -L .cursor/cli.json ] || cat .cursor/cli.json
          find ${at('links')} -type l; ls -d /tmp/* ${at('.git', 'cli.json')} 2>/dev/null`;
        const places = [
          ...files.map((_, index) => `file-${index}`),
          ...folders.map((_, index) => `folder-${index}`),
        ];
        const answers = await Promise.all(
          places.map((name) => way.run({ run: script, directory: join('links', name) })),
        );
        for (const answer of answers) expect(answer).toMatchObject({ stdout: OWN_FILE, tampering: [] });
      });
    });
  });

  it('is without the credentials of other repositories, however many and however deep', async () => {
    const nested = ['node_modules/a', 'vendor/b/c'];
    // Once is enough: the same commands are told in as many pieces everywhere. With long names fewer folders fill a piece.
    const count = way.how === 'sudo' ? 400 : 30;
    const deep = Array.from({ length: 800 }, () => 'd').join('/');
    const plain = `[core]\n\tbare = false\n[http]\n\textraheader = ${CREDENTIAL}\n`;
    const change = () => {
      for (const folder of nested) {
        mkdirSync(at(folder), { recursive: true });
        git(at(folder), 'init', '--quiet');
        leaveCredential(at(folder));
        writeFileSync(at(folder, '.git', 'my-credentials'), CREDENTIAL);
      }
      const many = Array.from({ length: count }, (_, index) => `wide/${'w'.repeat(240)}${index}`);
      for (const folder of [deep, ...many]) {
        mkdirSync(at(folder, '.git'), { recursive: true });
        writeFileSync(at(folder, '.git', 'config'), plain);
      }
    };
    const undo = () => {
      for (const name of ['node_modules', 'vendor', 'wide', 'd']) rmSync(at(name), { recursive: true });
    };
    await withChange(way, change, undo, async () => {
      const script = `grep -rl ${CREDENTIAL} . | head -5; find wide ${deep} -name config | wc -l
        git -C node_modules/a config core.bare; git -C node_modules/a remote
        echo x >node_modules/a/.git/hooks/pre-commit`;
      const answer = await way.run({ run: script });
      expect(answer).toMatchObject({ stdout: `${count + 1}\nfalse\norigin\n`, tampering: [] });
    });
  });

  // Found out before anything is isolated, so the same in every way.
  if (way.how === 'root') {
    it('is not made at all where the checkout is too deep to be looked through', async () => {
      const change = () => {
        const dig = 'for (let i = 0; i < 3000; i += 1) { fs.mkdirSync("d"); process.chdir("d"); }';
        execFileSync(process.execPath, ['-e', dig], { cwd: way.stand.workspace });
      };
      const undo = () => execFileSync('rm', ['-rf', at('d')]);
      await withChange(way, change, undo, async () => {
        await expect(way.run({ run: 'echo started' })).rejects.toThrow('cannot be searched');
      });
    });
  }

  it.each<[string, StandOptions]>([
    ['blanks, quotes, colons and commas', { workspace: `a b'c"d:e,f=g\\h`, runnerTemp: `_t e'm"p:,\\` }],
    ['line breaks and other scripts', { workspace: 'a\nb/é漢\n', runnerTemp: '_té\nmp' }],
    ['what shells know', { workspace: '$(touch x)`id`;*', runnerTemp: '-$HOME & #' }],
  ])('works in folders with %s in their names', async (_, options) => {
    const stand = await makeStand(way.account, options);
    try {
      for (const layer of LAYERS) {
        const script = `cat README.md .cursor/cli.json; git log --oneline | wc -l; echo x >new; pwd
          grep -r ${CREDENTIAL} . .. "$HOME/../../.."; echo x >.git/planted`;
        const answer = await runJob(stand, { how: way.how, layer, run: script });
        expect(answer).toMatchObject({
          stdout: `# A project\n${OWN_FILE}1\n${stand.workspace}\n`,
          changes: ['new'],
          tampering: [],
        });
      }
    } finally {
      stand.remove();
    }
  });

  it('works below a temporary folder, and no folder on the way to it can be renamed', async () => {
    const stand = await makeStand(way.account, { parent: '/tmp' });
    try {
      expect(await stand.answer({ how: 'probe' })).toMatchObject({ kind: 'isolated', privilege: way.how });
      for (const layer of LAYERS) {
        const script = `cat README.md .cursor/cli.json; echo x >new; echo x >/tmp/mine
          grep -rs ${CREDENTIAL} /tmp /var/tmp; for folder in "$PWD" "$HOME"; do
          while [ "$folder" != /tmp ]; do mv -T "$folder" "$folder-moved" && echo "$folder"; folder=$(dirname "$folder"); done
          done 2>/dev/null; ls /tmp`;
        expect(await runJob(stand, { how: way.how, layer, run: script })).toMatchObject({
          stdout: `# A project\n${OWN_FILE}${basename(stand.root)}\nmine\n`,
          changes: ['new'],
          tampering: [],
        });
      }
    } finally {
      stand.remove();
    }
  });

  it('works over a checkout that belongs to somebody else, and leaves it to them', async () => {
    const stand = await makeStand(way.account);
    try {
      execFileSync('chown', ['-R', '-h', '12345:12345', stand.workspace]);
      const before = fingerprint(stand.workspace);
      expect(await stand.answer({ how: 'probe' })).toMatchObject({
        ...{ kind: 'isolated', privilege: way.how },
        layer: way.how === 'user-namespace' ? 'copy' : 'overlay',
      });
      for (const layer of LAYERS) {
        const script = `cat README.md .cursor/cli.json; echo x >new; mkdir folder && echo x >folder/file
          grep -r ${CREDENTIAL} .; echo x >.git/planted; echo x >.cursor/cli.json`;
        const answer = await runJob(stand, { how: way.how, layer, run: script });
        if (layer === 'overlay' && way.how === 'user-namespace') {
          // Root of such a namespace is root over its own files only. Nobody is started rather than without a layer.
          expect(answer).toMatchObject({ isReady: false, stdout: '' });
        } else {
          expect(answer).toMatchObject({
            stdout: `# A project\n${OWN_FILE}`,
            changes: ['folder/file', 'new'],
            tampering: [],
          });
        }
      }
      expect(fingerprint(stand.workspace)).toBe(before);
    } finally {
      stand.remove();
    }
  });
});
