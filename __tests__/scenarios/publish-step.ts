import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { WRITE_TOKEN } from '../github/stateful-fake.js';
import { built, runStep, type StepResult } from './step.js';
import { makeFolder } from './workspace.js';

export const PUBLISH = parse(readFileSync('publish/action.yml', 'utf8')) as {
  inputs: Record<string, { default?: string; description: string }>;
  outputs: Record<string, { description: string }>;
  runs: { using: string; main: string };
};

export interface PublishStep {
  /** Written to a file that becomes the input `report-file`, unless `inputs` names another. */
  report?: unknown;
  inputs?: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string | undefined>>;
  /** The URL of the server that replaces GitHub's API. */
  api: string;
}

/** Runs the built publish step in a child as the runner does, on a pull request of acme/project. */
export function runPublish({ report, inputs = {}, env = {}, api }: PublishStep): Promise<StepResult> {
  const defaults = Object.entries(PUBLISH.inputs).map(([name, input]) => [
    name,
    input.default === '${{ github.token }}' ? WRITE_TOKEN : (input.default ?? ''),
  ]);
  return runStep({
    entry: built(join('publish', PUBLISH.runs.main)),
    inputs: {
      ...(Object.fromEntries(defaults) as Record<string, string>),
      'report-file': report === undefined ? '' : writeReport(report),
      ...inputs,
    },
    env: {
      GITHUB_API_URL: api,
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_REPOSITORY: 'acme/project',
      GITHUB_RUN_ID: '99',
      ...pullRequestEvent(7),
      ...env,
    },
  });
}

export function writeReport(report: unknown, name = 'report.json'): string {
  const path = join(makeFolder('report'), name);
  writeFileSync(path, typeof report === 'string' ? report : JSON.stringify(report));
  return path;
}

/** The runner's variables for an event with this payload. */
export function eventOf(name: string, payload: unknown): Record<string, string> {
  const path = join(makeFolder('event'), 'event.json');
  writeFileSync(path, JSON.stringify(payload));
  return { GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: path };
}
export const pullRequestEvent = (number: number): Record<string, string> =>
  eventOf('pull_request', { pull_request: { number, head: { sha: 'a'.repeat(40) } } });
