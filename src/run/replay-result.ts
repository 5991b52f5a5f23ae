import { relative } from 'node:path';
import type { Agent } from '../agent/agent.js';
import { RunFailure } from '../core/failure.js';
import type { RunReport } from '../report/model.js';
import type { Attempt } from './attempts.js';
import type { ResultEntry } from './result-entry.js';
import { openInnerFolder } from './run-folder.js';
import type { Starter, Task } from './run-agent.js';
import { secretNames } from './secrets.js';
import { startAgent } from './start-agent.js';

/** Far more than applying a patch and printing a file takes. */
const MOST_MS = 60_000;

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

const WITHOUT_REPOSITORY = {
  GIT_DIR: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
};

/** What is needed to replay a result. */
export interface Replay {
  task: Task;
  starter: Starter;
}

interface ReplayRequest {
  task: Task;
  /** What the agent would be. */
  agent: Agent;
  cliVersion: string;
  /** A trusted git, by absolute path. */
  git: string;
  /** The top of the repository. */
  root: string;
}

/**
 * A replay is started where the agent would be: on a layer, isolated, with folders of its own. It gets no credential and
 * no secret variable. Everything after it is the same as after an agent, so an entry that somebody else wrote can do no
 * more than an agent can.
 */
export function prepareReplay(entry: ResultEntry, request: ReplayRequest): Replay {
  const { task, git, root } = request;
  const { inputs } = task;
  const secret = secretNames(inputs.passEnv);
  const { hookFiles: _, ...agent } = request.agent;
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
        args: () => ['-c', SCRIPT, 'replay', git, relative(task.resolved.directory, root) || '.'],
        environment: () => WITHOUT_REPOSITORY,
      },
      cli: { path: '/bin/sh', version: request.cliVersion },
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
    current: () => prepared,
    async start({ totalMs }): Promise<Attempt> {
      if (hasStarted) throw new RunFailure('internal', 'A replay cannot be started again.');
      hasStarted = true;
      const limits = { totalMs: Math.min(totalMs, MOST_MS) };
      const attempt = await startAgent({ ...setting, prepared, credential: undefined }, limits);
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
