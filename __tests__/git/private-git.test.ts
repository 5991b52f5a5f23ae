import { afterAll, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findGit } from '../../src/git/private-git.js';
import { removeScratch, scratchFolder } from '../workspace/scratch-repository.js';

afterAll(removeScratch);

describe('findGit', () => {
  it('prefers where systems keep it, and never takes one the workspace could have brought', () => {
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
    const usual = findGit({ platform: process.platform, path: '', untrusted: [] });
    expect(findGit({ platform: process.platform, path, untrusted: [folder] })).toBe(usual);
    expect(findGit({ platform: process.platform, path, untrusted: ['/', 'C:\\'] })).toBeUndefined();
    const onPath = { platform: process.platform, path, untrusted: ['/usr', '/opt', 'C:\\Program Files'] };
    expect(findGit(onPath)).toBe(join(bin, name));
    expect(findGit({ ...onPath, untrusted: [...onPath.untrusted, folder] })).toBeUndefined();
  });
});
