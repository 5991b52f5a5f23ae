import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { MOST_REPORT_BYTES, readHostileReport } from './hostile-report.js';
import type { Shard } from './publication.js';
import { plural } from '../text/format.js';

const MOST_REPORTS = 500;
const MOST_DEPTH = 5;
const MOST_ENTRIES = 20_000;

/**
 * The reports that were named: files, and every `report*.json` below the folders. A file that is named and cannot
 * be read is told as such. Links below a folder are not followed: artifacts may hold them.
 */
export function readReports(named: readonly string[]): Shard[] {
  const budget = { entries: MOST_ENTRIES };
  const paths = named.flatMap((name): string[] => {
    const path = resolve(name);
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory()
      ? reportsBelow(path, MOST_DEPTH, budget)
      : [path];
  });
  const all = [...new Set(paths)];
  const distinct = all.slice(0, MOST_REPORTS);
  const names = shortNames(distinct);
  return [
    ...distinct.map((path, index) => readShard(path, names[index] ?? basename(path))),
    ...(all.length > distinct.length
      ? [unread(`${plural(all.length - distinct.length, 'report')} beyond ${MOST_REPORTS} were not read.`)]
      : []),
    ...(budget.entries < 0
      ? [unread(`The folders hold more than ${MOST_ENTRIES} entries; the rest was not looked through.`)]
      : []),
  ];
}

const unread = (why: string): Shard => ({ kind: 'silent', name: 'further reports', why });

function reportsBelow(folder: string, depth: number, budget: { entries: number }): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    budget.entries -= 1;
    if (budget.entries < 0) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return depth > 0 ? reportsBelow(path, depth - 1, budget) : [];
    return entry.isFile() && /^report.*\.json$/.test(entry.name) ? [path] : [];
  });
}

/** What is left of the paths without the folder they have in common: in a matrix, the name of each shard. */
function shortNames(paths: readonly string[]): string[] {
  if (paths.length < 2) return paths.map((path) => basename(path));
  let common = dirname(paths[0] ?? '');
  while (paths.some((path) => relative(common, path).startsWith('..')) && dirname(common) !== common)
    common = dirname(common);
  const names = paths.map((path) => relative(common, path).replaceAll('\\', '/'));
  const folders = names.map((name) => dirname(name));
  // Where each report lies in a folder of its own, the folder says it all.
  return new Set(folders).size === names.length && !folders.includes('.') ? folders : names;
}

function readShard(path: string, name: string): Shard {
  const silent = (why: string): Shard => ({ kind: 'silent', name, why });
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return silent(
      'does not exist or cannot be read; did the agent step run, and was its report handed over?',
    );
  }
  try {
    const state = fstatSync(file);
    if (!state.isFile()) return silent('is not a file.');
    if (state.size > MOST_REPORT_BYTES) {
      return silent(
        `has ${plural(state.size, 'byte')}; a report has at most ${plural(MOST_REPORT_BYTES, 'byte')}.`,
      );
    }
    const report = readHostileReport(readFileSync(file, 'utf8'));
    return report.kind === 'read' ? { kind: 'told', name, run: report.run } : silent(`${report.why}.`);
  } finally {
    closeSync(file);
  }
}
