/**
 * Every way a run can fail: the code that a workflow can act on, a sentence that says what happened, and a sentence
 * that says what to do. The log, the summary, the annotations, the outputs and docs/troubleshooting.md use this table.
 */
export const FAILURES = {
  'invalid-input': {
    what: 'An input of this step is missing or wrong, or a step before it did not prepare what it needs.',
    remedy: 'Correct what the message names in the workflow file, and run it again.',
  },
  'secrets-unavailable': {
    what: 'GitHub gave this run no secrets, because it was triggered by a fork or by Dependabot.',
    remedy:
      'For a fork, use this action’s recipe for fork reviews. For Dependabot, add the key to the Dependabot secrets. Or skip the job for such runs.',
  },
  'actor-not-allowed': {
    what: 'The person or bot that triggered this run may not start the agent.',
    remedy: 'Let someone with write access trigger it, or name this actor in `allowed-actors`.',
  },
  'untrusted-event': {
    what: 'This event would give the agent code that no user with write access has approved, in a run that has your secrets.',
    remedy:
      'If anyone pushed after your comment or label, look at the new commit, then comment or set the label again. For a fork, use this action’s recipe for fork reviews, which meets every condition that the message names, or the `pull_request` event.',
  },
  'install-failed': {
    what: 'The agent’s CLI could not be installed or started.',
    remedy: 'Check the runner’s network access and `cli-version`, or point `cli-path` at an installed CLI.',
  },
  'checksum-mismatch': {
    what: 'The sha256 of the downloaded CLI archive is not the expected one. Nothing was unpacked or run.',
    remedy:
      'If you set `cli-sha256`, check it. Otherwise do not trust the download source until you have confirmed the new hash from another source.',
  },
  'isolation-unavailable': {
    what: 'The agent could not be isolated, or its network could not be closed, although this run requires it.',
    remedy:
      'Use a Linux runner with root, passwordless sudo or user namespaces, or set `isolation: auto` and `network: auto`.',
  },
  auth: {
    what: 'Cursor did not accept the API key.',
    remedy:
      'Check that the secret behind `api-key` exists, is current and is available to this event. A CLI too old for tokens needs `credential: key`.',
  },
  'usage-limit': {
    what: 'The account behind the API key has reached its usage limit, or this workflow has reached its `runs-per-day`.',
    remedy:
      'Raise the limit in the Cursor dashboard or in `runs-per-day`, wait until it renews, or use another key. To keep such runs green, set `on-limit: skip`.',
  },
  'rate-limited': {
    what: 'The provider of the model refused the request because there were too many requests.',
    remedy: 'Run it again later, or let fewer jobs run at the same time.',
  },
  'model-unavailable': {
    what: 'The requested model cannot be used with this key.',
    remedy: 'Set `model` to one of the models named in the message, or to `auto`.',
  },
  'workspace-trust': {
    what: 'The CLI stopped because it does not trust the workspace.',
    remedy:
      'Use a CLI build that supports `--trust`: remove `cli-path` or `cli-version` to get the tested one.',
  },
  network: {
    what: 'Cursor or GitHub could not be reached, or did not answer as expected.',
    remedy:
      'Run it again. Behind a proxy or firewall, set `HTTPS_PROXY` in the `env` of the job and allow Cursor’s hosts (this action’s reference lists them at `allowed-hosts`).',
  },
  'agent-error': {
    what: 'The agent reported that it could not finish the task.',
    remedy: 'Read its message. Give it a smaller task, or add the permissions it asked for to `allow`.',
  },
  'no-result': {
    what: 'The agent ended without an error, but also without a result or an answer, so it is unknown whether the task is done.',
    remedy:
      'Run it again. If it happens again, say in the prompt what the answer should contain, look at the transcript, and try another `model` or `cli-version`.',
  },
  crashed: {
    what: 'The agent’s process ended with an error.',
    remedy:
      'Read the end of its error output in the message, and run it again. The report contains everything that the agent did before.',
  },
  timeout: {
    what: 'The agent did not finish in time.',
    remedy:
      'Raise `timeout-minutes`, give it a smaller task, or tell it in the prompt not to run the command that takes so long.',
  },
  'idle-timeout': {
    what: 'The agent stopped sending output.',
    remedy: 'Run it again. If the model needs longer to think, raise `idle-timeout-minutes`.',
  },
  cancelled: {
    what: 'The run was cancelled. The agent was stopped, and nothing it changed was applied.',
    remedy: 'Nothing is wrong with the step. Run it again if you still need it.',
  },
  denied: {
    what: 'A tool call was denied, and `fail-on-denied` is set.',
    remedy:
      'Add what the agent needed to `allow` (the summary has the line to copy), or tell it in the prompt to work without it.',
  },
  'policy-violation': {
    what: 'Something was changed or run that the policy does not allow.',
    remedy:
      'Look at the files and calls that the message names. To allow a change, add `Write(path)` to `allow`.',
  },
  'bad-output': {
    what: 'The answer does not satisfy `output-schema`.',
    remedy: 'Read the validation errors. Simplify the schema, or describe in the prompt what it asks for.',
  },
  findings: {
    what: 'The review has a finding of at least the severity in `fail-on-severity`.',
    remedy:
      'Fix what the findings describe. If you disagree with one, a user with write access can dismiss it (👎 on its comment, resolve its thread, or comment `/cursor dismiss <id>`); then run it again.',
  },
  'verification-failed': {
    what: 'A command of `verify` failed on the changed code, so the change was not applied.',
    remedy:
      'Read the end of its output. If the command cannot work here, correct `verify`, or set it to `none`.',
  },
  internal: {
    what: 'The action failed in its own part of the work.',
    remedy:
      'If the message names a full disk or missing permissions, fix that. Otherwise it is a bug in the action: please report it with this message and the transcript.',
  },
} as const satisfies Record<string, { what: string; remedy: string }>;

export type FailureReason = keyof typeof FAILURES;

/** Thrown wherever a run has to stop. It is caught once, in run-agent or in runEntry. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';

  constructor(
    readonly reason: FailureReason,
    /** What exactly happened in this run. */
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}
