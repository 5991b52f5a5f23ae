import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { InputProblem, RawInputs } from './inputs.js';
import { parseMcpConfig, type McpConfig } from '../agent/mcp.js';
import type { SchemaSource } from '../review/expectation.js';
import { MOST_PROMPT_BYTES } from '../context/prompt.js';
import { messageOf } from '../core/errors.js';

/** What the inputs point at, looked up on disk. */
export interface Places {
  /** The checkout. */
  workspace: string;
  /** Where the agent works: the checkout or a folder in it. */
  directory: string;
  prompt: string;
  cliPath?: string;
  mcp?: { config: McpConfig; fromCheckout: boolean };
  outputSchema?: SchemaSource;
}

/** Looks up every path among the inputs, and tells all that is wrong with them. Reads, and touches nothing. */
export function findPlaces(raw: RawInputs, workspace: string): { places: Places; problems: InputProblem[] } {
  const root = realPath(workspace);
  if (root === undefined) {
    const message = `the workspace ${quote(workspace)} does not exist; run actions/checkout before this step.`;
    const nowhere = { workspace, directory: workspace, prompt: '' };
    return { places: nowhere, problems: [{ input: 'working-directory', message }] };
  }
  const directory = findDirectory(raw['working-directory'] || '.', root);
  const base = 'path' in directory ? directory.path : root;
  const prompt = raw['prompt-file'] ? readText(raw['prompt-file'], base, root) : { text: raw.prompt };
  const cli = raw['cli-path'] ? findProgram(raw['cli-path'], root) : undefined;
  const mcp = raw['mcp-config'] ? readMcpConfig(raw['mcp-config'], root) : undefined;
  const schema = raw['output-schema'] ? readSchema(raw['output-schema'], root) : undefined;
  const problems = [
    ...('problem' in directory ? [{ input: 'working-directory', message: directory.problem }] : []),
    ...('problem' in prompt ? [{ input: 'prompt-file', message: prompt.problem }] : []),
    ...(cli && 'problem' in cli ? [{ input: 'cli-path', message: cli.problem }] : []),
    ...(mcp && 'problems' in mcp ? mcp.problems.map((message) => ({ input: 'mcp-config', message })) : []),
    ...(schema && 'problem' in schema ? [{ input: 'output-schema', message: schema.problem }] : []),
  ];
  const places = {
    workspace: root,
    directory: base,
    prompt: 'text' in prompt ? prompt.text : '',
    ...(cli && 'path' in cli ? { cliPath: cli.path } : {}),
    ...(mcp && 'config' in mcp ? { mcp } : {}),
    ...(schema && 'source' in schema ? { outputSchema: schema.source } : {}),
  };
  return { places, problems };
}

function findDirectory(given: string, root: string): { path: string } | { problem: string } {
  const path = realPath(resolve(root, given));
  if (path === undefined)
    return { problem: `${quote(given)} does not exist; name a folder of the checkout.` };
  if (!isInside(path, root))
    return { problem: `${quote(given)} is outside the workspace; name a folder inside it.` };
  return statSync(path).isDirectory() ? { path } : { problem: `${quote(given)} is a file; name a folder.` };
}

function readText(given: string, base: string, root: string): { text: string } | { problem: string } {
  const path = realPath(resolve(base, given));
  if (path === undefined) {
    return {
      problem: `${quote(given)} does not exist in ${quote(relative(root, base) || '.')}; check the path, and that the checkout step ran before.`,
    };
  }
  // A link in a pull request must not turn the prompt into any file of the runner.
  if (!isAbsolute(given) && !isInside(path, root))
    return { problem: `${quote(given)} leads out of the workspace.` };
  const stat = statSync(path);
  if (!stat.isFile()) return { problem: `${quote(given)} is not a file.` };
  if (stat.size > MOST_PROMPT_BYTES) return { problem: `${quote(given)} is larger than 10 MiB.` };
  try {
    const text = readFileSync(path, 'utf8');
    return text.trim() === '' ? { problem: `${quote(given)} is empty.` } : { text };
  } catch (error) {
    return {
      problem: `${quote(given)} could not be read: ${messageOf(error)}.`,
    };
  }
}

/** JSON as it stands, or a file of the workspace, or one named by its whole path. */
function readMcpConfig(
  given: string,
  root: string,
): { config: McpConfig; fromCheckout: boolean } | { problems: string[] } {
  const isInline = isInlineJson(given);
  const file = readJson(given, root);
  if ('problem' in file) return { problems: [file.problem] };
  const parsed = parseMcpConfig(file.text);
  if ('problems' in parsed) return parsed;
  const fromCheckout = !isInline && isInside(realPath(resolve(root, given)) ?? '', root);
  return { config: parsed.config, fromCheckout };
}

/** The word for the built-in schema, or a schema as it stands, or a file with one. */
function readSchema(given: string, root: string): { source: SchemaSource } | { problem: string } {
  if (given.trim() === 'findings') return { source: { kind: 'findings' } };
  const file = readJson(given, root);
  return 'problem' in file ? file : { source: { kind: 'text', text: file.text } };
}

const isInlineJson = (given: string): boolean => /^\s*[{[]/.test(given);

function readJson(given: string, root: string): { text: string } | { problem: string } {
  if (isInlineJson(given)) return { text: given };
  const file = readText(given, root, root);
  if ('text' in file) return file;
  const isPath = !given.includes('\n') && given.length <= 300;
  return isPath ? file : { problem: 'is neither a JSON object nor a file.' };
}

function findProgram(given: string, root: string): { path: string } | { problem: string } {
  const path = resolve(root, given);
  const stat = statSync(path, { throwIfNoEntry: false });
  const remedy = 'Point it at the CLI’s program, or remove it to have one installed.';
  if (!stat) return { problem: `there is no CLI at ${quote(path)}. ${remedy}` };
  if (!stat.isFile()) return { problem: `${quote(path)} is not a file. ${remedy}` };
  try {
    accessSync(path, constants.X_OK);
    return { path };
  } catch {
    return { problem: `${quote(path)} is not executable. ${remedy}` };
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

const isInside = (path: string, root: string): boolean => path === root || path.startsWith(root + sep);
const quote = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
