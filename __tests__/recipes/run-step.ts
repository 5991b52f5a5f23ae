import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { readRepository } from '../../scripts/derived.mjs';
import { built, COMPILED_ONCE, giveTo, NODE } from '../scenarios/step.js';
import { runChild, type JobPlace, type StepWork } from './job-place.js';
import { STAND_INS } from './stand-ins.js';

export interface ActionFile {
  inputs: Record<string, { default?: string; description: string }>;
  outputs: Record<string, { description: string }>;
  runs: { using: string; main: string };
}

const REPOSITORY = readRepository('.');

/** What stands in a `uses` after the name of this repository. */
export const pathInAction = (uses: string): string | undefined =>
  uses.startsWith(REPOSITORY) ? uses.slice(REPOSITORY.length) : undefined;

/**
 * `<owner>/cursor-agent-action/publish@v1` is the folder `publish` of this checkout. So is `$/publish` in a workflow of this
 * repository, wherever that is called from.
 */
export function ownAction(uses: string): string | undefined {
  const [, folder] = /^\$\/([a-z]+)$/.exec(uses) ?? [];
  if (folder !== undefined) return folder;
  const found = /^(\/[a-z]+)?@v\d+$/.exec(pathInAction(uses) ?? '');
  return found ? (found[1]?.slice(1) ?? '.') : undefined;
}

export const readAction = (folder: string): ActionFile =>
  parse(readFileSync(join(folder, 'action.yml'), 'utf8')) as ActionFile;

interface Shell {
  script: string;
  shell: string | undefined;
  env: Readonly<Record<string, string>>;
}

/** A `run` step. The runner starts bash with other options if the step names the shell. */
export async function runScript({ script, shell, env }: Shell, place: JobPlace): Promise<StepWork> {
  const file = join(place.temp, `script-${Math.random().toString(36).slice(2)}.sh`);
  writeFileSync(file, script);
  if (shell !== undefined && shell !== 'bash') throw new Error(`shell ${shell} is not one the tests know`);
  const options = shell === 'bash' ? ['--noprofile', '--norc', '-eo', 'pipefail'] : ['-e'];
  return withFileCommands(place, (commands) =>
    runChild(['bash', ...options, file], place, { ...place.baseEnv, ...env, ...commands }),
  );
}

interface Use {
  uses: string;
  with: Readonly<Record<string, string>>;
  env: Readonly<Record<string, string>>;
  /** Inputs that the test sets, by the folder of the action. */
  overrides: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export async function useAction(step: Use, place: JobPlace): Promise<StepWork> {
  const folder = ownAction(step.uses);
  if (folder !== undefined) return runOwnAction(step, folder, place);
  const known = Object.hasOwn(STAND_INS, step.uses) ? STAND_INS[step.uses] : undefined;
  if (!known) throw new Error(`${step.uses} is not an action the tests know`);
  const strange = Object.keys(step.with).filter((name) => !known.inputs.includes(name));
  if (strange.length > 0) throw new Error(`${step.uses}: the tests do not know ${strange.join(', ')}`);
  return known.run(step.with, place);
}

/** Runs the built action in a child process, with every input as the runner passes it. */
async function runOwnAction(step: Use, folder: string, place: JobPlace): Promise<StepWork> {
  const action = readAction(folder);
  const given = { ...step.with, ...(step.overrides[folder] ?? {}) };
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(action.inputs, name));
  if (unknown.length > 0) throw new Error(`${step.uses} has no input ${unknown.join(', ')}`);
  const inputs = Object.entries(action.inputs).map(([name, input]) => {
    const fallback = (input.default ?? '').replace('${{ github.token }}', place.github.token);
    return [`INPUT_${name.toUpperCase()}`, given[name] ?? fallback];
  });
  const env = {
    ...place.baseEnv,
    ...step.env,
    ...(Object.fromEntries(inputs) as Record<string, string>),
    ACTIONS_RUNTIME_TOKEN: 'runtime-token-canary',
    ...COMPILED_ONCE,
  };
  return withFileCommands(place, (commands) =>
    runChild(commandOf(join(folder, action.runs.main), place), place, { ...env, ...commands }),
  );
}

/** Starts a bundle, or the copy of it that the user of the steps can read. */
const commandOf = (path: string, { runner }: JobPlace): string[] =>
  runner ? [runner.node, runner.entry(basename(dirname(path)))] : [NODE, built(path)];

/** Gives a child its command files, and reads what it wrote to them. */
async function withFileCommands(
  { temp, runner }: JobPlace,
  run: (commands: Record<string, string>) => Promise<{ code: number | null; log: string }>,
): Promise<StepWork> {
  const folder = mkdtempSync(join(temp, 'file-commands-'));
  const file = (name: string) => {
    writeFileSync(join(folder, name), '');
    return join(folder, name);
  };
  const commands = {
    GITHUB_OUTPUT: file('output'),
    GITHUB_ENV: file('env'),
    GITHUB_PATH: file('path'),
    GITHUB_STATE: file('state'),
    GITHUB_STEP_SUMMARY: file('summary'),
  };
  if (runner) giveTo(runner.uid, [folder]);
  const { code, log } = await run(commands);
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  for (const name of ['GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STATE'] as const)
    if (read(commands[name]) !== '') throw new Error(`no recipe uses ${name}, so the tests do not know it`);
  return {
    ok: code === 0,
    // The runner removes these lines from the log.
    log: log.replace(/^::add-mask::.*\n/gm, ''),
    outputs: readFileCommands(read(commands.GITHUB_OUTPUT)),
    summary: read(commands.GITHUB_STEP_SUMMARY),
  };
}

/** What a step wrote into one of its command files: `name=value` lines, and `name<<end` blocks. */
function readFileCommands(text: string): Map<string, string> {
  const entries = new Map<string, string>();
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').replace(/\r$/, '');
    const [, name = '', mark = '', rest = ''] = /^(.+?)(<<|=)(.*)$/.exec(line) ?? [];
    if (name === '') {
      if (line !== '') throw new Error(`Invalid format: ${line}`);
      continue;
    }
    if (mark === '=') {
      entries.set(name, rest);
      continue;
    }
    const end = lines.indexOf(rest, index + 1);
    if (end < 0) throw new Error(`Invalid value: matching delimiter not found: ${rest}`);
    entries.set(name, lines.slice(index + 1, end).join('\n'));
    index = end;
  }
  return entries;
}
