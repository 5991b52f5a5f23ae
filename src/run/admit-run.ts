import type { Policy } from '../permissions/policy.js';
import type { GithubEvent } from '../github/event.js';
import type { ResolvedInputs } from './resolve-inputs.js';
import { invalidInput, type Inputs } from './inputs.js';
import { info } from '../core/runner.js';
import { secretNames } from './secrets.js';
import { checkTrigger } from '../trust/check-trigger.js';
import { describeGitCredentials, findGitCredentials } from '../trust/git-credentials.js';
import { findDangers } from '../trust/dangerous-settings.js';

export interface Admission {
  inputs: Inputs;
  resolved: ResolvedInputs;
  policy: Policy;
  ours: NodeJS.ProcessEnv;
  cancel: AbortSignal;
}

/** Stops a run that must not be started like this. Returns what to warn about, and the secrets that were found. */
export async function admitRun(admission: Admission): Promise<{ notes: string[]; secrets: string[] }> {
  const { inputs, resolved, ours, cancel } = admission;
  const { event, why } = await checkTrigger({ ...inputs, cancel }, ours);
  info(why);
  const credentials = findGitCredentials(resolved, ours['HOME'] ?? '');
  const leftover = describeGitCredentials(credentials, resolved.workspace);
  return {
    notes: [...(leftover === undefined ? [] : [leftover]), ...weighDangers(admission, event)],
    secrets: credentials.flatMap(({ secrets }) => secrets),
  };
}

/** Dangerous settings for this event: the worst stop the run, the others become notes. */
function weighDangers({ inputs, resolved, policy }: Admission, event: GithubEvent): string[] {
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
