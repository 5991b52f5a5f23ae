import { pathFrom } from '../git/paths.js';
import { accessSync, constants, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { apiProblems } from '../agent/credential.js';
import { parseMcpConfig, type McpConfig } from '../agent/mcp.js';
import type { HistoryRequest } from '../context/history.js';
import { MAX_PROMPT_BYTES } from '../context/prompt.js';
import { readTrusted } from '../context/trusted-files.js';
import { attempt, messageOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import { checkInputNames, invalidInput, wrongInput, type InputProblem } from '../core/input-shapes.js';
import { info } from '../core/runner.js';
import type { PrivateGit } from '../git/private-git.js';
import { findRepository } from '../git/repository.js';
import type { GithubEvent } from '../github/event.js';
import { formatPermission, type PermissionToken } from '../permissions/permission-token.js';
import { expectAnswer } from '../review/expect-answer.js';
import type { Expectation, SchemaSource } from '../review/read-answer.js';
import { whySecretsAreWithheld } from '../trust/decide.js';
import { parseInputs, REMOVED_INPUTS, type InputName, type Inputs, type RawInputs } from './inputs.js';

export interface CheckedInputs {
  inputs: Inputs;
  resolved: ResolvedInputs;
  /** What the answer must look like, if a program reads it. */
  expectation: Expectation | undefined;
}

/**
 * Checks the inputs, the files that they name, and the variables that change where the key is sent. All problems are
 * reported together, before anything is changed.
 */
export function checkInputs(
  raw: RawInputs,
  { env, event, names }: { env: NodeJS.ProcessEnv; event: GithubEvent; names: readonly string[] },
): CheckedInputs {
  const parsed = parseInputs(raw);
  const { resolved, problems } = resolveInputs(raw, env['GITHUB_WORKSPACE'] || process.cwd());
  problems.push(...checkInputNames(names, env, REMOVED_INPUTS));
  if (raw.agent !== 'clido') problems.push(...apiProblems(env));
  const schema = 'problems' in parsed ? resolved.outputSchema : chooseSchema(parsed, resolved, event);
  const expected = schema && expectAnswer(schema);
  if (expected && 'problems' in expected)
    problems.push(...expected.problems.map((message) => ({ input: 'output-schema', message })));
  if ('problems' in parsed) throw inputFailure([...parsed.problems, ...problems], event);
  problems.push(...unknownServers(parsed.allow, Object.keys(resolved.mcp?.config.mcpServers ?? {})));
  if (problems.length > 0) throw invalidInput(problems);
  const expectation = expected && 'expectation' in expected ? expected.expectation : undefined;
  return { inputs: parsed, resolved, expectation };
}

/** If only the key is missing and GitHub keeps the secrets from this run, no input is wrong. */
function inputFailure(problems: readonly InputProblem[], event: GithubEvent): RunFailure {
  const withheld = problems.every(({ input }) => input === 'api-key')
    ? whySecretsAreWithheld(event)
    : undefined;
  return withheld === undefined ? invalidInput(problems) : new RunFailure('secrets-unavailable', withheld);
}

/** A review of a change gives findings, unless the workflow asks for something else. A gate needs them in any case. */
function chooseSchema(
  { preset, prompt, failOnSeverity, outputSchema }: Inputs,
  resolved: ResolvedInputs,
  { change }: GithubEvent,
): SchemaSource | undefined {
  if (outputSchema.trim() !== 'auto') return resolved.outputSchema;
  const isReview = preset === 'review' && prompt.kind === 'built-in' && change !== undefined;
  return isReview || failOnSeverity !== undefined ? { kind: 'findings' } : undefined;
}

/** Allowing a tool of a server that is not configured would silently have no effect. */
function unknownServers(allow: readonly PermissionToken[], servers: readonly string[]): InputProblem[] {
  return allow
    .filter((token) => token.kind === 'Mcp' && token.server !== '*' && !servers.includes(token.server))
    .map((token) => ({
      input: 'allow',
      message: `${formatPermission(token)} names a server that mcp-config does not have; it has ${servers.join(', ') || 'none'}.`,
    }));
}

/** The files and folders that the inputs name, looked up on disk. */
export interface ResolvedInputs {
  /** The checkout. */
  workspace: string;
  /** Where the agent works: the checkout or a folder in it. */
  directory: string;
  /** The task of the workflow; empty if there is none, so that the preset's own is used. */
  prompt: string;
  cliPath?: string;
  /** `file`: its absolute path, if it is a file of the checkout. */
  mcp?: { config: McpConfig; file?: string };
  /** What `output-schema` says, unless it is `auto` or `none`. */
  outputSchema?: SchemaSource;
}

/** Looks up every path in the inputs and returns all problems. Only reads. */
function resolveInputs(
  raw: RawInputs,
  workspace: string,
): { resolved: ResolvedInputs; problems: InputProblem[] } {
  const root = realPath(workspace);
  if (root === undefined) {
    const message = `${quote(workspace)} does not exist; ${ADD_CHECKOUT}`;
    const nowhere = { workspace, directory: workspace, prompt: '' };
    return { resolved: nowhere, problems: [{ input: WORKSPACE, message }] };
  }
  const problems: InputProblem[] = [];
  const keep = <T extends object>(input: InputName, found: Found<T>): T | undefined => {
    if (!('problems' in found)) return found;
    problems.push(...found.problems.map((message) => ({ input, message })));
    return undefined;
  };
  const directory =
    keep('working-directory', findDirectory(raw['working-directory'] || '.', root))?.path ?? root;
  const prompt = raw['prompt-file']
    ? keep('prompt-file', readText(raw['prompt-file'], directory, root))?.text
    : raw.prompt;
  const cli = raw['cli-path'] ? keep('cli-path', findProgram(raw['cli-path'], root)) : undefined;
  const mcp = raw['mcp-config'] ? keep('mcp-config', readMcpConfig(raw['mcp-config'], root)) : undefined;
  const schema = ['', 'auto', 'none'].includes(raw['output-schema'].trim())
    ? undefined
    : keep('output-schema', readSchema(raw['output-schema'], root));
  const resolved = {
    workspace: root,
    directory,
    prompt: prompt ?? '',
    ...(cli ? { cliPath: cli.path } : {}),
    ...(mcp ? { mcp } : {}),
    ...(schema ? { outputSchema: schema.source } : {}),
  };
  return { resolved, problems };
}

/** It is no input, but stands in the same list of problems. */
const WORKSPACE = 'workspace';
const ADD_CHECKOUT = [
  'add actions/checkout before this step:',
  '- uses: actions/checkout@v7',
  '  with: { persist-credentials: false }',
].join('\n');

/** Without a checkout the agent would see no file, find nothing wrong, and succeed. A folder without git is enough. */
export function requireCheckout({ workspace }: ResolvedInputs): void {
  if (readdirSync(workspace).length === 0)
    throw wrongInput(WORKSPACE, `${quote(workspace)} is empty; ${ADD_CHECKOUT}`);
}

/** What an input names, or what is wrong with it. */
type Found<T> = T | { problems: string[] };

const wrong = (...problems: string[]) => ({ problems });

function findDirectory(given: string, root: string): Found<{ path: string }> {
  const path = realPath(resolve(root, given));
  if (path === undefined) return wrong(`${quote(given)} does not exist; name a folder of the checkout.`);
  if (!isInside(path, root))
    return wrong(`${quote(given)} is outside the workspace; name a folder inside it.`);
  return statSync(path).isDirectory() ? { path } : wrong(`${quote(given)} is a file; name a folder.`);
}

function readText(given: string, base: string, root: string): Found<{ text: string }> {
  const path = realPath(resolve(base, given));
  if (path === undefined) {
    return wrong(
      `${quote(given)} does not exist in ${quote(relative(root, base) || '.')}; check the path, and that the checkout step ran before.`,
    );
  }
  // A link in a pull request must not turn any file of the runner into the prompt.
  if (!isAbsolute(given) && !isInside(path, root))
    return wrong(`${quote(given)} leads out of the workspace.`);
  const stat = statSync(path);
  if (!stat.isFile()) return wrong(`${quote(given)} is not a file.`);
  if (stat.size > MAX_PROMPT_BYTES) return wrong(`${quote(given)} is larger than 10 MiB.`);
  try {
    const text = readFileSync(path, 'utf8');
    return text.trim() === '' ? wrong(`${quote(given)} is empty.`) : { text };
  } catch (error) {
    return wrong(`${quote(given)} could not be read: ${messageOf(error)}.`);
  }
}

/** JSON itself, a file in the workspace, or a file named by its absolute path. */
function readMcpConfig(given: string, root: string): Found<NonNullable<ResolvedInputs['mcp']>> {
  const file = readJson(given, root);
  if ('problems' in file) return file;
  const parsed = parseMcpConfig(file.text);
  if ('problems' in parsed) return parsed;
  const path = resolve(root, given);
  const isOfCheckout =
    !isInlineJson(given) && [path, realPath(path) ?? ''].some((one) => isInside(one, root));
  return { config: parsed.config, ...(isOfCheckout ? { file: path } : {}) };
}

/**
 * A file of the checkout counts only where its rules would: the author of a pull request could name a program in it. If
 * the trusted version cannot be had, there are no servers.
 */
export async function trustMcpConfig(
  mcp: ResolvedInputs['mcp'],
  setting: Inputs['projectRules'],
  { event, history }: { event: GithubEvent; history: HistoryRequest },
): Promise<{ mcp?: NonNullable<ResolvedInputs['mcp']>; note?: string }> {
  if (mcp?.file === undefined || setting === 'head') return mcp ? { mcp } : {};
  const top = findRepository(dirname(mcp.file))?.root;
  const path = pathFrom(top ?? history.workspace, mcp.file);
  const trusted = await readTrusted({
    event,
    history: { ...history, directory: top ?? history.workspace },
    choice: setting === 'base' ? 'base' : 'auto',
    read: (git, commit) => readFileOf(git, commit, path),
  });
  if (trusted.kind === 'checkout') return { mcp };
  const missing = (why: string) => ({ note: `No MCP server runs, because ${why}` });
  if (trusted.kind === 'missing')
    return missing(`the trusted version of mcp-config (${path}) could not be read: ${trusted.why}`);
  const { name, files: text } = trusted;
  if (text === undefined)
    return missing(
      `${name} has no file ${path}, and that of this checkout is not trusted. Write the servers into mcp-config.`,
    );
  const parsed = parseMcpConfig(text);
  if ('problems' in parsed) return missing(`${path} of ${name} is wrong: ${parsed.problems.join(' ')}`);
  info(`The MCP servers are those of ${path} of ${name}.`);
  return { mcp: { config: parsed.config, file: mcp.file } };
}

/** An ordinary file of a commit; undefined if it has none there. A link could lead anywhere. */
async function readFileOf(git: PrivateGit, commit: string, path: string): Promise<string | undefined> {
  const listing = (await git.ask(['ls-tree', '-z', '--full-tree', commit, '--', path])).toString('utf8');
  const [, id, found] = /^100(?:644|755) blob ([0-9a-f]+)\t([^\0]*)\0$/.exec(listing) ?? [];
  if (id === undefined || found !== path) return undefined;
  return (await git.ask(['cat-file', 'blob', id])).toString('utf8');
}

/** The name of the built-in schema, a schema itself, or a file with one. */
function readSchema(given: string, root: string): Found<{ source: SchemaSource }> {
  if (given.trim() === 'findings') return { source: { kind: 'findings' } };
  const isWord = /^\s*[\w-]+\s*$/.test(given) && realPath(resolve(root, given)) === undefined;
  if (isWord)
    return wrong(
      `${quote(given)} does not exist as a file; use findings, auto, none, a JSON Schema, or a file with one.`,
    );
  const file = readJson(given, root);
  return 'problems' in file ? file : { source: { kind: 'text', text: file.text } };
}

const isInlineJson = (given: string): boolean => /^\s*[{[]/.test(given);

function readJson(given: string, root: string): Found<{ text: string }> {
  if (isInlineJson(given)) return { text: given };
  const file = readText(given, root, root);
  if ('text' in file) return file;
  const isPath = !given.includes('\n') && given.length <= 300;
  return isPath ? file : wrong('is neither a JSON object nor a file.');
}

function findProgram(given: string, root: string): Found<{ path: string }> {
  const path = resolve(root, given);
  const stat = statSync(path, { throwIfNoEntry: false });
  const remedy = 'Point it at the CLI’s program, or remove it to have one installed.';
  if (!stat) return wrong(`there is no CLI at ${quote(path)}. ${remedy}`);
  if (!stat.isFile()) return wrong(`${quote(path)} is not a file. ${remedy}`);
  try {
    accessSync(path, constants.X_OK);
    return { path };
  } catch {
    return wrong(`${quote(path)} is not executable. ${remedy}`);
  }
}

const realPath = (path: string): string | undefined => attempt(() => realpathSync(path));

/** The path without links, as far as it exists. */
export function realFolder(path: string): string {
  const real = realPath(path);
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(realFolder(dirname(path)), basename(path));
}

const isInside = (path: string, root: string): boolean => path === root || path.startsWith(root + sep);
const quote = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
