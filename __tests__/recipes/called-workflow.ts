import { evaluate } from './evaluation.js';
import { pathInAction } from './run-step.js';
import type { Workflow, WorkflowJob } from './workflow-file.js';

/** `<owner>/cursor-agent-action/.github/workflows/review.yml@v1` is that file of this checkout. */
export function calledFile(uses: string): string {
  const [, file] = /^\/(\.github\/workflows\/[a-z-]+\.yml)@v\d+$/.exec(pathInAction(uses) ?? '') ?? [];
  if (file === undefined) throw new Error(`${uses} is not a workflow the tests know`);
  return file;
}

const LEVELS = ['none', 'read', 'write'];

/** A called workflow cannot raise its permissions. GitHub then rejects the caller before anything runs. */
export function checkPermissions(caller: WorkflowJob, { jobs }: Workflow): void {
  for (const job of jobs) {
    for (const [name, level] of Object.entries(job.permissions)) {
      const most = caller.permissions[name] ?? 'none';
      if (LEVELS.indexOf(level) > LEVELS.indexOf(most))
        throw new Error(
          `The nested job '${job.id}' is requesting '${name}: ${level}', but is only allowed '${name}: ${most}'.`,
        );
    }
  }
}

/** The inputs of a call with their defaults, checked as GitHub does. */
export function inputsOfCall(
  { file, callable }: Workflow,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (!callable) throw new Error(`${file} cannot be called: it has no on.workflow_call`);
  const strange = Object.keys(given).filter((name) => !Object.hasOwn(callable.inputs, name));
  if (strange.length > 0) throw new Error(`Invalid input, ${strange.join(', ')} is not defined in ${file}`);
  const zero: Record<string, unknown> = { string: '', number: 0, boolean: false };
  return Object.fromEntries(
    Object.entries(callable.inputs).map(([name, { type, required, default: fallback }]) => {
      if (required && given[name] === undefined) throw new Error(`Input ${name} is required by ${file}`);
      const value = given[name] ?? evaluate(fallback, {}) ?? zero[type];
      if (typeof value !== type) throw new Error(`Input ${name} of ${file} is a ${type}`);
      return [name, value];
    }),
  );
}

/** A called workflow has the secrets that it is handed, and no other. */
export function secretsOfCall(
  { file, callable }: Workflow,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const known = Object.entries(callable?.secrets ?? {});
  const strange = Object.keys(given).filter((name) => !known.some(([each]) => each === name));
  if (strange.length > 0) throw new Error(`Invalid secret, ${strange.join(', ')} is not defined in ${file}`);
  for (const [name, { required }] of known)
    if (required && given[name] === undefined) throw new Error(`Secret ${name} is required by ${file}`);
  return { ...given };
}
