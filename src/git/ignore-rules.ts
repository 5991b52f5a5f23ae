import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { joinBytes, fromText, toBytes, type BytePath } from './byte-path.js';
import { openPrivateGit } from './private-git.js';

/** The ignore rules of one moment: each `.gitignore` by its path, and `info/exclude`. */
export interface IgnoreRules {
  files: ReadonlyMap<BytePath, Buffer>;
  exclude: Buffer | undefined;
}

/**
 * Which of these paths the rules ignore. Git answers on a folder that holds nothing but the rules as they
 * were, so that nobody can hide a file by editing them.
 */
export function findIgnored(
  paths: readonly BytePath[],
  rules: IgnoreRules,
  { program, parent }: { program: string; parent: string },
): Set<BytePath> {
  if (paths.length === 0 || (rules.files.size === 0 && rules.exclude === undefined)) return new Set();
  mkdirSync(parent, { recursive: true });
  const workTree = mkdtempSync(join(parent, 'rules-'));
  const git = openPrivateGit({ program, parent, format: 'sha1', workTree });
  try {
    for (const [path, content] of rules.files) {
      const target = toBytes(joinBytes(fromText(workTree), path));
      mkdirSync(folderOf(target), { recursive: true });
      writeFileSync(target, content);
    }
    if (rules.exclude) writeFileSync(join(git.folder, 'info', 'exclude'), rules.exclude);
    // The dot keeps a name that begins with a colon from being read as one of git's magic patterns.
    const input = toBytes(paths.map((path) => `./${path}\0`).join(''));
    const answer = git.call({
      args: ['check-ignore', '--no-index', '-z', '--stdin'],
      input,
      answers: [0, 1],
    });
    const named = answer.toString('latin1').split('\0').filter(Boolean);
    return new Set(named.map((path) => path.slice('./'.length)));
  } finally {
    git.close();
    rmSync(workTree, { recursive: true, force: true });
  }
}

const folderOf = (path: Buffer): Buffer => path.subarray(0, path.lastIndexOf('/'));
