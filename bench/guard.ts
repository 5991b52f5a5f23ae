import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPolicy } from '../src/agent/policy.js';
import { findGit } from '../src/guard/git-program.js';
import { inspectChanges } from '../src/guard/inspect.js';
import { takeSnapshot } from '../src/guard/snapshot.js';

/**
 * The guard on a repository of 100,000 files, against `git status` on the same files. On two quiet cores
 * `git status` takes about 0.2 s there, so ten times that is two seconds.
 */
const FOLDERS = 1000;
const FILES_EACH = 100;
const MARK = 10;
const ROUNDS = 3;

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'bench-guard-')));
const root = join(scratch, 'repository');
const program = findGit({ platform: process.platform, path: process.env['PATH'], untrusted: [] }) ?? 'git';
const git = (...args: string[]) =>
  execFileSync(program, ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', ...args], {
    cwd: root,
  });

function build(): void {
  mkdirSync(root);
  git('init', '-q');
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(root, 'src', String(folder));
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_EACH; file++)
      writeFileSync(join(path, `${file}.txt`), `${folder} ${file}\n`);
  }
  git('add', '-A');
  git('commit', '-q', '-m', 'all');
  // A checkout has its objects in a pack, not one by one.
  git('-c', 'gc.auto=0', 'repack', '-a', '-d', '-q');
  git('prune-packed');
  git('status', '--porcelain');
}

/** One run's worth: before, a handful of changes, after. Only the guard is timed. */
function guardOnce(round: number): number {
  const folder = join(scratch, `guard-${round}`);
  const policy = buildPolicy({ preset: 'fix-ci', allow: [], deny: [] });
  const before = time(() => takeSnapshot({ directory: root, policy, git: program, folder }));
  for (let file = 0; file < 5; file++)
    appendFileSync(join(root, 'src', '1', `${file}.txt`), `round ${round}\n`);
  writeFileSync(join(root, 'src', `new-${round}.txt`), 'new\n');
  const after = time(() =>
    inspectChanges(before.result, { policy, patchFile: join(scratch, `${round}.patch`) }),
  );
  const found = after.result.kind === 'inspected' ? after.result.changes.length : 0;
  if (found !== 6) throw new Error(`The guard saw ${found} changes instead of 6.`);
  rmSync(folder, { recursive: true, force: true });
  return before.ms + after.ms;
}

function time<T>(work: () => T): { result: T; ms: number } {
  const start = performance.now();
  const result = work();
  return { result, ms: performance.now() - start };
}

/** The quickest of several: what else runs on the machine only ever adds. */
const best = (times: readonly number[]): number => Math.min(...times);

try {
  build();
  const status: number[] = [];
  const guard: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    status.push(time(() => git('status', '--porcelain')).ms);
    guard.push(guardOnce(round));
  }
  const ratio = best(guard) / best(status);
  const met = ratio <= MARK;
  console.log(`git status, ${FOLDERS * FILES_EACH} files: ${best(status).toFixed(0)} ms`);
  console.log(`guard, before and after:    ${best(guard).toFixed(0)} ms`);
  console.log(`ratio ${ratio.toFixed(1)} (mark: at most ${MARK}) ${met ? 'ok' : 'MISSED'}`);
  process.exitCode = met ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
