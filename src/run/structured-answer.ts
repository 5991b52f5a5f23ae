import { pathFrom } from '../git/paths.js';
import type { Change } from '../context/change.js';
import type { ChosenScope } from '../context/choose-scope.js';
import { dismissedById, dismissedIn, standingFindings } from '../context/earlier-review.js';
import { withoutRepeated } from '../review/open-findings.js';
import { readHeadTree, type HeadTree } from '../context/head-files.js';
import { openHistory, type HistoryRequest } from '../context/history.js';
import { isRuleFor, type TeamRules } from '../context/team-rules.js';
import { attempt, messageOf } from '../core/errors.js';
import type { LineRange } from '../git/diff.js';
import { gitAnswer, type PrivateGit } from '../git/private-git.js';
import { findRepository, readHead } from '../git/repository.js';
import { blockingFindings, countFindings, doesCount, MAX_FINDINGS, rankOf } from '../report/findings.js';
import { foldEvents } from '../report/fold.js';
import { judgeFindings } from '../report/judge.js';
import type { CheckedFinding, Correction, Finding, Review, RunRecord, Skipped } from '../report/model.js';
import { checkFindings, MAX_COUNTED_BYTES, openCheckout } from '../review/check-findings.js';
import { mergeParts, mergePasses } from '../review/merge-passes.js';
import {
  countTextLines,
  entryType,
  fileFinder,
  findEntry,
  parseTree,
  type ReadFolder,
  type GitEntry,
} from '../review/find-file.js';
import { hashCode, linesOf } from '../review/finding-id.js';
import type { CheckedChange, Grounds } from '../review/judge-finding.js';
import { readAnswer, settleAnswer, type Expectation, type IsRule } from '../review/read-answer.js';
import type { QuoteGrounds } from '../review/validate-findings.js';
import { joinParts } from '../text/format.js';
import { ignoreFinder } from '../text/patterns.js';
import type { Attempt } from './rounds.js';
import type { Inputs } from './inputs.js';
import type { CheckedInputs, ResolvedInputs } from './resolve-inputs.js';

/** What findings are judged by: the change, and the files of the reviewed commit. Both may be unknown. */
export interface ReviewSources {
  change?: CheckedChange | undefined;
  tree?: HeadTree | undefined;
}

/** Reads the sources before the agent starts, because it can change the checkout. */
export async function readReviewedFiles(
  { expectation, history }: Pick<CheckedInputs, 'expectation'> & { history: HistoryRequest },
  change: Change | undefined,
): Promise<{ reviewed: ReviewSources; notes: string[] }> {
  if (expectation?.kind !== 'findings') return { reviewed: {}, notes: [] };
  const notes: string[] = [];
  const checked = await readChange(change).catch((error: unknown) => {
    notes.push(`The findings could not be compared with the change: ${messageOf(error)}`);
    return undefined;
  });
  const repository = findRepository(history.directory);
  const commit = change?.reviewed.head ?? (repository && readHead(repository));
  const changed = (checked?.files ?? []).map(({ path }) => path);
  // Without it, files are looked up in the checkout, which nearly always has the same.
  const tree = commit ? await readHeadTree(history, commit, changed).catch(() => undefined) : undefined;
  return { reviewed: { change: checked, tree }, notes };
}

async function readChange(change: Change | undefined): Promise<CheckedChange | undefined> {
  if (!change) return undefined;
  const [files, isPartial] = await Promise.all([change.files(), change.isPartial()]);
  return { files, isPartial };
}

/** What an answer is read with. */
export interface AnswerGrounds {
  expectation: Expectation | undefined;
  resolved: ResolvedInputs;
  inputs: Pick<Inputs, 'exclude'>;
  history: HistoryRequest;
  reviewed: ReviewSources;
  corrections: readonly Correction[];
  /** How much of a pull request was reviewed, if that was decided. */
  scope: Pick<ChosenScope, 'earlier' | 'since'> | undefined;
  /** The rules that findings may come from. */
  rules: { team: readonly TeamRules[] };
}

/** The answer as data, and what is wrong with it if it cannot be used. */
export interface KeptAnswer {
  problem?: string;
  /** For the record of the run. */
  recorded: Partial<RunRecord>;
  /** The top of the repository that the findings point into. */
  repository?: string;
}

/**
 * Keeps a usable answer, whatever else became of the run. An answer that cannot be used is a problem only if the run
 * did not fail already: that failure stays the reason.
 */
export function keepAnswer({ report, verdict }: Attempt, asked: AnswerGrounds): KeptAnswer {
  const { expectation, resolved, corrections } = asked;
  if (!expectation) return { recorded: {} };
  const problem = (text: string): KeptAnswer =>
    verdict.status === 'success' ? { problem: text, recorded: {} } : { recorded: {} };
  if (report.answer.trim() === '') return problem('There is no answer.');
  const root = repositoryOf(resolved);
  const answer = readAnswer(report, expectation, root);
  if (answer.kind === 'invalid') return problem(`${answer.problem}${correctionCount(corrections)}`);
  const { structuredOutput, review } = draftReview([[answer.value]], { ...asked, expectation });
  return { recorded: { structuredOutput, ...(review ? { review } : {}) }, repository: root };
}

/** What was answered, before anything of it is validated. */
export interface ReviewDraft {
  structuredOutput: unknown;
  /** Missing if the answer is something else. */
  review?: Review;
  /** The findings of this run. The others of the review stand from earlier ones. */
  fresh: readonly CheckedFinding[];
}

/** What usable answers say together: for each part of the change, those of its passes. */
export function draftReview(
  answers: readonly (readonly unknown[])[],
  asked: Omit<AnswerGrounds, 'corrections'> & { expectation: Expectation },
): ReviewDraft {
  const { expectation, resolved, scope, rules } = asked;
  const prefix = pathFrom(repositoryOf(resolved), resolved.directory);
  const isRule: IsRule = (id, path) => isRuleFor(rules.team, id, path);
  return withGrounds(asked, (grounds) => {
    const settle = (answer: unknown) => settleAnswer(answer, expectation, { ...grounds, prefix, isRule });
    const parts = answers.map((passes) => passes.map(settle)).filter((passes) => passes.length > 0);
    const [first, ...others] = parts.flat();
    const reviews = parts.map((passes) => passes.flatMap(({ review }) => review ?? []));
    if (!first?.review) return { structuredOutput: first?.structuredOutput, fresh: [] };
    if (others.length === 0)
      return { structuredOutput: first.structuredOutput, ...withEarlier(first.review, scope, grounds) };
    const summary = joinParts(
      reviews.map(([one]) => one?.summary ?? ''),
      '\n\n',
    );
    const merged = mergeParts(reviews.map(mergedPasses)).sort(byRank);
    // A gate counts only some of them, and these are never cut off for the others.
    const inOrder = [...merged.filter(doesCount), ...merged.filter((finding) => !doesCount(finding))];
    const findings = inOrder.slice(0, MAX_FINDINGS).sort(byRank);
    const structuredOutput = { summary, findings: findings.map(asAnswered) };
    return { structuredOutput, ...withEarlier({ summary, findings }, scope, grounds) };
  });
}

/** A single pass has no other pass to agree with. */
const mergedPasses = (reviews: readonly Review[]): readonly CheckedFinding[] =>
  reviews.length === 1 ? (reviews[0]?.findings ?? []) : mergePasses(reviews.map(({ findings }) => findings));

const byRank = (one: Finding, other: Finding): number => rankOf(one) - rankOf(other);

/** A finding as an agent gives it. */
function asAnswered(checked: CheckedFinding): Finding {
  const { place: _place, count: _count, agreement: _agreement, ...finding } = checked;
  return finding;
}

/** Opens what the quotes of a validation are compared with. */
export const withQuotes = <T>(
  asked: Omit<AnswerGrounds, 'corrections'>,
  use: (grounds: QuoteGrounds) => T,
): T => withGrounds(asked, ({ change }, readText) => use({ change, readText }));

/**
 * A review without what was dismissed, because an agent may forget what it was told. If only what is new was looked
 * at, it has the findings of earlier reviews that still stand.
 */
function withEarlier(
  { summary, findings }: Review,
  scope: AnswerGrounds['scope'],
  grounds: RunGrounds,
): { review: Review; fresh: readonly CheckedFinding[] } {
  if (!scope) return { review: { summary, findings }, fresh: findings };
  const { earlier, since } = scope;
  const { change } = grounds;
  const isDismissed = dismissedIn(earlier, change);
  const isDismissedById = dismissedById(earlier, grounds.codeOf);
  const kept = findings.filter((finding) => !isDismissed(finding) && !isDismissedById(finding));
  const standing = since ? withoutRepeated(standingFindings(earlier, change), kept) : [];
  const dismissed = findings.length - kept.length;
  const review = {
    summary,
    findings: [...kept, ...checkFindings(standing, grounds).filter((finding) => !isDismissedById(finding))],
    ...(dismissed > 0 ? { dismissed } : {}),
  };
  return { review, fresh: kept };
}

type EndedReview = CheckedInputs & Pick<AnswerGrounds, 'history' | 'reviewed'>;

/**
 * The end of a run whose agent was not started, because there is nothing new to review. What was found before and
 * still stands counts as in any other run: a second run of the same commit does not open a gate that the first one
 * closed.
 */
export function skipReview(ended: EndedReview & { skipped: Skipped; scope: ChosenScope }): KeptAnswer {
  const { inputs, resolved, expectation, skipped, scope, reviewed } = ended;
  // Publish may merge it with the reports of other parts of the change, so it has the mark of a review, too.
  const common = { skipped, reviewed: scope.mark };
  if (expectation?.kind !== 'findings') {
    const report = { ...foldEvents().report, answer: skippedText(skipped) };
    return { recorded: { ...common, report, verdict: judgeFindings([]) } };
  }
  const standing = standingFindings(scope.earlier, reviewed.change);
  const findings = withGrounds(ended, (grounds) => {
    const isDismissedById = dismissedById(scope.earlier, grounds.codeOf);
    return checkFindings(standing, grounds).filter((finding) => !isDismissedById(finding));
  });
  const review = { summary: skippedText(skipped, countFindings(findings.filter(doesCount))), findings };
  const verdict = judgeFindings(blockingFindings(findings, inputs.failOnSeverity));
  return { recorded: { ...common, review, verdict }, repository: repositoryOf(resolved) };
}

const skippedText = ({ reason, url }: Skipped, standing = ''): string =>
  [
    `No agent was started. ${reason}`,
    ...(standing === '' ? [] : [`Of what was found earlier, this still stands: ${standing}`]),
    ...(url === undefined ? [] : [`The earlier review: ${url}`]),
  ].join('\n\n');

interface RunGrounds extends Grounds {
  /** A hash of the code that a finding is about. */
  codeOf: (finding: Finding) => string;
}

/** Opens what findings are judged by. Git is asked only for files that the change does not touch. */
function withGrounds<T>(
  {
    inputs,
    resolved,
    history,
    reviewed,
  }: Pick<AnswerGrounds, 'inputs' | 'resolved' | 'history' | 'reviewed'>,
  use: (grounds: RunGrounds, readText: QuoteGrounds['readText']) => T,
): T {
  const { change, tree } = reviewed;
  const excludedBy = ignoreFinder(inputs.exclude);
  const isExcluded = (path: string) => excludedBy(path) !== undefined;
  const checkout = openCheckout(repositoryOf(resolved));
  const files = new Map((change?.files ?? []).map(({ path, hunks }) => [path, hunks]));
  const readThere = (path: string, range: LineRange) => checkout.lines(path, range)?.split(/\r?\n/);
  // The files of the checkout need not be those of the reviewed commit, so nothing can be quoted from them.
  if (!tree) {
    const codeOf = (finding: Finding) => hashCode(finding, { files, readLines: readThere });
    return use({ change, isExcluded, findFile: checkout.findFile, codeOf }, () => undefined);
  }
  const opened = openHistory(history, [tree.commit]);
  const git = 'missing' in opened ? undefined : opened;
  const counted = new Map(tree.lineCounts);
  const countLines = ({ id }: GitEntry, path: string): number | undefined => {
    const count = counted.get(id) ?? attempt(() => countBlob(git?.git, id)) ?? checkout.lineCount(path);
    if (count !== undefined) counted.set(id, count);
    return count;
  };
  const readFolder = treeReader(tree.listing);
  const readLines = (path: string, range: LineRange) => {
    const found = findEntry(path, readFolder);
    const id = typeof found === 'object' && 'entry' in found ? found.entry.id : undefined;
    const bytes = id === undefined ? undefined : attempt(() => readBlob(git?.git, id));
    return bytes ? linesOf(bytes, range) : readThere(path, range);
  };
  const codeOf = (finding: Finding) => hashCode(finding, { files, readLines });
  try {
    const findFile = fileFinder(readFolder, countLines);
    return use({ change, isExcluded, findFile, codeOf }, textReader(tree.listing, git?.git));
  } finally {
    git?.close();
  }
}

function countBlob(git: PrivateGit | undefined, id: string): number | undefined {
  const bytes = readBlob(git, id);
  return bytes && countTextLines(bytes);
}

function readBlob(git: PrivateGit | undefined, id: string): Buffer | undefined {
  if (!git || Number(gitAnswer(git, ['cat-file', '-s', id])) > MAX_COUNTED_BYTES) return undefined;
  return git.call({ args: ['cat-file', 'blob', id] });
}

/** A longer text is not quoted from. */
const MAX_QUOTED_BYTES = 5 * 1024 * 1024;

/** The texts of a commit by their exact paths, without links and binary files. */
function textReader(listing: Buffer, git: PrivateGit | undefined): QuoteGrounds['readText'] {
  let ids: ReadonlyMap<string, string> | undefined;
  return (path) => {
    ids ??= new Map(
      parseTree(listing).flatMap(({ path: name, mode, id }) =>
        entryType(mode) === 'file' ? [[name, id]] : [],
      ),
    );
    const id = ids.get(path);
    if (id === undefined || !git) return undefined;
    return attempt(() => {
      if (Number(gitAnswer(git, ['cat-file', '-s', id])) > MAX_QUOTED_BYTES) return undefined;
      const bytes = git.call({ args: ['cat-file', 'blob', id] });
      return bytes.includes(0) ? undefined : bytes.toString('utf8');
    });
  };
}

/** The folders of a commit, from the list of its files. */
function treeReader(listing: Buffer): ReadFolder {
  const folders = new Map<string, Map<string, GitEntry>>();
  const add = (path: string, entry: Omit<GitEntry, 'name'>) => {
    const at = path.lastIndexOf('/');
    const [folder, name] = [path.slice(0, Math.max(at, 0)), path.slice(at + 1)];
    const known = folders.get(folder);
    if (known) known.set(name, { name, ...entry });
    else {
      folders.set(folder, new Map([[name, { name, ...entry }]]));
      if (folder !== '') add(folder, { type: 'folder', id: '' });
    }
  };
  for (const { path, mode, id } of parseTree(listing)) add(path, { type: entryType(mode), id });
  return (folder) => [...(folders.get(folder)?.values() ?? [])];
}

/** How often the agent was asked again. The first entry is about its first answer, which was not a correction. */
function correctionCount(corrections: readonly Correction[]): string {
  const times = corrections.length - 1;
  if (times < 1) return '';
  return `\nThe agent was asked ${times === 1 ? 'once' : `${times} times`} to correct its answer.`;
}

/** Findings name files from the top of the repository, which can be above or below the workspace. */
export const repositoryOf = ({ directory, workspace }: ResolvedInputs): string =>
  findRepository(directory)?.root ?? workspace;
