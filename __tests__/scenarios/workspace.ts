import { afterAll } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const made: string[] = [];

afterAll(removeFolders);

/** A folder that is removed when all tests of the file are done. */
export function makeFolder(name = 'scenario'): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
  made.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function writeTree(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

/** One shell for all of it: this process is large, so that starting another one takes longer than git does. */
const FIRST_COMMIT = `git init --quiet --initial-branch=main
git add --all
git -c user.name=Test -c user.email=test@example.com -c maintenance.auto=false commit --quiet --allow-empty --message first`;

/** A real git checkout with one commit. */
export function makeWorkspace(
  files: Readonly<Record<string, string>> = { 'README.md': '# Project\n' },
): string {
  const folder = makeFolder('workspace');
  writeTree(folder, files);
  execFileSync('sh', ['-ec', FIRST_COMMIT], { cwd: folder });
  return folder;
}

export function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' });
}
