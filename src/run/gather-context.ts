import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Change } from '../context/change.js';
import { gather, type Gathered, type Piece } from '../context/gather.js';
import type { HistoryRequest } from '../context/history.js';
import { chooseContext } from '../context/choose-context.js';
import type { PromptContext } from '../context/prompt.js';
import { RunFailure } from '../core/failure.js';
import { apiUrlOf, connectGithub, parseRepository } from '../github/client.js';
import type { GithubEvent } from '../github/event.js';
import type { ResolvedInputs } from './resolve-inputs.js';
import { invalidInput, type Inputs } from './inputs.js';
import { contextUnit, number, share } from '../text/format.js';
import type { GivenContext, RunRecord } from '../report/model.js';
import type { Redact } from '../text/redact.js';
import { printGroup } from '../core/runner.js';
import type { RunFolder } from './run-folder.js';

export interface ContextRequest {
  event: GithubEvent;
  inputs: Inputs;
  resolved: ResolvedInputs;
  runFolder: RunFolder;
  env: NodeJS.ProcessEnv;
  cancel: AbortSignal;
  /** Removes known secrets from a text. */
  redact: Redact;
}

/** What the agent is given to read, and the change it is about. */
export interface Context {
  contexts: PromptContext[];
  change?: Change;
  /** The same for the report. */
  told: Pick<RunRecord, 'context' | 'change'>;
  notes: string[];
  /** Set if something that was asked for by name is missing. The run must stop then. */
  failure?: RunFailure;
}

/** A text up to this size is also put into the prompt, so that the agent need not read the file. */
const MOST_INLINE_BYTES = 24_000;

/**
 * Writes what the event is about to files outside of the workspace. They contain no token, and every known secret is
 * removed from them.
 */
export async function gatherContext(request: ContextRequest): Promise<Context> {
  const { event, inputs, env, cancel, runFolder, redact } = request;
  const chosen = chooseContext(inputs.context, inputs.preset, event);
  if ('problems' in chosen)
    throw invalidInput(chosen.problems.map((message) => ({ input: 'context', message })));
  const { pieces, shortfalls, change } = await gather({
    event,
    kinds: chosen.kinds,
    ...(inputs.contextPaths.length > 0 ? { paths: new Set(inputs.contextPaths) } : {}),
    exclude: inputs.exclude,
    history: historyRequest(request),
    github: githubOf(inputs.githubToken, env, cancel),
  });
  const failure = missingByName(inputs, shortfalls);
  const contexts = failure ? [] : writePieces(pieces, runFolder.context, redact);
  const given = describeContexts(pieces, contexts);
  if (given.length > 0) printContexts(given);
  return {
    contexts,
    ...(change ? { change } : {}),
    told: {
      ...(given.length === 0 ? {} : { context: given }),
      ...(change ? { change: change.reviewed } : {}),
    },
    notes: failure
      ? []
      : [
          ...shortfalls.map(({ kind, why }) => `${WHAT[kind]} ${why}`),
          ...pieces.flatMap(({ notes }) => notes),
        ],
    ...(failure ? { failure } : {}),
  };
}

/** How to read the history of the checkout and fetch what it lacks. */
export const historyRequest = ({
  inputs,
  resolved,
  runFolder,
  env,
  cancel,
}: Pick<ContextRequest, 'inputs' | 'resolved' | 'runFolder' | 'env' | 'cancel'>): HistoryRequest => ({
  directory: resolved.directory,
  workspace: resolved.workspace,
  holding: runFolder.git,
  env,
  token: inputs.githubToken,
  cancel,
});

function githubOf(token: string | undefined, env: NodeJS.ProcessEnv, cancel: AbortSignal) {
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

const WHAT = {
  diff: 'The agent was not given the diff.',
  'pull-request': 'The agent was not given the pull request.',
  thread: 'The agent was not given the review thread.',
  issue: 'The agent was not given the issue.',
  'ci-logs': 'The agent was not given the CI logs.',
  change: 'Which commits this is about is not known.',
} as const;

function writePieces(pieces: readonly Piece[], folder: string, redact: Redact): PromptContext[] {
  if (pieces.length > 0) mkdirSync(folder, { recursive: true });
  return pieces.map(({ kind, description, fileName, text: original }): PromptContext => {
    const text = redact(original);
    const file = join(folder, fileName);
    writeFileSync(file, text, { mode: 0o444, flag: 'wx' });
    const bytes = Buffer.byteLength(text);
    const boundary = `data-${randomBytes(12).toString('hex')}`;
    return {
      ...{ kind, description, file, bytes },
      ...(bytes <= MOST_INLINE_BYTES ? { inline: { text, boundary } } : {}),
    };
  });
}

const describeContexts = (pieces: readonly Piece[], contexts: readonly PromptContext[]): GivenContext[] =>
  contexts.map(({ kind, description, file, bytes, inline }, index) => ({
    ...{ kind, description, file, bytes },
    items: pieces[index]?.items ?? 0,
    ...outOfAll(pieces[index]),
    leftOut: pieces[index]?.leftOut ?? [],
    inlined: inline !== undefined,
  }));

function printContexts(given: readonly GivenContext[]): void {
  printGroup(
    `Gathered for the agent: ${given.map(({ kind }) => kind).join(', ')}`,
    given.map(({ kind, bytes, leftOut, inlined, file, ...about }) =>
      [
        `${kind}: ${number(bytes)} bytes, ${share(about, contextUnit(kind))}`,
        leftOut.length === 0 ? '' : `, ${number(leftOut.length)} left out`,
        inlined ? ', in the prompt and in ' : ', in ',
        file,
      ].join(''),
    ),
  );
}

const outOfAll = (piece: Piece | undefined): { outOf?: number } =>
  piece?.outOf === undefined ? {} : { outOf: piece.outOf };
