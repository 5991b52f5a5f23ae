import type { Policy } from '../permissions/policy.js';
import type { GithubEvent } from '../github/event.js';
import type { ResolvedInputs } from './resolve-inputs.js';
import { invalidInput, type Inputs } from './inputs.js';
import { info } from '../core/runner.js';
import { findCheckedOut, type HistoryRequest } from '../context/history.js';
import { apiUrlOf } from '../github/client.js';
import { pinCommentedCommit } from '../trust/commented-commit.js';
import { secretNames } from './secrets.js';
import { checkTrigger } from '../trust/check-trigger.js';
import { describeGitCredentials, findGitCredentials } from '../trust/git-credentials.js';
import { findDangers } from '../trust/dangerous-settings.js';

export interface Admission {
  event: GithubEvent;
  inputs: Inputs;
  resolved: ResolvedInputs;
  policy: Policy;
  history: HistoryRequest;
}

/** What is known about a run that may be started. */
export interface Admitted {
  /** The event. If it was a comment on a pull request, with the commit that the comment is about. */
  event: GithubEvent;
  /** What to warn about. */
  notes: string[];
  /** The secrets that were found in the checkout. */
  secrets: string[];
}

/** Stops a run that must not be started like this. */
export async function admitRun(admission: Admission): Promise<Admitted> {
  const { inputs, resolved, history } = admission;
  const { env, cancel, token } = history;
  const apiUrl = apiUrlOf(env);
  info(await checkTrigger({ ...inputs, event: admission.event, cancel }, apiUrl));
  const { event, notes } = await pinCommentedCommit(admission.event, {
    ...{ token, apiUrl, cancel },
    checkedOut: () => findCheckedOut(history),
    eventCommit: env['GITHUB_SHA'],
  });
  const credentials = findGitCredentials(resolved, env['HOME'] ?? '');
  const leftover = describeGitCredentials(credentials, resolved.workspace);
  return {
    event,
    notes: [...notes, ...(leftover === undefined ? [] : [leftover]), ...weighDangers(admission)],
    secrets: credentials.flatMap(({ secrets }) => secrets),
  };
}

/** Dangerous settings for this event: the worst stop the run, the others become notes. */
function weighDangers({ event, inputs, resolved, policy }: Admission): string[] {
  const settings = {
    preset: policy.preset,
    force: policy.force,
    allow: policy.allow,
    deny: policy.deny,
    secretNames: secretNames(inputs.passEnv),
    mcpFromCheckout: resolved.mcp?.fromCheckout === true,
  };
  const dangers = findDangers(settings, event);
  const refusals = dangers.filter(({ level }) => level === 'refuse');
  if (refusals.length > 0)
    throw invalidInput(refusals.map(({ text }) => ({ input: 'allow', message: text })));
  return dangers.map(({ text }) => text);
}
