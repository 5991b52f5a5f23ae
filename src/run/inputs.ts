import * as z from 'zod/mini';
import { isSafeAddress } from '../core/address.js';
import { assertNever } from '../core/errors.js';
import { parseHostLine, type HostLine } from '../sandbox/index.js';
import { versionProblem } from '../install/release.js';
import {
  formatPermission,
  parsePermission,
  type PermissionKind,
  type PermissionToken,
} from '../permissions/permission-token.js';
import { isForbiddenForAgent, isSetByAction } from '../agent/environment.js';
import {
  buildPolicy,
  findUselessAllows,
  heldByHook,
  mayWrite,
  type PolicyRequest,
  type UselessAllow,
} from '../permissions/policy.js';
import type { TaskPreset } from '../context/prompt.js';
import {
  CONTEXT_KINDS,
  REVIEW_SCOPES,
  type ContextChoice,
  type ContextKind,
} from '../context/choose-context.js';
import { readPath } from '../git/paths.js';
import {
  AGENT_NAMES,
  branchName,
  choice,
  ifGiven,
  isDashed,
  issueProblem,
  LINES,
  LINES_OR_COMMAS,
  list,
  listOf,
  NO_DASH,
  oneOf,
  optional,
  ignorePatterns,
  quote,
  readRaw,
  token,
  wholeNumber,
  withDefault,
  type InputProblem,
} from '../core/input-shapes.js';
import { SEVERITIES } from '../report/findings.js';
import { EFFORTS, MAX_STARTS } from '../review/effort.js';
import { MAX_RUNS_PER_DAY } from '../trust/daily-runs.js';
import { FORK_REVIEWS } from '../trust/fork-review.js';

const YES: readonly string[] = ['true', 'True', 'TRUE'];
const FLAGS = ['true', 'True', 'TRUE', 'false', 'False', 'FALSE'] as const;
const flag = z.pipe(
  z.enum(FLAGS, { error: 'use true or false' }),
  z.transform((text: (typeof FLAGS)[number]) => YES.includes(text)),
);
const boolean = (fallback: boolean) => z.pipe(withDefault(String(fallback)), flag);

const decimal = (fallback: number, isRight: (value: number) => boolean, message: string) =>
  z.pipe(
    withDefault(String(fallback)),
    z
      .pipe(z.string().check(z.regex(/^(\d+\.?\d*|\.\d+)$/, message)), z.transform(Number))
      .check(z.refine(isRight, message)),
  );
/** Five days, the longest that a job may run. Timers can hold more. */
const MAX_MINUTES = 7200;
const minutes = (fallback: number) =>
  decimal(
    fallback,
    (value) => value > 0 && value <= MAX_MINUTES,
    `use a number of minutes above 0 and at most ${MAX_MINUTES}; a fraction is fine`,
  );
const MAX_RETRIES = 10;
const count = (fallback: number) =>
  decimal(
    fallback,
    (value) => Number.isInteger(value) && value <= MAX_RETRIES,
    `use a whole number from 0 to ${MAX_RETRIES}`,
  );

const matching = (shape: RegExp, message: string) => z.string().check(z.regex(shape, message));

/** A list of texts. `check` says what is wrong with one. */
const checkedList = (separator: RegExp, check: (text: string) => string | undefined) =>
  listOf(separator, (item) => {
    const problem = isDashed(item) ? NO_DASH : check(item);
    return problem === undefined ? { item } : { problem: `${quote(item)}: ${problem}` };
  });

const permissions = listOf<PermissionToken>(LINES, (text) => {
  const parsed = isDashed(text) ? { problem: `${quote(text)}: ${NO_DASH}` } : parsePermission(text);
  return 'problem' in parsed ? parsed : { item: parsed.permission };
});

const environmentNames = checkedList(LINES_OR_COMMAS, (name) => {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'is not the name of an environment variable';
  if (isForbiddenForAgent(name))
    return 'never reaches the agent, because it could carry a token or run code; leave it out';
  if (isSetByAction(name)) return 'is set by the action itself; leave it out';
  return undefined;
});

const actors = checkedList(LINES_OR_COMMAS, (name) =>
  /^[A-Za-z0-9][A-Za-z0-9_-]*(\[bot\])?$/.test(name)
    ? undefined
    : 'is not a GitHub login; name each person or bot, wildcards are not accepted',
);

/** The models to try, in this order. */
const models = z.pipe(
  withDefault('auto'),
  checkedList(LINES_OR_COMMAS, (id) =>
    /^[^\s-]\S*$/.test(id) ? undefined : 'is not a model id; write one per line, without spaces',
  ),
);

/** In the form that `plan` writes. */
const paths = listOf<string>(LINES, (line) => {
  if (isDashed(line)) return { problem: `${quote(line)}: ${NO_DASH}` };
  const parsed = readPath(line);
  return 'path' in parsed ? { item: parsed.path } : { problem: `${quote(line)} ${parsed.problem}` };
});

/** What to verify a change with. `auto` is the failed step of CI for the preset `fix-ci`, otherwise nothing. */
type VerifyChoice = { kind: 'auto' } | { kind: 'none' } | { kind: 'commands'; commands: string[] };
const verify = z.pipe(
  checkedList(LINES, () => undefined),
  z.transform((lines: string[]): VerifyChoice => {
    const commands = lines.filter((line) => !line.startsWith('#'));
    if (commands.length === 0) return { kind: 'auto' };
    return commands.length === 1 && commands[0] === 'none'
      ? { kind: 'none' }
      : { kind: 'commands', commands };
  }),
);

const allowedHosts = listOf<HostLine>(LINES_OR_COMMAS, (line) => {
  if (isDashed(line)) return { problem: `${quote(line)}: ${NO_DASH}` };
  const parsed = parseHostLine(line);
  return 'problem' in parsed ? { problem: `${quote(line)} ${parsed.problem}` } : { item: parsed };
});

const isContextKind = (text: string): text is ContextKind =>
  (CONTEXT_KINDS as readonly string[]).includes(text);
const context = z.pipe(
  list(LINES_OR_COMMAS),
  z.transform((all: string[], check): ContextChoice => {
    const [first = 'auto'] = all;
    if (all.length <= 1 && first === 'auto') return { kind: 'auto' };
    if (all.length === 1 && first === 'none') return { kind: 'list', kinds: [] };
    if (!all.every(isContextKind)) {
      const message = `use auto, none, or a list of ${CONTEXT_KINDS.join(', ')}`;
      check.issues.push({ code: 'custom', message, input: all });
    }
    return { kind: 'list', kinds: all.filter(isContextKind) };
  }),
);

/**
 * Flags that the action passes itself. A second one would break what the action relies on: the stream format, the
 * policy, or that the key is in no command line.
 */
const BY_PRESET =
  'is passed where the preset needs it; use preset edit or fix-ci, or name Write or Shell in allow with preset custom';
const OWN_FLAGS = new Map(
  Object.entries({
    '-p': 'is always passed; leave it out',
    '--print': 'is always passed; leave it out',
    '--output-format': 'is always stream-json; leave it out',
    '--trust': 'is always passed; leave it out',
    '--api-key': 'would show the key to every process: use the input api-key',
    '--auth-token': 'would show the token to every process: use the input credential',
    '--model': 'use the input model',
    '--mode': 'use the input mode',
    '--plan': 'use the input mode',
    '-f': BY_PRESET,
    '--force': BY_PRESET,
    '--yolo': BY_PRESET,
    '--resume': 'use the input resume',
    '--continue': 'use the input resume',
    '--approve-mcps': 'use the input mcp-config',
    '--workspace': 'use the input working-directory',
  }),
);
const extraArgs = checkedList(LINES, (argument) => OWN_FLAGS.get(argument.split(/[=\s]/, 1)[0] ?? ''));

const downloadUrl = z
  .string()
  .check(
    z.refine(
      (text) => isSafeAddress(text.replace(/[{}]/g, '')),
      'use an https:// address (http:// only on this machine), with {version}, {os}, {arch} and {ext} where they belong',
    ),
  );
const sha256 = z.pipe(
  matching(/^[0-9a-fA-F]{64}$/, 'use the 64 hexadecimal digits of a sha256'),
  z.transform((hash: string) => hash.toLowerCase()),
);

/** The schema of all inputs, by their names in action.yml. */
export const InputSchema = z.object({
  'api-key': token,
  prompt: optional,
  instructions: optional,
  preset: choice('review', 'review', 'docs', 'edit', 'fix-ci', 'custom'),
  model: models,
  'output-schema': withDefault('auto'),
  allow: permissions,
  'timeout-minutes': minutes(30),
  context,
  'prompt-file': optional,
  resume: ifGiven(
    matching(/^[A-Za-z0-9][A-Za-z0-9_.:-]*$/, 'use the chat id of an earlier run (output session-id)'),
  ),
  effort: choice('medium', ...EFFORTS),
  'working-directory': withDefault('.'),
  'context-paths': paths,
  exclude: ignorePatterns,
  'review-scope': choice('auto', ...REVIEW_SCOPES),
  'github-token': token,
  deny: permissions,
  'fail-on-denied': boolean(false),
  'on-violation': choice('fail', 'fail', 'revert', 'warn'),
  'allowed-actors': actors,
  'fork-reviews': choice('labelled', ...FORK_REVIEWS),
  isolation: choice('auto', 'auto', 'required', 'off'),
  network: choice('auto', 'auto', 'required', 'off'),
  'allowed-hosts': allowedHosts,
  credential: choice('auto', 'auto', 'token', 'key'),
  'pass-env': environmentNames,
  'idle-timeout-minutes': minutes(10),
  retries: count(2),
  'max-starts': wholeNumber(MAX_STARTS),
  'runs-per-day': wholeNumber(MAX_RUNS_PER_DAY),
  'on-limit': choice('fail', 'fail', 'skip'),
  verify,
  'proposal-branch': branchName,
  'fail-on-severity': ifGiven(oneOf(...SEVERITIES)),
  summary: choice('full', 'full', 'compact', 'off'),
  'upload-report': boolean(true),
  'cli-version': optional,
  'cli-sha256': ifGiven(sha256),
  'cli-path': optional,
  'cli-download-url': ifGiven(downloadUrl),
  'extra-args': extraArgs,
  agent: choice('cursor', ...AGENT_NAMES),
  mode: ifGiven(oneOf('agent', 'ask', 'plan')),
  'project-rules': choice('auto', 'auto', 'head', 'base', 'none'),
  'mcp-config': optional,
});

type ParsedInputs = z.output<typeof InputSchema>;
export type InputName = keyof z.input<typeof InputSchema>;
export type RawInputs = Record<InputName, string>;
export const INPUT_NAMES = Object.keys(InputSchema.shape) as InputName[];

/** Inputs that the action had once, and what to do instead. */
export const REMOVED_INPUTS = {
  'cli-cache':
    'leave it out. The CLI is taken from the tool cache of the runner, or downloaded and verified.',
  force: 'leave it out. It goes by preset; with custom, name Write or Shell in allow.',
  'preset-prompt': 'leave it out. The instruction of the preset always precedes the task.',
  'reuse-result': 'leave it out. Every run starts an agent, unless there is nothing new to do.',
  'verify-required':
    'leave it out. A change that does not pass fails the run; verify: none verifies nothing.',
  'verify-retries': 'leave it out. The agent may repair a change once.',
} as const;

/** `CURSOR_API_KEY`, `secrets.CURSOR_API_KEY`, `$CURSOR_API_KEY`. No key looks like that. */
export const isSecretName = (key: string): boolean =>
  /^(?:secrets\.|\$)|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(key);

/** These values are never shown in an error message. */
const SECRET_INPUTS: readonly string[] = ['api-key', 'github-token', 'mcp-config'] satisfies InputName[];

type PromptSource =
  | { kind: 'inline'; text: string }
  | { kind: 'file'; path: string }
  | { kind: 'built-in'; preset: TaskPreset };
export interface Inputs extends Omit<CamelCased<ParsedInputs>, 'prompt' | 'promptFile' | 'apiKey'> {
  prompt: PromptSource;
  apiKey: string;
}

/** Reads every input once, as the runner passes it. */
export const readInputs = (): RawInputs => readRaw(INPUT_NAMES);

/** Turns raw strings into inputs, or returns all problems. Pure: `resolve-inputs.ts` looks at files. */
export function parseInputs(raw: RawInputs): Inputs | { problems: InputProblem[] } {
  const parsed = InputSchema.safeParse(raw);
  const problems = [
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => schemaProblem(issue, raw))),
    ...rawProblems(raw),
    ...(parsed.success ? [...policyProblems(parsed.data), ...combinedProblems(parsed.data)] : []),
  ];
  const prompt = parsed.data && promptSource(parsed.data);
  if (!parsed.success || !prompt || problems.length > 0) return { problems };
  const { prompt: _inline, promptFile: _file, ...rest } = camelCased(parsed.data);
  return { ...rest, prompt, apiKey: rest.apiKey ?? '' };
}

/** An issue of the schema as a message with the given value. */
export function schemaProblem(issue: z.core.$ZodIssue, raw: Readonly<Partial<RawInputs>>): InputProblem {
  return issueProblem(issue, raw, SECRET_INPUTS);
}

/** Undefined if there is no task: none is given, and the preset has none. */
function promptSource(given: ParsedInputs): PromptSource | undefined {
  if (given.prompt !== undefined) return { kind: 'inline', text: given.prompt };
  if (given['prompt-file'] !== undefined) return { kind: 'file', path: given['prompt-file'] };
  return given.preset === 'custom' ? undefined : { kind: 'built-in', preset: given.preset };
}

/** What is wrong with inputs together, although each may be right by itself. It is said even if others cannot be read. */
function rawProblems(raw: RawInputs): InputProblem[] {
  const problems: InputProblem[] = [];
  const add = (input: InputName, message: string) => problems.push({ input, message });
  if (raw.prompt && raw['prompt-file'])
    add('prompt', 'both prompt and prompt-file are given; keep one of them.');
  if (!raw.prompt && !raw['prompt-file'] && raw.preset === 'custom')
    add(
      'prompt',
      'preset custom has no task of its own; set prompt, or prompt-file to a file with the task.',
    );
  if (!raw['api-key'] && raw.agent !== 'clido')
    add(
      'api-key',
      'empty or not given; set it to a secret that exists, as in api-key: ${{ secrets.CURSOR_API_KEY }}.',
    );
  if (isSecretName(raw['api-key']))
    add(
      'api-key',
      'this is the name of a secret, not its value; write api-key: ${{ secrets.CURSOR_API_KEY }}, and store the key itself in that secret.',
    );
  if (raw.agent === 'clido' && raw.credential === 'token')
    add(
      'credential',
      'token is for cursor only; leave it out, and name the variable with the key of clido’s provider in pass-env.',
    );
  const version = wrongVersion(raw);
  if (version !== undefined) add('cli-version', version);
  const off = (['network', 'isolation'] as const).find((name) => raw[name] === 'off');
  if (raw.isolation === 'off' && raw.network === 'required')
    add('network', 'required needs isolation, which is off; remove isolation: off, or use network: auto.');
  else if (off !== undefined && raw['allowed-hosts'].trim() !== '')
    add(
      'allowed-hosts',
      `would have no effect, because ${off} is off and the agent can reach every host; remove one of them.`,
    );
  return problems;
}

/** Each agent has its own form of versions. */
export function wrongVersion(raw: { agent: string; 'cli-version': string }): string | undefined {
  const version = raw['cli-version'];
  const problem =
    version === '' ? undefined : versionProblem(raw.agent === 'clido' ? 'clido' : 'cursor', version);
  return problem && `${quote(version)} given; ${problem}.`;
}

function policyProblems({ agent, ...request }: PolicyRequest & { agent: string }): InputProblem[] {
  const others = request.allow.filter(({ kind }) => kind !== 'Mcp');
  const asked = { ...request, allow: others };
  const useless = findUselessAllows(asked).map((token) => ({
    input: 'allow',
    message: `${token.wanted} would have no effect, ${whyUseless(token)}`,
  }));
  return [...useless, ...(agent === 'clido' ? clidoProblems(asked) : [])];
}

function whyUseless(token: UselessAllow): string {
  switch (token.why) {
    case 'denied':
      return token.by === 'input'
        ? `because deny contains ${token.because} and deny wins; remove it there.`
        : `because the preset denies ${token.because} and deny wins; only allow: ${token.because} lifts that rule.`;
    case 'mode':
      return `because in mode ${token.because} the agent runs no commands and writes no files; set mode: agent.`;
    case 'review':
      return 'because the preset review allows no change; use preset docs, edit, fix-ci or custom.';
    default:
      return assertNever(token);
  }
}

/** clido has no hook that could tell one command from another, so its shell is allowed as a whole or not at all. */
function clidoProblems(request: PolicyRequest): InputProblem[] {
  const kinds = heldByHook(buildPolicy(request));
  return request.allow
    .filter(({ kind }) => kinds.includes(kind))
    .map((token) => ({
      input: 'allow',
      message:
        `${formatPermission(token)} cannot be enforced with clido, which has no rules for single files, commands or sites; ` +
        `write ${WHOLE[token.kind]}, or use agent: cursor.`,
    }));
}
const WHOLE = {
  Shell: 'Shell(*)',
  Read: 'Read(**)',
  Write: 'Write(**)',
  WebFetch: 'WebFetch(*)',
  Mcp: 'Mcp(*:*)',
} as const satisfies Record<PermissionKind, string>;

function combinedProblems(given: ParsedInputs): InputProblem[] {
  const { agent, preset, allow, context, exclude, verify: checks, 'mcp-config': mcp } = given;
  const problems: InputProblem[] = [];
  const add = (input: InputName, message: string) => problems.push({ input, message });
  if (agent === 'clido' && mcp !== undefined)
    add('mcp-config', 'is for cursor only; leave it out, or set agent: cursor.');
  const server = allow.find(({ kind }) => kind === 'Mcp');
  if (server && mcp === undefined)
    add(
      'allow',
      `${formatPermission(server)} would have no effect, because no MCP server runs without mcp-config; set mcp-config, or remove the token.`,
    );
  if (mcp !== undefined && preset === 'custom' && !server)
    add(
      'mcp-config',
      'would have no effect, because preset custom allows only what allow names; add Mcp(*:*) or Mcp(server:tool) to allow.',
    );
  if (context.kind === 'list' && !context.kinds.includes('diff')) {
    const message =
      'would have no effect, because context does not name diff; add it there, or leave this out.';
    if (given['context-paths'].length > 0) add('context-paths', message);
    if (exclude.length > 0) add('exclude', message);
  }
  const isReview = ['auto', 'findings'].includes(given['output-schema'].trim());
  if (given['fail-on-severity'] !== undefined && !isReview)
    add(
      'fail-on-severity',
      'would have no effect, because only a review has severities; remove output-schema, or leave this out.',
    );
  if (!mayWrite(buildPolicy(given))) {
    const message =
      'would have no effect, because with this preset and mode the agent changes nothing; leave it out.';
    if (checks.kind === 'commands') add('verify', message);
    if (given['proposal-branch'] !== undefined) add('proposal-branch', message);
  }
  return problems;
}

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;
type CamelCased<T> = { [K in keyof T as K extends string ? CamelCase<K> : K]: T[K] };

function camelCased<T extends object>(record: T): CamelCased<T> {
  const camel = (name: string) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [camel(name), value as unknown]),
  ) as CamelCased<T>;
}
