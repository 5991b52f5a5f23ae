// Measures how well the code that merges the passes of a review does it, on what several reviewers said about changes whose
// problems are known: node scripts/score-reviews.mjs <file>. The file is
// [{ golden: [{ text }], tools: { name: [{ text, is }] } }], where `is` is the text of the known problem, or null.
// A kept group is right only if the comment that is shown names a problem, and each problem counts once.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleScript } from './bundle-script.mjs';

const [path] = process.argv.slice(2);
if (path === undefined) {
  console.error('Name the file with the reviews: node scripts/score-reviews.mjs <file>');
  process.exit(1);
}

const root = fileURLToPath(new URL('..', import.meta.url));
const built = mkdtempSync(join(root, 'node_modules', '.score-'));
process.on('exit', () => {
  rmSync(built, { recursive: true, force: true });
});
const load = (name) =>
  import(pathToFileURL(bundleScript(join(root, 'src', 'review', `${name}.ts`), join(built, name))).href);
const { groupComments } = await load('group-comments');
const { compareWords } = await load('compare-words');

const MAX_REVIEWERS = 10;
/** The places are not known here, so that the words decide alone. */
const WORDS_ONLY = { textOf: ({ text }) => text, mayBeSame: () => true, sameFrom: 0.15 };

const reviews = JSON.parse(readFileSync(path, 'utf8'));
const names = mostFrequent(reviews.flatMap(({ tools }) => Object.keys(tools))).slice(0, MAX_REVIEWERS);

const groupsFrom = (score) => (lists) =>
  groupComments(lists, WORDS_ONLY)
    .filter((group) => group.score >= score)
    .map(({ best }) => best);
const agreed = (count) => (lists) =>
  groupComments(lists, WORDS_ONLY)
    .filter(({ others }) => 1 + others.length >= count)
    .map(({ best }) => best);

const RULES = [
  { passes: 1, rule: 'everything', keep: (lists) => lists.flat() },
  { passes: 3, rule: 'simple merge, at least 2', keep: simpleMerge(2) },
  { passes: 3, rule: 'score of at least 0.5', keep: groupsFrom(0.5) },
  { passes: 3, rule: 'score of at least 1.15 (precise)', keep: groupsFrom(1.15) },
  { passes: 3, rule: 'found by at least 2', keep: agreed(2) },
  { passes: 5, rule: 'simple merge, at least 2', keep: simpleMerge(2) },
  { passes: 5, rule: 'score of at least 0.8', keep: groupsFrom(0.8) },
  { passes: 5, rule: 'score of at least 1.6 (precise)', keep: groupsFrom(1.6) },
  { passes: 5, rule: 'found by at least 2', keep: agreed(2) },
];

console.log(
  `${reviews.length} changes, ${names.length} reviewers; mean over all choices of so many reviewers`,
);
console.log('| passes | rule | precision | recall | F1 | comments per change |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const { passes, rule, keep } of RULES) {
  const { precision, recall, f1, comments } = measure(passes, keep);
  const shares = [precision, recall, f1].map((share) => (100 * share).toFixed(1));
  console.log(`| ${[passes, rule, ...shares, comments.toFixed(1)].join(' | ')} |`);
}

/** The mean over all choices of this many reviewers. */
function measure(passes, keep) {
  const all = [...choices(names, passes)].map((chosen) => count(chosen, keep));
  const mean = (field) => all.reduce((sum, one) => sum + one[field], 0) / all.length;
  return { precision: mean('precision'), recall: mean('recall'), f1: mean('f1'), comments: mean('comments') };
}

function count(chosen, keep) {
  let [kept, right, problems] = [0, 0, 0];
  for (const { golden, tools } of reviews) {
    const comments = keep(chosen.map((name) => tools[name] ?? []));
    kept += comments.length;
    right += new Set(comments.map(({ is }) => is).filter((problem) => problem !== null)).size;
    problems += golden.length;
  }
  const [precision, recall] = [right / Math.max(kept, 1), right / Math.max(problems, 1)];
  const f1 = right === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  return { precision, recall, f1, comments: kept / reviews.length };
}

/** Everything that is similar enough to anything in a group joins it; the first comment of a group is shown. */
function simpleMerge(least) {
  return (lists) => {
    const all = lists.flatMap((list, reviewer) => list.map((comment) => ({ comment, reviewer })));
    const likeness = compareWords(all.map(({ comment }) => comment.text));
    const groups = [];
    for (const index of all.keys()) {
      const joined = groups.filter((group) => group.some((other) => likeness(index, other) >= 0.3));
      for (const group of joined) groups.splice(groups.indexOf(group), 1);
      groups.push([...joined.flat(), index]);
    }
    return groups
      .filter((group) => new Set(group.map((index) => all[index].reviewer)).size >= least)
      .map((group) => all[Math.min(...group)].comment);
  };
}

function mostFrequent(all) {
  const counts = new Map();
  for (const name of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1))
    .map(([name]) => name);
}

function* choices(from, count, chosen = []) {
  if (count === 0) yield chosen;
  else
    for (const [index, name] of from.entries())
      yield* choices(from.slice(index + 1), count - 1, [...chosen, name]);
}
