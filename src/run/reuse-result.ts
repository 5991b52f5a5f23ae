import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { AGENTS } from '../agent/agent.js';
import { messageOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import { info } from '../core/runner.js';
import { findCleanTree } from '../git/checkout-git.js';
import { NO_MACHINE_SETTINGS } from '../git/private-git.js';
import { findRepository, type Repository } from '../git/repository.js';
import { collectBytes, contentOf, openActionsCache, type ActionsCache } from '../github/actions-cache.js';
import { parseRepository, serverUrlOf } from '../github/client.js';
import { planInstall, platformOf, RELEASES } from '../install/release.js';
import { formatPermission } from '../permissions/permission-token.js';
import type { RunRecord, RunReport, Skipped, Verdict } from '../report/model.js';
import { logLine } from '../text/plain-text.js';
import { currentLayer } from '../workspace/workspace.js';
import { checkoutRoot, findTrustedGit, type ChosenRules } from './open-layer.js';
import {
  ENTRY_VERSION,
  hashOf,
  keysFrom,
  MOST_ENTRY_BYTES,
  openEntry,
  resultKey,
  sealEntry,
  stablePrompt,
  withoutFolder,
  type Ingredients,
  type ResultEntry,
  type ResultKeys,
} from './result-entry.js';
import type { Starter, Task } from './run-agent.js';
import { openInnerFolder } from './run-folder.js';
import { agentSecret, secretNames } from './secrets.js';
import { startAgent } from './start-agent.js';

/** How the results of identical runs are found and kept. */
export interface Reuse {
  /** The result of an identical run, if there is one. */
  earlier?: Earlier;
  /** Why no result can be reused, or why the one that was found cannot. */
  notes: string[];
  /** Keeps the result of this run, if it can be reused. Returns what to note about it. */
  keep(record: RunRecord): Promise<string[]>;
}

/** An earlier result: how it is replayed, what is recorded if it is reused, and what is noted if it is not. */
interface Earlier {
  replay: { task: Task; starter: Starter };
  reused: Skipped;
  refusal: (verdict: Verdict) => string;
}

/** What names this run, and where results are. */
interface EntryPlace extends Pick<Named, 'key' | 'keys'> {
  store: ActionsCache;
  task: Task;
}

/** How long the Actions cache may take. */
const LIMIT_MS = 20_000;

/** Looks for the result of an identical run. It never fails: without a result, the agent is started. */
export async function openReuse(task: Task): Promise<Reuse> {
  const nothing = (...notes: string[]): Reuse => ({ notes, keep: () => Promise.resolve([]) });
  const noEffect = (why: string) => `reuse-result has no effect: ${why}.`;
  try {
    const named = nameRun(task);
    if ('problem' in named) return nothing(noEffect(named.problem));
    const { env, cancel } = task.invocation;
    const limits = { mostBytes: MOST_ENTRY_BYTES, limitMs: LIMIT_MS };
    const store = openActionsCache({ env, cancel, kind: 'result', ...limits });
    if ('unavailable' in store) {
      // Nobody can change that in the workflow, so it is no warning.
      info(noEffect(store.unavailable));
      return nothing();
    }
    const place = { ...named, store, task };
    const found = await findEntry(place);
    return {
      ...(found.entry ? { earlier: earlierOf(found.entry, named, task) } : {}),
      notes: found.notes,
      keep: (record) => keepResult(place, record),
    };
  } catch (error) {
    return nothing(noEffect(messageOf(error)));
  }
}

async function findEntry({
  key,
  keys,
  store,
}: EntryPlace): Promise<{ entry?: ResultEntry; notes: string[] }> {
  try {
    const bytes = await store.find(key, collectBytes);
    if (!bytes) {
      info('No identical run has left a result to reuse.');
      return { notes: [] };
    }
    const opened = openEntry(bytes, key, keys);
    return 'entry' in opened
      ? { entry: opened.entry, notes: [] }
      : { notes: [`A result in the Actions cache was not reused: ${opened.problem}.`] };
  } catch (error) {
    return { notes: [`The Actions cache could not be searched for a result: ${messageOf(error)}.`] };
  }
}

function earlierOf(entry: ResultEntry, named: Named, task: Task): Earlier {
  const { env } = task.invocation;
  const repository = env['GITHUB_REPOSITORY'] ?? '';
  const url = `${serverUrlOf(env)}/${repository}/actions/runs/${entry.run}`;
  const run = `run ${entry.run} of ${entry.at.slice(0, 10)}`;
  const reason = `The result of ${run} was reused; no agent was started.`;
  info(`Replaying the result of the identical ${run}.`);
  return {
    replay: prepareReplay(entry, named, task),
    reused: parseRepository(repository) ? { reason, url } : { reason },
    refusal: (verdict) =>
      `The result of ${run} was found but not reused (${verdictText(verdict)}). The agent was started.`,
  };
}

const verdictText = (verdict: Verdict): string =>
  verdict.status === 'failure' ? `${verdict.reason}: ${logLine(verdict.detail, 300)}` : verdict.status;

/** A run that has a name. */
interface Named {
  key: string;
  keys: ResultKeys;
  cliVersion: string;
  repository: Repository;
  git: string;
}

function nameRun(task: Task): Named | { problem: string } {
  const { inputs, resolved, runFolder, invocation } = task;
  const { env } = invocation;
  if (process.platform === 'win32') return { problem: 'results are not replayed on Windows' };
  const secret = agentSecret(inputs, env);
  if (secret.trim() === '') return { problem: 'there is no credential to seal a result with' };
  const build = knownBuild(task);
  if ('problem' in build) return build;
  const repository = findRepository(resolved.directory);
  if (repository?.root !== checkoutRoot(resolved))
    return { problem: 'the workspace is not one git repository' };
  const git = findTrustedGit(env['PATH'], resolved, runFolder);
  if (git === undefined) return { problem: 'git was not found' };
  const clean = findCleanTree({ repository, program: git, scratch: runFolder.git });
  if ('problem' in clean) return clean;
  const keys = keysFrom(secret);
  const key = resultKey(ingredientsOf(task, { build, tree: clean.tree, root: repository.root }), keys);
  return { key, keys, cliVersion: build.version, repository, git };
}

/** The build of the CLI that would be installed. It is not known of another CLI, nor of the newest one. */
function knownBuild({ inputs, resolved }: Task): Ingredients['build'] | { problem: string } {
  if (resolved.cliPath !== undefined) return { problem: 'the build of a CLI given by cli-path is not known' };
  const release = RELEASES[inputs.agent];
  const version = inputs.cliVersion ?? release.defaultVersion;
  if (version === 'latest') return { problem: 'cli-version is latest, which names no build' };
  const platform = platformOf(inputs.agent, { system: process.platform, arch: process.arch });
  const request = { agent: inputs.agent, version, sha256: inputs.cliSha256, cache: false };
  const { expected } = planInstall(request, platform);
  return expected
    ? { version, platform: platform.name, sha256: expected.sha256 }
    : { problem: `the sha256 of ${release.title} ${version} is not known; set cli-sha256` };
}

function ingredientsOf(
  task: Task,
  { build, tree, root }: Pick<Ingredients, 'build'> & { tree: string; root: string },
): Ingredients {
  const { inputs, resolved, context, inputPolicy, rules, prompt, commands, runFolder, invocation } = task;
  const folder = runFolder.context;
  const boundaries = context.contexts.flatMap(({ inline }) => inline?.boundary ?? []);
  const { isolation, network, allowedHosts } = inputs;
  return {
    action: hashProgram(),
    agent: inputs.agent,
    build,
    model: inputs.model,
    prompt: stablePrompt(prompt, { folder, boundaries }),
    files: hashFiles(folder),
    policy: {
      preset: inputPolicy.preset,
      mode: inputPolicy.mode,
      force: inputPolicy.force,
      onlyAllowed: inputPolicy.onlyAllowed,
      allow: inputPolicy.allow.map(formatPermission),
      deny: inputPolicy.deny.map(formatPermission),
    },
    rules: { choice: rules.choice, base: hashRules(rules) },
    mcp: hashOf(resolved.mcp && JSON.stringify(resolved.mcp.config)),
    schema: hashOf(resolved.outputSchema && JSON.stringify(resolved.outputSchema)),
    extraArgs: inputs.extraArgs,
    verify: commands.kind === 'commands' ? commands.commands : [],
    reach: { isolation, network, allowedHosts },
    passEnv: Object.fromEntries(inputs.passEnv.map((name) => [name, invocation.env[name] ?? ''])),
    place: { checkout: root, directory: relative(root, resolved.directory), tree },
  };
}

/** Another build of the action may ask or check otherwise. */
function hashProgram(): string {
  const folder = dirname(process.argv[1] ?? '.');
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const hashes = names.sort().map((name) => hashOf(readFileSync(join(folder, name))));
  return hashOf(hashes.join());
}

function hashFiles(folder: string): Record<string, string> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return {};
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    paths.map((path) => [relative(folder, path), hashOf(withoutFolder(readFileSync(path, 'utf8'), folder))]),
  );
}

function hashRules({ base }: ChosenRules): string {
  if (!base || 'missing' in base) return '';
  return hashOf(JSON.stringify(Object.entries(base.files).map(([path, content]) => [path, hashOf(content)])));
}

/** Far more than applying a patch and printing a file takes. */
const REPLAY_MS = 60_000;

const PATCH = 'replay/changes.patch';
const STREAM = 'replay/stream.ndjson';

/**
 * Applies the patch to the layer and prints the stream. Git gets no repository, so it reads no configuration and runs no
 * hook. It refuses paths that lead out of the folder, into `.git` or behind a link, and applies all of a patch or nothing.
 */
const SCRIPT = [
  'set -eu',
  `if [ -s "$HOME/${PATCH}" ]; then`,
  'cd -- "$2"',
  `"$1" apply --whitespace=nowarn -- "$HOME/${PATCH}"`,
  'fi',
  `exec /bin/cat -- "$HOME/${STREAM}"`,
].join('\n');

/**
 * A replay is started where the agent would be: on a layer, isolated, with folders of its own. It gets no credential and
 * no secret variable. Everything after it is the same as after an agent, so an entry that somebody else wrote can do no
 * more than an agent can.
 */
function prepareReplay(entry: ResultEntry, named: Named, task: Task): Earlier['replay'] {
  const { inputs } = task;
  const { cliVersion, git, repository } = named;
  const secret = secretNames(inputs.passEnv);
  const { hookFiles: _, ...agent } = AGENTS[inputs.agent];
  return {
    task: {
      ...task,
      // Whatever is wrong with it, the agent itself comes next. So it is not tried again, and nothing is overlooked.
      inputs: {
        ...inputs,
        retries: 0,
        onViolation: 'fail',
        passEnv: inputs.passEnv.filter((name) => !secret.includes(name)),
      },
      prompt: '',
      runFolder: openInnerFolder(task.runFolder, 'replay'),
    },
    starter: {
      agent: {
        ...agent,
        homeFiles: () => ({ [PATCH]: entry.patch, [STREAM]: entry.stream }),
        args: () => ['-c', SCRIPT, 'replay', git, relative(task.resolved.directory, repository.root) || '.'],
        environment: () => ({ ...NO_MACHINE_SETTINGS, GIT_DIR: '/dev/null' }),
      },
      cli: { path: '/bin/sh', version: cliVersion },
      hook: undefined,
      signIn: () => Promise.resolve(undefined),
      openStarts: openReplay,
      isReplay: true,
    },
  };
}

/** It can be started once. There is no chat to continue. */
const openReplay: Starter['openStarts'] = (prepared, setting) => {
  let hasStarted = false;
  return {
    prepared: () => prepared,
    notes: [],
    async start({ totalMs }) {
      if (hasStarted) throw new RunFailure('internal', 'A replay cannot be started again.');
      hasStarted = true;
      const request = { totalMs: Math.min(totalMs, REPLAY_MS) };
      const attempt = await startAgent({ ...setting, prepared, credential: undefined }, request);
      const report = withoutOwn(attempt.report);
      setting.output.onReport(report);
      return { ...attempt, report };
    },
  };
};

/** A report without what belongs to the run that made it: its session, its time and its price. */
function withoutOwn(report: RunReport): RunReport {
  const { sessionId: _1, requestId: _2, durationMs: _3, durationApiMs: _4, ...rest } = report;
  const { usage: _5, costUsd: _6, ...others } = rest;
  return others;
}

async function keepResult({ key, keys, store, task }: EntryPlace, record: RunRecord): Promise<string[]> {
  const notKept = (why: string) => [`The result was not kept for later runs: ${why}.`];
  const result = resultOf(record);
  if (!result) return [];
  if ('problem' in result) return notKept(result.problem);
  // Without isolation the agent works in a folder of this run. The next one has another.
  const stream = result.stream.replaceAll(currentLayer(task.runFolder.layer), checkoutRoot(task.resolved));
  const run = task.invocation.env['GITHUB_RUN_ID'] ?? '';
  const at = new Date().toISOString();
  const sealed = sealEntry({ version: ENTRY_VERSION, key, run, at, patch: result.patch, stream }, keys);
  if ('problem' in sealed) return notKept(sealed.problem);
  try {
    const isNew = await store.keep(key, contentOf(sealed.bytes));
    info(isNew ? 'The result was kept for identical runs.' : 'A result of an identical run is already kept.');
    return [];
  } catch (error) {
    return notKept(messageOf(error));
  }
}

/** What a run leaves for another. Nothing if it failed; a problem if something of it would be missing. */
function resultOf(record: RunRecord): { patch: string; stream: string } | { problem: string } | undefined {
  const { verdict, changes, files, tries } = record;
  if (verdict.status === 'failure' || tries.length > 0) return undefined;
  if (changes?.kind !== 'known' || files.transcript === undefined)
    return { problem: 'its changes are not known' };
  if (changes.violations.length > 0) return { problem: 'it contains changes that are not allowed' };
  if (changes.omitted.length > 0 || (changes.paths.length > 0 && changes.patchFile === undefined))
    return { problem: 'not all of its changes are in the patch' };
  const patch = textOf(changes.patchFile);
  const transcript = textOf(files.transcript);
  if (patch === undefined || transcript === undefined)
    return { problem: 'its patch or its transcript is too large, or is no text in UTF-8' };
  return { patch, stream: withoutWrapped(transcript) };
}

/** The content of a file that is not too large for an entry. */
function textOf(path: string | undefined): string | undefined {
  if (path === undefined) return '';
  if (statSync(path).size > MOST_ENTRY_BYTES) return undefined;
  const bytes = readFileSync(path);
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

/** A transcript wraps lines that are no event. They say nothing about the result. */
const withoutWrapped = (transcript: string): string =>
  transcript
    .split('\n')
    .filter((line) => !line.startsWith('{"type":"unparsed"') && !line.startsWith('{"type":"left-out"'))
    .join('\n');
