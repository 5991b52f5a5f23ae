import { describe, expect, it } from '@jest/globals';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findGit, openPrivateGit } from '../../src/git/private-git.js';
import { GIT, scratchFolder } from '../sandbox/layer/scratch-repository.js';

describe('findGit', () => {
  it('prefers the usual places, and never takes one that the workspace could contain', () => {
    const folder = scratchFolder();
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const name = process.platform === 'win32' ? 'git.exe' : 'git';
    writeFileSync(join(bin, name), '');
    chmodSync(join(bin, name), 0o755);
    const other = join(scratchFolder(), 'other');
    mkdirSync(other);
    symlinkSync(join(bin, name), join(other, name));
    const path = ['relative', '.', bin, other].join(delimiter);
    const usual = findGit({ path: '', untrusted: [] });
    expect(findGit({ path, untrusted: [folder] })).toBe(usual);
    expect(findGit({ path, untrusted: ['/', 'C:\\'] })).toBeUndefined();
    const onPath = { path, untrusted: ['/usr', '/opt', 'C:\\Program Files'] };
    expect(findGit(onPath)).toBe(join(bin, name));
    expect(findGit({ ...onPath, untrusted: [...onPath.untrusted, folder] })).toBeUndefined();
  });

  it('takes none from a folder with an odd name in the workspace, nor through a link of the workspace', () => {
    const [workspace, elsewhere] = [scratchFolder(), scratchFolder()];
    const name = process.platform === 'win32' ? 'git.exe' : 'git';
    const untrusted = ['/usr', '/opt', 'C:\\Program Files', workspace];
    for (const folder of [join(workspace, '..bin'), elsewhere]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, name), '', { mode: 0o755 });
    }
    expect(findGit({ path: join(workspace, '..bin'), untrusted })).toBeUndefined();
    symlinkSync(elsewhere, join(workspace, 'link'));
    symlinkSync(join(workspace, 'link'), join(elsewhere, 'back'));
    expect(findGit({ path: join(elsewhere, 'back'), untrusted })).toBeUndefined();
    expect(findGit({ path: elsewhere, untrusted })).toBe(join(elsewhere, name));
  });
});

describe('a private git', () => {
  const open = (program = GIT) => openPrivateGit({ program, scratch: scratchFolder(), format: 'sha1' });
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7919) % 256));
  const store = (git: ReturnType<typeof open>) =>
    git
      .call({ args: ['hash-object', '-w', '--stdin'], input: bytes })
      .toString('latin1')
      .trim();

  it('answers with the same bytes, whether it is awaited or not', async () => {
    const git = open();
    const args = ['cat-file', 'blob', store(git)];
    expect(git.call({ args }).equals(bytes)).toBe(true);
    expect((await git.ask(args)).equals(bytes)).toBe(true);
    git.close();
  });

  it('says why a command failed', async () => {
    const git = open();
    const args = ['cat-file', 'blob', 'f'.repeat(40)];
    const reason = /^git cat-file failed: .*f{40}/s;
    expect(() => git.call({ args })).toThrow(reason);
    await expect(git.ask(args)).rejects.toThrow(reason);
    git.close();
  });

  it('does not keep an answer that is too large', async () => {
    const git = open();
    const input = Buffer.alloc(2 ** 24 + 1, `${'x'.repeat(65_535)}\n`);
    const id = git
      .call({ args: ['hash-object', '-w', '--stdin'], input })
      .toString('latin1')
      .trim();
    await expect(git.ask(['cat-file', 'blob', id])).rejects.toThrow(
      'the answer is larger than 16777216 bytes',
    );
    git.close();
  });

  it('finds its program, whatever the path to it contains', async () => {
    const folder = join(scratchFolder(), 'with "quotes" and spaces');
    mkdirSync(folder);
    symlinkSync(GIT, join(folder, 'git'));
    const git = open(join(folder, 'git'));
    expect(String(await git.ask(['--version']))).toMatch(/^git version/);
    git.close();
  });
});
