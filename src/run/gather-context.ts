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
import { readGithubEvent } from '../github/event.js';
import type { Places } from './input-files.js';
import { invalidInput, type Inputs } from './inputs.js';
import { number, plural, share } from '../text/format.js';
import type { Run } from './run.js';
import { printGroup } from '../core/runner.js';
import type { Workplace } from './run-folder.js';

export interface ContextRequest {
  inputs: Inputs;
  places: Places;
  workplace: Workplace;
  env: NodeJS.ProcessEnv;
  cancel: AbortSignal;
}

/** What the agent is given to read, and the change it is about. */
export interface Context {
  contexts: PromptContext[];
  change?: Change;
}

/** A shorter text stands in the prompt itself and spares the agent the reading. */
const MOST_INLINE_BYTES = 24_000;

/**
 * What the event is about, as files outside of the workspace. No token is in them, and all that is known to be
 * secret is taken out. What was asked for by name and cannot be had ends the run.
 */
export async function gatherContext(run: Run, request: ContextRequest): Promise<Context> {
  const { inputs, env, cancel, workplace } = request;
  const event = readGithubEvent(env);
  const chosen = chooseContext(inputs.context, inputs.preset, event);
  if ('problems' in chosen)
    throw invalidInput(chosen.problems.map((message) => ({ input: 'context', message })));
  const gathered = await gather({
    event,
    kinds: chosen.kinds,
    ...(inputs.contextPaths.length > 0 ? { paths: new Set(inputs.contextPaths) } : {}),
    history: historyRequest(request),
    github: githubOf(inputs.githubToken, env, cancel),
  });
  if (gathered.change) run.record.change = gathered.change.reviewed;
  weighShortfalls(run, inputs, gathered);
  const contexts = writePieces(run, gathered.pieces, workplace.context);
  return { contexts, ...(gathered.change ? { change: gathered.change } : {}) };
}

/** Where the history of the checkout is looked for, and with what the rest is fetched. */
export const historyRequest = ({
  inputs,
  places,
  workplace,
  env,
  cancel,
}: ContextRequest): HistoryRequest => ({
  directory: places.directory,
  workspace: places.workspace,
  holding: workplace.git,
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

/** By name it is a failure; where it was left to us, a note. */
function weighShortfalls({ record }: Run, { context }: Inputs, { shortfalls }: Gathered): void {
  const isAsked = (kind: string) =>
    context.kind === 'list' &&
    context.kinds.some((asked) => asked === kind || (kind === 'change' && asked !== 'ci-logs'));
  const fatal = shortfalls.filter(({ kind }) => isAsked(kind));
  if (fatal.length > 0) {
    const reason = fatal.every((shortfall) => shortfall.mayPass) ? 'network' : 'invalid-input';
    throw new RunFailure(reason, fatal.map(({ kind, why }) => `context: ${kind}: ${why}`).join('\n'));
  }
  record.notes.push(...shortfalls.map(({ kind, why }) => `${WHAT[kind]} ${why}`));
}

const WHAT = {
  diff: 'The agent was not given the diff.',
  'pull-request': 'The agent was not given the pull request.',
  'ci-logs': 'The agent was not given the CI logs.',
  change: 'Which commits this is about is not known.',
} as const;

function writePieces(run: Run, pieces: readonly Piece[], folder: string): PromptContext[] {
  if (pieces.length === 0) return [];
  mkdirSync(folder, { recursive: true });
  const contexts = pieces.map((piece): PromptContext => {
    const text = run.redaction.redact(piece.text);
    const file = join(folder, piece.fileName);
    writeFileSync(file, text, { mode: 0o444, flag: 'wx' });
    const bytes = Buffer.byteLength(text);
    const boundary = `data-${randomBytes(12).toString('hex')}`;
    const { kind, description } = piece;
    return {
      kind,
      description,
      file,
      bytes,
      ...(bytes <= MOST_INLINE_BYTES ? { inline: { text, boundary } } : {}),
    };
  });
  record(run, pieces, contexts);
  return contexts;
}

function record(run: Run, pieces: readonly Piece[], contexts: readonly PromptContext[]): void {
  run.record.context = contexts.map(({ kind, description, file, bytes, inline }, index) => ({
    kind,
    description,
    file,
    bytes,
    items: pieces[index]?.items ?? 0,
    ...outOfAll(pieces[index]),
    leftOut: pieces[index]?.leftOut ?? [],
    inlined: inline !== undefined,
  }));
  run.record.notes.push(...pieces.flatMap(({ notes }) => notes));
  printGroup(
    `Gathered for the agent: ${contexts.map(({ kind }) => kind).join(', ')}`,
    run.record.context.map(({ kind, bytes, leftOut, inlined, file, ...about }) =>
      [
        `${kind}: ${number(bytes)} bytes, ${share(about, kind === 'ci-logs' ? 'failed job' : 'changed file')}`,
        leftOut.length === 0 ? '' : `, of which ${plural(leftOut.length, 'thing')} left out`,
        inlined ? ', in the prompt and in ' : ', in ',
        file,
      ].join(''),
    ),
  );
}

const outOfAll = (piece: Piece | undefined): { outOf?: number } =>
  piece?.outOf === undefined ? {} : { outOf: piece.outOf };
