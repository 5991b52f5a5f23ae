import { join } from 'node:path';
import { buildPolicy } from '../permissions/policy.js';
import type { GithubEvent } from '../github/event.js';
import type { ResolvedInputs } from './resolve-inputs.js';
import type { Inputs } from './inputs.js';
import { RunFailure } from '../core/failure.js';
import { invalidInput } from '../core/input-shapes.js';
import { info } from '../core/runner.js';
import { baseProblem, otherCheckoutProblem } from '../context/base-checkout.js';
import { findCheckedOut, type HistoryRequest } from '../context/history.js';
import { apiUrlOf } from '../github/client.js';
import { pinCommentedCommit } from '../trust/commented-commit.js';
import { findConfig } from '../permissions/checkout-config.js';
import { checkoutTop } from './find-checkout.js';
import { secretNames } from './secrets.js';
import { checkTrigger } from '../trust/check-trigger.js';
import { forkOf } from '../trust/decide.js';
import { admitFork, describeMissing, missingSettings } from '../trust/fork-review.js';
import { describeGitCredentials, findGitCredentials } from '../trust/git-credentials.js';
import { findDangers } from '../trust/dangerous-settings.js';

interface Admission {
  event: GithubEvent;
  inputs: Inputs;
  resolved: ResolvedInputs;
  history: HistoryRequest;
}

/** What an admitted run is about. */
interface AdmittedEvent {
  /** If a user with write access approved a commit of a pull request, the event is about that commit. */
  event: GithubEvent;
  /** The fork whose change is reviewed. Its files are data for the agent, and nothing more. */
  fork: string | undefined;
  /** What to warn about. */
  notes: string[];
}

/** Stops a run that must not be started like this. `secrets` are those that were found in the checkout. */
export async function admitRun(admission: Admission): Promise<AdmittedEvent & { secrets: string[] }> {
  const { resolved, history } = admission;
  const { event, notes, fork } = await admitEvent(admission);
  const credentials = findGitCredentials(resolved, history.env['HOME'] ?? '');
  const leftover = describeGitCredentials(credentials, resolved.workspace);
  return {
    event,
    fork,
    notes: [...notes, ...(leftover === undefined ? [] : [leftover]), ...weighDangers(admission)],
    secrets: credentials.flatMap(({ secrets }) => secrets),
  };
}

/** Whether the people behind the event may start the agent, and on which commit. */
async function admitEvent(admission: Admission): Promise<AdmittedEvent> {
  const { inputs, history, event: triggered } = admission;
  const { env, cancel, token } = history;
  const access = { token, apiUrl: apiUrlOf(env), cancel };
  const named = forkOf(triggered);
  if (named !== undefined) {
    await checkForkConditions(admission, named);
    const { event, why } = await admitFork(triggered, inputs, access);
    info(why);
    return { event, fork: named, notes: [] };
  }
  info(await checkTrigger(triggered, inputs.allowedActors, access));
  const { event, notes } = await pinCommentedCommit(triggered, {
    ...access,
    checkedOut: () => findCheckedOut(history),
    eventCommit: env['GITHUB_SHA'],
  });
  const fork = commentedFork(event);
  // The comment is by a user with write access, and approves the commit.
  if (fork !== undefined) await checkForkConditions({ ...admission, event }, fork);
  return { event, fork, notes };
}

/** The fork that a comment is about. Only the pull request itself says so. */
function commentedFork({ name, pull, repository }: GithubEvent): string | undefined {
  const from = name === 'issue_comment' ? pull?.details?.head.repository : undefined;
  return from?.toLowerCase() === repository.toLowerCase() ? undefined : from;
}

/** Stops the run unless everything holds that keeps a fork's change from doing harm. Names all that is missing. */
async function checkForkConditions(
  { event, inputs, resolved, history }: Admission,
  fork: string,
): Promise<void> {
  const settings = missingSettings(inputs);
  const named = event.payload?.pull_request?.base;
  const base = {
    commits: [history.env['GITHUB_SHA'], named?.sha ?? undefined, event.pull?.details?.base.commit],
    branches: [event.pull?.details?.base.branch, event.payload?.repository?.default_branch ?? undefined],
    fork: event.head,
    search: settings.length === 0,
  };
  const root = checkoutTop(resolved);
  const others = {
    dotGits: findConfig(root).gitEntries.map((path) => join(root, path)),
    repositories: [event.repository, fork],
  };
  const checkouts = [await baseProblem(history, base), await otherCheckoutProblem(history, base, others)];
  const missing = [...settings, ...checkouts.filter((problem) => problem !== undefined)];
  if (missing.length > 0) throw new RunFailure('untrusted-event', describeMissing(event, fork, missing));
}

/** Dangerous settings for this event: the worst stop the run, the others become notes. */
function weighDangers({ event, inputs, resolved }: Admission): string[] {
  const settings = {
    ...buildPolicy(inputs),
    secretNames: secretNames(inputs.passEnv),
    mcpFromCheckout: resolved.mcp?.file !== undefined && inputs.projectRules === 'head',
  };
  const dangers = findDangers(settings, event);
  const refusals = dangers.filter(({ level }) => level === 'refuse');
  if (refusals.length > 0)
    throw invalidInput(refusals.map(({ text }) => ({ input: 'allow', message: text })));
  return dangers.map(({ text }) => text);
}
