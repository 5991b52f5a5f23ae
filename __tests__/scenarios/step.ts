import { afterAll } from '@jest/globals';
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { parse } from 'yaml';
import { hashSources, readBuiltFrom } from '../../scripts/sources.mjs';
import { parseFileCommand } from '../../src/try/terminal.js';
import { readStrictFile } from '../report/strict-report.js';
import { makeFolder, makeWorkspace } from './workspace.js';

interface ActionFile {
  inputs: Record<string, { default?: string; description: string }>;
  outputs: Record<string, { description: string }>;
  runs: { using: string; main: string };
}

export const ACTION = parse(readFileSync('action.yml', 'utf8')) as ActionFile;
/** The Node that runs the bundles. CI runs them again with the version that runners use. */
export const NODE = process.env['SCENARIO_NODE'] ?? process.execPath;
export const API_KEY = 'key_0123456789abcdef0123456789abcdef';
export const GITHUB_TOKEN = 'ghs_scenario0123456789scenario0123456789';

/**
 * Has Node keep what it compiles of a bundle, so that the next process that runs this bundle does not compile it again.
 * Node 20 does not know the variable.
 */
export const COMPILED_ONCE = { NODE_COMPILE_CACHE: join(tmpdir(), 'compiled-bundles') };

const sources = hashSources('.');

/** A path in dist/. It throws if that bundle was not built from the sources as they are now. */
export function built(path: string): string {
  const [bundle = ''] = relative('dist', path).split(sep);
  if (readBuiltFrom('.').get(bundle) !== sources)
    throw new Error('dist/ is older than src/; run npm run build');
  return resolve(path);
}

export interface Step {
  inputs?: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string | undefined>>;
  workspace?: string;
  /** The bundle to run, and the user that runs it. */
  entry?: string;
  uid?: number;
  /** A command, started as root, that starts the action: its arguments end with the action's command line. */
  before?: readonly string[];
  /** Reads the file behind the output `report-file`, and throws if it is not as it should be. */
  readReport?: (path: string) => unknown;
  /** Called once the process runs. */
  during?: (child: ChildProcess, stdout: () => string) => void | Promise<void>;
}

export interface StepResult {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  outputs: Map<string, string>;
  summary: string;
  temp: string;
  workspace: string;
  errors: string[];
  warnings: string[];
}

/** Runs the built action in a child as the runner does: every input as INPUT_*, file commands, a temp folder. */
export async function runStep(step: Step = {}): Promise<StepResult> {
  const files = makeFolder('files');
  const temp = makeFolder('runner-temp');
  const workspace = step.workspace ?? makeWorkspace();
  const commandFile = (name: string) => {
    writeFileSync(join(files, name), '');
    return join(files, name);
  };
  const [output, summary] = [commandFile('output'), commandFile('summary')];
  const env = {
    PATH: process.env['PATH'],
    HOME: makeFolder('runner-home'),
    LANG: 'C.UTF-8',
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    ...('GITHUB_EVENT_NAME' in (step.env ?? {}) ? {} : onDefaultBranch(workspace, files)),
    GITHUB_WORKSPACE: workspace,
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_STATE: commandFile('state'),
    GITHUB_ENV: commandFile('env'),
    GITHUB_PATH: commandFile('path'),
    ACTIONS_RUNTIME_TOKEN: 'runtime-token-canary',
    RUNNER_TEMP: temp,
    // Nothing listens there: a scenario that needs a server starts one.
    GITHUB_SERVER_URL: 'http://127.0.0.1:9',
    GITHUB_API_URL: 'http://127.0.0.1:9',
    RUNNER_TRACKING_ID: 'github_scenario',
    ...COMPILED_ONCE,
    ...inputVariables(actionOf(step.entry), step.inputs),
    ...step.env,
  };
  if (step.uid !== undefined) giveTo(step.uid, [files, temp, env.HOME]);
  const node = step.uid === undefined ? NODE : nodeForAnyone();
  const [file, ...args] = [...(step.before ?? []), node, step.entry ?? built(ACTION.runs.main)];
  const account = step.uid === undefined ? {} : { uid: step.uid, gid: step.uid };
  const child = spawn(file, args, { cwd: workspace, env, ...(step.before ? {} : account) });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<{ code: number | null; signal: string | null }>((done, failed) => {
    child.on('error', failed);
    child.on('close', (code, signal) => {
      done({ code, signal });
    });
  });
  await step.during?.(child, () => stdout);
  const { code, signal } = await ended;
  const outputs = parseFileCommand(readFileSync(output, 'utf8'));
  // Every report that a scenario leaves is held against the schema.
  const report = outputs.get('report-file') ?? '';
  if (existsSync(report)) (step.readReport ?? readStrictFile)(report);
  return {
    code,
    signal,
    stdout,
    stderr,
    outputs,
    summary: readFileSync(summary, 'utf8'),
    temp,
    workspace,
    errors: annotations(stdout, 'error'),
    warnings: annotations(stdout, 'warning'),
  };
}

/** The variables of a workflow that a user with write access starts on the default branch, as it is checked out. */
function onDefaultBranch(workspace: string, folder: string): Record<string, string> {
  const path = join(folder, 'event.json');
  writeFileSync(path, JSON.stringify({ repository: { full_name: 'acme/project', default_branch: 'main' } }));
  const args = ['rev-parse', '--verify', '--quiet', 'HEAD'];
  const { stdout } = spawnSync('git', args, { cwd: workspace, encoding: 'utf8' });
  return {
    GITHUB_EVENT_NAME: 'workflow_dispatch',
    GITHUB_EVENT_PATH: path,
    GITHUB_REF: 'refs/heads/main',
    GITHUB_SHA: stdout.trim(),
  };
}

/** The runner's own folders belong to the runner's user. */
export function giveTo(uid: number, folders: readonly string[]): void {
  execFileSync('chown', ['-R', `${uid}:${uid}`, ...folders]);
}

let copiedNode: string | undefined;
afterAll(() => {
  if (copiedNode !== undefined) rmSync(dirname(copiedNode), { recursive: true, force: true });
});

/** A copy of Node, made once per test file: another user may not be able to reach the folder that Node is in. */
export function nodeForAnyone(): string {
  if (copiedNode === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'node-'));
    chmodSync(folder, 0o755);
    copiedNode = join(folder, 'node');
    cpSync(NODE, copiedNode);
  }
  return copiedNode;
}

/** The action that a bundle belongs to. */
function actionOf(entry = ''): ActionFile {
  const bundle = basename(dirname(entry));
  const isCompanion = ['doctor', 'plan', 'propose', 'publish'].includes(bundle);
  return isCompanion ? (parse(readFileSync(join(bundle, 'action.yml'), 'utf8')) as ActionFile) : ACTION;
}

function inputVariables(
  { inputs }: ActionFile,
  given: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const defaults = Object.entries(inputs).map(([name, input]) => [
    name,
    input.default === '${{ github.token }}' ? GITHUB_TOKEN : (input.default ?? ''),
  ]);
  const usual = {
    // Only the scenarios about uploads have a service that takes one.
    'upload-report': 'false',
    prompt: 'Say that all is well.',
    'api-key': API_KEY,
    // An isolated agent could not write its sightings. Isolation has its own scenarios.
    isolation: 'off',
    // So does the context.
    context: 'none',
    // The exchange of the key for a token has its own scenarios too, with a server on this machine.
    credential: 'key',
  };
  const all: Record<string, string> = {
    ...(Object.fromEntries(defaults) as Record<string, string>),
    ...Object.fromEntries(Object.entries(usual).filter(([name]) => Object.hasOwn(inputs, name))),
    ...given,
  };
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
  );
}

function annotations(stdout: string, kind: string): string[] {
  return stdout
    .split('\n')
    .filter((line) => line.startsWith(`::${kind} `) || line.startsWith(`::${kind}::`))
    .map((line) => line.replaceAll('%0A', '\n').replaceAll('%25', '%'));
}
