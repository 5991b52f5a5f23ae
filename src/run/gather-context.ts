import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Change } from '../context/change.js';
import { chooseScope, type ChosenScope } from '../context/choose-scope.js';
import { gather, type ContextPiece, type Gathered, type GatherRequest } from '../context/gather.js';
import type { HistoryRequest } from '../context/history.js';
import { chooseContext, type ContextKind, type FileChoice } from '../context/choose-context.js';
import type { PromptContext } from '../context/prompt.js';
import { RunFailure } from '../core/failure.js';
import { invalidInput } from '../core/input-shapes.js';
import { isGenerated } from '../git/diff.js';
import { apiUrlOf, connectGithub, parseRepository, type GithubClient } from '../github/client.js';
import type { GithubEvent } from '../github/event.js';
import type { CheckedInputs } from './resolve-inputs.js';
import type { Inputs } from './inputs.js';
import { number, share } from '../text/format.js';
import { contextUnit } from '../report/run-report.js';
import type { GivenContext, Reviewed, RunRecord } from '../report/model.js';
import type { Redact } from '../text/redact.js';
import { info, printGroup } from '../core/runner.js';
import { maxPartsFor } from '../review/effort.js';
import { ignoreFinder } from '../text/patterns.js';
import { newBoundary, reviewTerms } from './write-prompt.js';
import type { RunFolder } from './run-folder.js';

interface ContextRequest extends CheckedInputs {
  event: GithubEvent;
  /** The fork whose change is reviewed, if the change comes from one. */
  fork: string | undefined;
  runFolder: RunFolder;
  /** How to read the history of the checkout and fetch what it lacks. */
  history: HistoryRequest;
  /** Removes known secrets from a text. */
  redact: Redact;
}

/** What the agent is given to read, and the change it is about. */
export interface Context {
  contexts: PromptContext[];
  /** The commands of the failed steps of CI, as far as the logs show them. */
  commands: Gathered['commands'];
  /** What failed there. Undefined if no log of it was gathered. */
  failures: Gathered['failures'];
  machine: Gathered['machine'];
  change: Change | undefined;
  /** Changed files that the checkout does not have. */
  headFiles: Gathered['headFiles'];
  /** How much of a pull request is reviewed, if that was to be decided. */
  scope: ChosenScope | undefined;
  /** What this review leaves for the next one. Missing if some of the change did not fit into the diff. */
  mark: Reviewed | undefined;
  /** Changed files that are not in the diff although the workflow wants them reviewed. */
  unread: string[];
  /** For the record of the run. */
  recorded: Partial<RunRecord>;
  notes: string[];
  /** Set if something that was asked for by name is missing. The run must stop then. */
  failure: RunFailure | undefined;
}

/** A text up to this size is also put into the prompt, so that the agent need not read the file. */
const MAX_INLINE_BYTES = 24_000;

/**
 * Writes what the event is about to files outside of the workspace. They contain no token, and every known secret is
 * removed from them.
 */
export async function gatherContext(request: ContextRequest): Promise<Context> {
  const { event, inputs, history, runFolder, redact } = request;
  const chosen = chooseContext(inputs.context, inputs.preset, event);
  if ('problems' in chosen)
    throw invalidInput(chosen.problems.map((message) => ({ input: 'context', message })));
  const github = githubOf(history);
  const { pieces, shortfalls, change, scope, headFiles, commands, failures, machine } = await gather({
    event,
    kinds: chosen.kinds,
    ...fileChoice(inputs),
    isBaseCheckout: request.fork !== undefined,
    maxParts: maxPartsOf(request),
    history,
    github,
    chooseScope: scopeChooser(request, chosen.kinds, github),
  });
  const failure = missingByName(inputs, shortfalls);
  const files = fileChoice(inputs);
  const unread = findUnread(pieces, files);
  const unreadGenerated =
    (scope?.unreadGenerated ?? 0) +
    findUnread(pieces, { ...files, withGenerated: true }).length -
    unread.length;
  const written = failure ? [] : writePieces(pieces, runFolder.context, redact);
  const recorded = written.map(({ recorded }) => recorded);
  if (recorded.length > 0) printContexts(recorded);
  if (scope) info(scopeText(scope));
  return {
    contexts: written.map(({ context }) => context),
    commands,
    failures,
    machine,
    change,
    headFiles,
    scope,
    failure,
    unread,
    mark: scope && unread.length === 0 && pieces.some(isDiff) ? scope.mark : undefined,
    recorded: {
      ...(recorded.length === 0 ? {} : { context: recorded }),
      ...(change ? { change: change.reviewed } : {}),
      ...(scope ? { scope: scope.scope } : {}),
      ...(unreadGenerated > 0 ? { unreadGenerated } : {}),
    },
    notes: failure
      ? []
      : [
          ...shortfalls.map(({ kind, why }) => `${NOT_GIVEN[kind]} ${why}`),
          ...pieces.flatMap(({ notes = [] }) => notes),
          ...(scope?.notes ?? []),
        ],
  };
}

/** Findings can be looked for in parts of the change. Any other answer is that of one chat. */
const maxPartsOf = ({ inputs, expectation }: CheckedInputs): number | undefined =>
  maxPartsFor({
    effort: inputs.effort,
    maxStarts: inputs.maxStarts,
    isReview: expectation?.kind === 'findings',
    continuesChat: inputs.resume !== undefined,
  });

/** Only the review of a pull request can continue an earlier one. */
function scopeChooser(
  request: ContextRequest,
  kinds: readonly ContextKind[],
  github: GithubClient | undefined,
): GatherRequest['chooseScope'] {
  const { event, inputs, expectation, history } = request;
  const { env } = history;
  const number = event.change?.pullRequest;
  const repository = parseRepository(env['GITHUB_REPOSITORY'] ?? '');
  // An answer of another form is about all of the change, and later steps rely on it.
  const isReview = inputs.preset === 'review' && kinds.includes('diff') && expectation?.kind !== 'schema';
  if (!isReview || number === undefined || !repository) return undefined;
  const scope = {
    choice: inputs.reviewScope,
    event,
    pull: { repository, number },
    terms: reviewTerms(request, { pull: `${repository.owner}/${repository.repo}#${number}`, kinds, env }),
    files: fileChoice(inputs),
    isCumulative: expectation?.kind === 'findings',
    history,
    github,
  };
  return (change) => chooseScope(scope, change);
}

const fileChoice = ({ contextPaths, exclude, failOnSeverity }: Inputs): FileChoice => ({
  ...(contextPaths.length > 0 ? { paths: new Set(contextPaths) } : {}),
  exclude,
  withGenerated: failOnSeverity !== undefined,
});

const isDiff = ({ kind }: Pick<ContextPiece, 'kind'>): boolean => kind === 'diff';

/** What was left out of the diff was not reviewed. Excluded files do not count, and generated ones only for a gate. */
export function findUnread(
  pieces: readonly Pick<ContextPiece, 'kind' | 'leftOut'>[],
  { exclude = [], withGenerated = false }: FileChoice,
): string[] {
  const excludedBy = ignoreFinder(exclude);
  const leftOut = pieces.filter(isDiff).flatMap((diff) => diff.leftOut);
  return leftOut.filter((path) => excludedBy(path) === undefined && (withGenerated || !isGenerated(path)));
}

function scopeText({ scope: { kind, why }, skipped }: ChosenScope): string {
  if (skipped) return `Nothing to review: ${skipped.reason}`;
  return `${kind === 'new' ? 'Reviewing what is new' : 'Reviewing the whole change'}, because ${why}.`;
}

export function githubOf({ token, env, cancel }: HistoryRequest): GithubClient | undefined {
  const repository = parseRepository(env['GITHUB_REPOSITORY'] ?? '');
  return token && repository
    ? connectGithub({ token, apiUrl: apiUrlOf(env), repository, cancel })
    : undefined;
}

/** What cannot be gathered without the change. */
const CHANGE_KINDS: ReadonlySet<string> = new Set(['diff', 'pull-request']);

/** What was asked for by name and is missing is a failure. Anything else that is missing becomes a note. */
function missingByName({ context }: Inputs, shortfalls: Gathered['shortfalls']): RunFailure | undefined {
  const isAsked = (kind: string) =>
    context.kind === 'list' &&
    context.kinds.some((asked) => asked === kind || (kind === 'change' && CHANGE_KINDS.has(asked)));
  const fatal = shortfalls.filter(({ kind }) => isAsked(kind));
  if (fatal.length === 0) return undefined;
  const reason = fatal.every((shortfall) => shortfall.mayPass) ? 'network' : 'invalid-input';
  return new RunFailure(reason, fatal.map(({ kind, why }) => `context: ${kind}: ${why}`).join('\n'));
}

/** What a note says about something that could not be gathered. The reason follows. */
const NOT_GIVEN = {
  diff: 'The agent was not given the diff.',
  'pull-request': 'The agent was not given the pull request.',
  thread: 'The agent was not given the review thread.',
  issue: 'The agent was not given the issue.',
  'ci-logs': 'The agent was not given the CI logs.',
  'changed-files': 'The agent was not given the changed files, only their diff.',
  'earlier-review': 'The agent was not given the earlier review.',
  change: 'The commits that this run is about are unknown.',
} as const;

/** Writes each piece to files. Returns it as the prompt needs it, and as the record has it. */
function writePieces(
  pieces: readonly ContextPiece[],
  folder: string,
  redact: Redact,
): { context: PromptContext; recorded: GivenContext }[] {
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: 0o444, flag: 'wx' });
  };
  return pieces.map(({ kind, description, fileName, items, outOf, isShare, leftOut, files, ...piece }) => {
    for (const { name, text } of piece.texts ?? []) write(name, redact(text));
    const text = redact(piece.text);
    write(fileName, text);
    const bytes = Buffer.byteLength(text);
    const about = { kind, description, file: join(folder, fileName), bytes };
    const inlined = bytes <= MAX_INLINE_BYTES;
    return {
      context: { ...about, ...(inlined ? { inline: { text, boundary: newBoundary() } } : {}) },
      recorded: {
        ...about,
        items,
        ...(outOf === undefined ? {} : { outOf }),
        ...(isShare ? { isShare } : {}),
        leftOut,
        inlined,
        ...(files === undefined ? {} : { files }),
      },
    };
  });
}

function printContexts(contexts: readonly GivenContext[]): void {
  printGroup(
    `Gathered for the agent: ${contexts.map(({ kind }) => kind).join(', ')}`,
    contexts.map(({ kind, bytes, leftOut, inlined, file, ...about }) =>
      [
        `${kind}: ${number(bytes)} bytes, ${share(about, contextUnit(kind))}`,
        leftOut.length === 0 ? '' : `, ${number(leftOut.length)} left out`,
        inlined ? ', in the prompt and in ' : ', in ',
        file,
      ].join(''),
    ),
  );
}
