import type { ChangedFile } from './changed-file.js';
import { globTest } from './glob.js';

/** What nobody reads line by line: written by tools, or somebody else's. */
export const DEFAULT_EXCLUDES: readonly string[] = [
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb'],
  ...['Cargo.lock', 'composer.lock', 'Gemfile.lock', 'poetry.lock', 'Pipfile.lock', 'uv.lock', 'pdm.lock'],
  ...['go.sum', 'flake.lock', 'packages.lock.json', 'gradle.lockfile', 'mix.lock', 'pubspec.lock'],
  ...['*.min.js', '*.min.mjs', '*.min.css', '*.map', '*.snap', '*.pb.go', '*_pb2.py', '*.pb.ts'],
  ...['*.generated.*', '*_generated.*', '*.g.dart', '*.designer.cs'],
  ...['**/node_modules/**', '**/vendor/**', '**/third_party/**', '**/dist/**', '**/__snapshots__/**'],
];

export interface Selection {
  files: ChangedFile[];
  /** Left out, each with why. */
  skipped: { path: string; why: string }[];
}

/** The files worth a reader's time, in an order that depends on nothing but their names. */
export function selectFiles(changed: readonly ChangedFile[], excludes: readonly string[]): Selection {
  const tests = excludes.map((pattern) => ({ pattern, matches: globTest(pattern) }));
  const selection: Selection = { files: [], skipped: [] };
  for (const file of [...changed].sort(byPath)) {
    const rule = tests.find(({ matches }) => matches(file.path));
    if (rule) selection.skipped.push({ path: file.path, why: `matches ${rule.pattern}` });
    else if (file.binary) selection.skipped.push({ path: file.path, why: 'is binary' });
    else selection.files.push(file);
  }
  return selection;
}

/** By code units: the same on every machine, whatever its language. */
export const byPath = (a: { path: string }, b: { path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
