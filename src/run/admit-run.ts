import { formatPermission } from '../permissions/permission-token.js';
import type { Policy } from '../permissions/policy.js';
import type { GithubEvent } from '../github/event.js';
import { hideSecrets } from './hide-secrets.js';
import type { Places } from './input-files.js';
import { invalidInput, type Inputs } from './inputs.js';
import type { Run } from './run.js';
import { info } from '../core/runner.js';
import { secretNames } from './secrets.js';
import { checkTrigger } from '../trust/check-trigger.js';
import { describeGitCredentials, findGitCredentials } from '../trust/git-credentials.js';
import { findDangers } from '../trust/dangerous-settings.js';

export interface Admission {
  inputs: Inputs;
  places: Places;
  policy: Policy;
  ours: NodeJS.ProcessEnv;
  cancel: AbortSignal;
}

/** Stops a run that nobody may start like this; gives what is worth a warning. */
export async function admitRun(run: Run, admission: Admission): Promise<string[]> {
  const { inputs, places, ours, cancel } = admission;
  const { event, why } = await checkTrigger({ ...inputs, cancel }, ours);
  info(why);
  const credentials = findGitCredentials(places, ours['HOME'] ?? '');
  hideSecrets(
    run,
    credentials.flatMap(({ secrets }) => secrets),
  );
  const leftover = describeGitCredentials(credentials, places.workspace);
  return [...(leftover === undefined ? [] : [leftover]), ...weighDangers(admission, event)];
}

/** Settings that are dangerous with this event: the worst stop the run, the others are reported. */
function weighDangers({ inputs, places, policy }: Admission, event: GithubEvent): string[] {
  const settings = {
    preset: policy.preset,
    force: policy.force,
    allow: policy.allow.map(formatPermission),
    deny: policy.deny.map(formatPermission),
    secretNames: secretNames(inputs.passEnv),
    mcpFromCheckout: places.mcp?.fromCheckout === true,
  };
  const dangers = findDangers(settings, event);
  const refusals = dangers.filter(({ level }) => level === 'refuse');
  if (refusals.length > 0)
    throw invalidInput(refusals.map(({ text }) => ({ input: 'allow', message: text })));
  return dangers.map(({ text }) => text);
}
