import * as z from 'zod/mini';
import { isSafeAddress } from '../core/address.js';
import { assertNever } from '../core/errors.js';
import { parseHostLine, type HostLine } from '../network/allowed-hosts.js';
import { versionProblem } from '../install/release.js';
import { formatPermission, parsePermission, type PermissionToken } from '../permissions/permission-token.js';
import { isForbiddenForAgent, isSetByAction } from '../agent/environment.js';
import {
  buildPolicy,
  findUselessAllows,
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
  choice,
  issueProblem,
  items,
  LINES,
  LINES_OR_COMMAS,
  list,
  oneOf,
  optional,
  patterns,
  quote,
  read,
  token,
  withDefault,
  type InputProblem,
} from '../core/input-shapes.js';
import { getInput } from '../core/runner.js';
import { SEVERITIES } from '../report/findings.js';
import { FORK_REVIEWS } from '../trust/fork-review.js';

export { invalidInput, type InputProblem } from '../core/input-shapes.js';

const optionalChoice = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.pipe(optional, z.optional(oneOf(...values)));

const YES: readonly string[] = ['true', 'True', 'TRUE'];
const FLAGS = ['true', 'True', 'TRUE', 'false', 'False', 'FALSE'] as const;
const flag = z.pipe(
  z.enum(FLAGS, { error: 'use true or false' }),
  z.transform((text: (typeof FLAGS)[number]) => YES.includes(text)),
);
const boolean = (fallback: boolean) => z.pipe(withDefault(String(fallback)), flag);
const optionalBoolean = z.pipe(optional, z.optional(flag));

const decimal = (message: string) =>
  z.pipe(z.string().check(z.regex(/^(\d+\.?\d*|\.\d+)$/, message)), z.transform(Number));
/** Five days, the longest that a job may run. Timers can hold more. */
const MOST_MINUTES = 7200;
const minutes = (fallback: number) => {
  const message = `use a number of minutes above 0 and at most ${MOST_MINUTES}; a fraction is fine`;
  return z.pipe(
    withDefault(String(fallback)),
    decimal(message).check(z.refine((value) => value > 0 && value <= MOST_MINUTES, message)),
  );
};
const MOST_RETRIES = 10;
const count = (fallback: number) => {
  const message = `use a whole number from 0 to ${MOST_RETRIES}`;
  return z.pipe(
    withDefault(String(fallback)),
    decimal(message).check(z.refine((value) => Number.isInteger(value) && value <= MOST_RETRIES, message)),
  );
};

const pattern = (shape: RegExp, message: string) =>
  z.pipe(optional, z.optional(z.string().check(z.regex(shape, message))));

const names = (check: (name: string) => string | undefined) =>
  list(LINES_OR_COMMAS).check(
    z.superRefine((all, context) => {
      for (const name of all) {
        const message = check(name);
        if (message) context.addIssue({ code: 'custom', message: `${quote(name)}: ${message}` });
      }
    }),
  );

const permissions = z.pipe(
  list(LINES),
  z.transform((tokens: string[], context): PermissionToken[] => {
    const parsed = tokens.map(parsePermission);
    for (const result of parsed) {
      if ('problem' in result)
        context.issues.push({ code: 'custom', message: result.problem, input: tokens });
    }
    return parsed.flatMap((result) => ('problem' in result ? [] : [result.permission]));
  }),
);

const environmentNames = names((name) => {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'is not the name of an environment variable';
  if (isForbiddenForAgent(name))
    return 'never reaches the agent, because it could carry a token or run code; leave it out';
  if (isSetByAction(name)) return 'is set by the action itself; leave it out';
  return undefined;
});

const actors = names((name) =>
  /^[A-Za-z0-9][A-Za-z0-9_-]*(\[bot\])?$/.test(name)
    ? undefined
    : 'is not a GitHub login; name each person or bot, wildcards are not accepted',
);

/** In the form that `plan` writes. */
const paths = z.pipe(
  list(LINES),
  z.transform((all: string[], check): string[] =>
    all.flatMap((line) => {
      const read = readPath(line);
      if ('path' in read) return [read.path];
      check.issues.push({ code: 'custom', message: `${quote(line)} ${read.problem}`, input: all });
      return [];
    }),
  ),
);

/** What to verify a change with. `auto` is the failed step of CI for the preset `fix-ci`, otherwise nothing. */
export type VerifyChoice = { kind: 'auto' } | { kind: 'none' } | { kind: 'commands'; commands: string[] };
const verify = read((text): VerifyChoice => {
  const commands = items(text, LINES).filter((line) => !line.startsWith('#'));
  if (commands.length === 0) return { kind: 'auto' };
  return commands.length === 1 && commands[0] === 'none' ? { kind: 'none' } : { kind: 'commands', commands };
});

const allowedHosts = z.pipe(
  list(LINES_OR_COMMAS),
  z.transform((lines: string[], check): HostLine[] =>
    lines.flatMap((line) => {
      const read = parseHostLine(line);
      if (!('problem' in read)) return [read];
      check.issues.push({ code: 'custom', message: `${quote(line)} ${read.problem}`, input: lines });
      return [];
    }),
  ),
);

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
    '-f': 'use the input force',
    '--force': 'use the input force',
    '--yolo': 'use the input force',
    '--resume': 'use the input resume',
    '--continue': 'use the input resume',
    '--approve-mcps': 'use the input mcp-config',
    '--workspace': 'use the input working-directory',
  }),
);
const extraArgs = list(LINES).check(
  z.superRefine((all, check) => {
    for (const argument of all) {
      const message = OWN_FLAGS.get(argument.split(/[=\s]/, 1)[0] ?? '');
      if (message) check.addIssue({ code: 'custom', message: `${quote(argument)}: ${message}` });
    }
  }),
);

const downloadUrl = z.pipe(
  optional,
  z.optional(
    z
      .string()
      .check(
        z.refine(
          (text) => isSafeAddress(text.replace(/[{}]/g, '')),
          'use an https:// address (http:// only on this machine), with {version}, {os}, {arch} and {ext} where they belong',
        ),
      ),
  ),
);

/** The schema of all inputs, by their names in action.yml. */
export const InputSchema = z.object({
  'api-key': token,
  prompt: optional,
  preset: choice('review', 'review', 'docs', 'fix-ci', 'custom'),
  model: z.pipe(
    withDefault('auto'),
    z.string().check(z.regex(/^[^\s-]\S*$/, 'use one model id, without spaces')),
  ),
  'output-schema': optional,
  allow: permissions,
  'timeout-minutes': minutes(30),
  context,
  'prompt-file': optional,
  'preset-prompt': boolean(true),
  resume: pattern(/^[A-Za-z0-9][A-Za-z0-9_.:-]*$/, 'use the chat id of an earlier run (output session-id)'),
  'working-directory': withDefault('.'),
  'reuse-result': boolean(false),
  'context-paths': paths,
  exclude: patterns,
  'review-scope': choice('auto', ...REVIEW_SCOPES),
  'github-token': token,
  deny: permissions,
  force: optionalBoolean,
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
  verify,
  'verify-retries': count(1),
  'verify-required': boolean(true),
  'fail-on-severity': optionalChoice(...SEVERITIES),
  summary: choice('full', 'full', 'compact', 'off'),
  'upload-report': boolean(true),
  'cli-version': optional,
  'cli-sha256': z.pipe(
    optional,
    z.optional(
      z.pipe(
        z.string().check(z.regex(/^[0-9a-fA-F]{64}$/, 'use the 64 hexadecimal digits of a sha256')),
        z.transform((hash: string) => hash.toLowerCase()),
      ),
    ),
  ),
  'cli-path': optional,
  'cli-download-url': downloadUrl,
  'cli-cache': boolean(true),
  'extra-args': extraArgs,
  agent: choice('cursor', 'cursor', 'clido'),
  mode: optionalChoice('agent', 'ask', 'plan'),
  'project-rules': choice('auto', 'auto', 'head', 'base', 'none'),
  'mcp-config': optional,
});

export type InputName = keyof z.input<typeof InputSchema>;
export type RawInputs = Record<InputName, string>;
export const INPUT_NAMES = Object.keys(InputSchema.shape) as InputName[];

/** These values are never shown in an error message. */
const SECRET_INPUTS: readonly string[] = ['api-key', 'github-token', 'mcp-config'] satisfies InputName[];

export type PromptSource =
  | { kind: 'inline'; text: string }
  | { kind: 'file'; path: string }
  | { kind: 'built-in'; preset: TaskPreset };
export interface Inputs extends Omit<
  CamelCased<z.output<typeof InputSchema>>,
  'prompt' | 'promptFile' | 'apiKey'
> {
  prompt: PromptSource;
  apiKey: string;
}

/** Reads every input once, as the runner passes it. */
export function readInputs(): RawInputs {
  return Object.fromEntries(INPUT_NAMES.map((name) => [name, getInput(name)])) as RawInputs;
}

/** Turns raw strings into inputs, or returns all problems. Pure: `resolve-inputs.ts` looks at files. */
export function parseInputs(raw: RawInputs): Inputs | { problems: InputProblem[] } {
  const parsed = InputSchema.safeParse(raw);
  const problems = [
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => schemaProblem(issue, raw))),
    ...promptProblems(raw),
    ...keyProblems(raw),
    ...credentialProblems(raw),
    ...versionProblems(raw),
    ...networkProblems(raw),
  ];
  if (parsed.success)
    problems.push(
      ...policyProblems(parsed.data),
      ...mcpProblems(parsed.data),
      ...pathProblems(parsed.data),
      ...severityProblems(parsed.data),
      ...verifyProblems(parsed.data),
      ...reuseProblems(parsed.data),
    );
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
function promptSource(given: z.output<typeof InputSchema>): PromptSource | undefined {
  if (given.prompt !== undefined) return { kind: 'inline', text: given.prompt };
  if (given['prompt-file'] !== undefined) return { kind: 'file', path: given['prompt-file'] };
  return given.preset === 'custom' ? undefined : { kind: 'built-in', preset: given.preset };
}

function promptProblems(raw: RawInputs): InputProblem[] {
  if (raw.prompt && raw['prompt-file']) {
    return [{ input: 'prompt', message: 'both prompt and prompt-file are given; keep one of them.' }];
  }
  if (raw.prompt || raw['prompt-file'] || raw.preset !== 'custom') return [];
  const message = 'preset custom has no task of its own; set prompt, or prompt-file to a file with the task.';
  return [{ input: 'prompt', message }];
}

function keyProblems(raw: RawInputs): InputProblem[] {
  if (raw['api-key'] || raw.agent === 'clido') return [];
  const message =
    'empty or not given; set it to a secret that exists, as in api-key: ${{ secrets.CURSOR_API_KEY }}.';
  return [{ input: 'api-key', message }];
}

function credentialProblems(raw: RawInputs): InputProblem[] {
  if (raw.agent !== 'clido' || raw.credential !== 'token') return [];
  const message =
    'token is for cursor only; leave it out, and name the variable with the key of clido’s provider in pass-env.';
  return [{ input: 'credential', message }];
}

function networkProblems(raw: RawInputs): InputProblem[] {
  if (raw.isolation === 'off' && raw.network === 'required') {
    const message = 'required needs isolation, which is off; remove isolation: off, or use network: auto.';
    return [{ input: 'network', message }];
  }
  const off = (['network', 'isolation'] as const).find((name) => raw[name] === 'off');
  if (off === undefined || raw['allowed-hosts'].trim() === '') return [];
  const message = `would have no effect, because ${off} is off and the agent can reach every host; remove one of them.`;
  return [{ input: 'allowed-hosts', message }];
}

/** Each agent has its own form of versions. */
export function versionProblems(raw: Pick<RawInputs, 'agent' | 'cli-version'>): InputProblem[] {
  const version = raw['cli-version'];
  const problem =
    version === '' ? undefined : versionProblem(raw.agent === 'clido' ? 'clido' : 'cursor', version);
  return problem === undefined
    ? []
    : [{ input: 'cli-version', message: `${quote(version)} given; ${problem}.` }];
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
      return 'because the preset review allows no change; use preset docs, fix-ci or custom.';
    default:
      return assertNever(token);
  }
}

/** clido has no hook that could tell one command from another, so its shell is allowed as a whole or not at all. */
function clidoProblems(request: PolicyRequest): InputProblem[] {
  const { force, onlyAllowed } = buildPolicy(request);
  const kinds: readonly string[] = force ? onlyAllowed : [];
  return request.allow
    .filter(({ kind }) => kinds.includes(kind))
    .map((token) => ({
      input: 'allow',
      message:
        `${formatPermission(token)} cannot be enforced with clido, which has no rules for single commands or sites; ` +
        'use preset custom, or agent: cursor.',
    }));
}

function mcpProblems({ agent, allow, 'mcp-config': config }: z.output<typeof InputSchema>): InputProblem[] {
  if (agent === 'clido' && config !== undefined) {
    return [{ input: 'mcp-config', message: 'is for cursor only; leave it out, or set agent: cursor.' }];
  }
  const wanted = allow.find(({ kind }) => kind === 'Mcp');
  if (!wanted || config !== undefined) return [];
  const message = `${formatPermission(wanted)} would have no effect, because no MCP server runs without mcp-config; set mcp-config, or remove the token.`;
  return [{ input: 'allow', message }];
}

function pathProblems({ context, ...given }: z.output<typeof InputSchema>): InputProblem[] {
  if (context.kind === 'auto' || context.kinds.includes('diff')) return [];
  const message =
    'would have no effect, because context does not name diff; add it there, or leave this out.';
  const useless = (['context-paths', 'exclude'] as const).filter((name) => given[name].length > 0);
  return useless.map((input) => ({ input, message }));
}

function severityProblems(given: z.output<typeof InputSchema>): InputProblem[] {
  if (given['fail-on-severity'] === undefined || given['output-schema']?.trim() === 'findings') return [];
  const message =
    'would have no effect, because only a review has severities; set output-schema: findings, or leave this out.';
  return [{ input: 'fail-on-severity', message }];
}

function verifyProblems({ verify: { kind }, ...request }: z.output<typeof InputSchema>): InputProblem[] {
  if (kind !== 'commands' || mayWrite(buildPolicy(request))) return [];
  const message =
    'would have no effect, because with this preset and mode the agent changes nothing; leave it out.';
  return [{ input: 'verify', message }];
}

function reuseProblems({ resume, 'reuse-result': reuses }: z.output<typeof InputSchema>): InputProblem[] {
  if (!reuses || resume === undefined) return [];
  const message =
    'cannot be true together with resume, because the action does not know what is in the earlier chat; remove one of them.';
  return [{ input: 'reuse-result', message }];
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
