import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { RecipeEvent } from './events.js';
import { loadGitHub, type GitHubLibrary } from './github-library.js';

/** A value of a workflow file: data with expressions that are not evaluated yet. */
export type Template =
  string | number | boolean | null | Expression | Template[] | { [key: string]: Template };
export class Expression {
  constructor(readonly text: string) {}
}

export interface WorkflowStep {
  id: string;
  name: string;
  /** With the status function that GitHub adds if there is none. */
  condition: string;
  env: Template;
  does:
    | { kind: 'run'; script: Template; shell: string | undefined }
    | { kind: 'uses'; uses: string; with: Template };
}

export interface WorkflowJob {
  id: string;
  needs: string[];
  condition: string;
  permissions: Record<string, string>;
  env: Template;
  outputs: Template;
  strategy: Template;
  concurrency: Template;
  timeoutMinutes: Template;
  /** None if the job calls another workflow. */
  steps: WorkflowStep[];
  call: WorkflowCall | undefined;
}

/** A job that runs another workflow: its `uses`, `with` and `secrets`. */
export interface WorkflowCall {
  uses: string;
  with: Template;
  /** By name: `inherit` would hand over every secret. */
  secrets: Template;
}

/** What a workflow takes when another one calls it. */
export interface Callable {
  inputs: Readonly<Record<string, { type: string; required: boolean; default: Template }>>;
  secrets: Readonly<Record<string, { required: boolean }>>;
}

export interface Workflow {
  file: string;
  name: string;
  events: Record<string, unknown>;
  /** Undefined for a workflow that cannot be called. */
  callable: Callable | undefined;
  concurrency: Template;
  jobs: WorkflowJob[];
}

let library: GitHubLibrary | undefined;
export const github = (): GitHubLibrary => (library ??= loadGitHub());

export const readWorkflow = (file: string): Promise<Workflow> =>
  parseWorkflow(file, readFileSync(file, 'utf8'));

/** Reads a workflow with GitHub's own parser. Fails if GitHub would reject the file. */
export async function parseWorkflow(file: string, source: string): Promise<Workflow> {
  const { parseWorkflow: parse, convertWorkflowTemplate, NoOperationTraceWriter } = github();
  const parsed = parse({ name: file, content: source }, new NoOperationTraceWriter());
  const errors = parsed.context.errors.getErrors();
  if (errors.length > 0 || !parsed.value) throw new Error(`${file}: ${errors.map(String).join('\n')}`);
  const converted = await convertWorkflowTemplate(parsed.context, parsed.value);
  if (converted.errors) throw new Error(`${file}: ${JSON.stringify(converted.errors)}`);
  const whole = record(templateOf(parsed.value));
  const jobs = record(whole['jobs'] ?? {});
  const defaultShell = shellOf(whole['defaults']);
  return {
    file: basename(file),
    name: typeof whole['name'] === 'string' ? whole['name'] : basename(file),
    events: converted.events,
    callable: callableOf(whole['on'] ?? null),
    concurrency: whole['concurrency'] ?? null,
    jobs: converted.jobs.map((job) => {
      const given = record(jobs[job.id.value] ?? {});
      const steps = list(given['steps'] ?? []).map(record);
      return {
        id: job.id.value,
        needs: (job.needs ?? []).map(({ value }) => value),
        condition: job.if.expression,
        permissions: permissionsOf(given['permissions'] ?? whole['permissions']),
        env: given['env'] ?? {},
        outputs: given['outputs'] ?? {},
        strategy: given['strategy'] ?? null,
        concurrency: given['concurrency'] ?? null,
        timeoutMinutes: given['timeout-minutes'] ?? null,
        call: callOf(given),
        steps: (job.type === 'job' ? job.steps : []).map((step, index) =>
          stepOf({
            id: step.id,
            condition: step.if?.expression ?? 'success()',
            given: steps[index] ?? {},
            shell: shellOf(given['defaults']) ?? defaultShell,
          }),
        ),
      };
    }),
  };
}

function stepOf({
  id,
  condition,
  given,
  shell,
}: {
  id: string;
  condition: string;
  given: Record<string, Template>;
  shell: string | undefined;
}): WorkflowStep {
  const uses = given['uses'];
  const ownShell = given['shell'];
  const named = given['name'];
  return {
    id,
    name: typeof named === 'string' ? named : typeof uses === 'string' ? uses : id,
    condition,
    env: given['env'] ?? {},
    does:
      typeof uses === 'string'
        ? { kind: 'uses', uses, with: given['with'] ?? {} }
        : {
            kind: 'run',
            script: given['run'] ?? '',
            shell: typeof ownShell === 'string' ? ownShell : shell,
          },
  };
}

function callOf(given: Record<string, Template>): WorkflowCall | undefined {
  const uses = given['uses'];
  if (uses === undefined) return undefined;
  return { uses: textOf(uses), with: given['with'] ?? {}, secrets: record(given['secrets'] ?? {}) };
}

function callableOf(on: Template): Callable | undefined {
  const isRecord = typeof on === 'object' && on !== null && !Array.isArray(on);
  if (!isRecord || on instanceof Expression || !Object.hasOwn(on, 'workflow_call')) return undefined;
  const call = record(on['workflow_call'] ?? {});
  const each = <T>(name: string, read: (given: Record<string, Template>) => T): Record<string, T> =>
    Object.fromEntries(
      Object.entries(record(call[name] ?? {})).map(([key, given]) => [key, read(record(given ?? {}))]),
    );
  return {
    inputs: each('inputs', (given) => ({
      type: textOf(given['type'] ?? null),
      required: given['required'] === true,
      default: given['default'] ?? null,
    })),
    secrets: each('secrets', (given) => ({ required: given['required'] === true })),
  };
}

function shellOf(defaults: Template | undefined): string | undefined {
  const shell = record(record(defaults ?? {})['run'] ?? {})['shell'];
  return typeof shell === 'string' ? shell : undefined;
}

/** A recipe names every permission that it has. */
function permissionsOf(given: Template | undefined): Record<string, string> {
  if (given === undefined)
    throw new Error('permissions are not said, so they would be the repository’s default');
  return Object.fromEntries(Object.entries(record(given)).map(([name, level]) => [name, textOf(level)]));
}

export function record(value: Template): Record<string, Template> {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isRecord || value instanceof Expression) throw new Error(`not a mapping: ${JSON.stringify(value)}`);
  return value;
}
/** A value that must be plain text without expressions. */
export function textOf(value: Template): string {
  if (typeof value !== 'string') throw new Error(`not a text: ${JSON.stringify(value)}`);
  return value;
}
const list = (value: Template): Template[] => {
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`);
  return value;
};

type Token = NonNullable<ReturnType<GitHubLibrary['parseWorkflow']>['value']>;

/** The parser's tokens as plain data. The parser has already turned text with `${{ }}` into expressions. */
function templateOf(token: Token): Template {
  const { isMapping, isSequence, isBasicExpression, isLiteral, isBoolean, isNumber, isString } = github();
  if (isMapping(token)) {
    return Object.fromEntries([...token].map(({ key, value }) => [key.toString(), templateOf(value)]));
  }
  if (isSequence(token)) return [...token].map((item) => templateOf(item));
  if (isBasicExpression(token)) return new Expression(token.expression);
  if (isLiteral(token)) {
    if (isBoolean(token) || isNumber(token) || isString(token)) return token.value;
    return null;
  }
  throw new Error(`nothing the tests know: ${token.typeName()}`);
}

interface Filters {
  types?: string[];
  branches?: string[];
  'branches-ignore'?: string[];
  'paths-ignore'?: string[];
  workflows?: string[];
}

/** GitHub's default types for a workflow that names none. */
const DEFAULT_TYPES: Readonly<Record<string, readonly string[]>> = {
  pull_request: ['opened', 'synchronize', 'reopened'],
};

/** Whether an event triggers a workflow, by the filters of its `on`. */
export function isTriggered({ events }: Workflow, event: RecipeEvent): boolean {
  if (!Object.hasOwn(events, event.name)) return false;
  const filters = (events[event.name] ?? {}) as Filters;
  const types = filters.types ?? DEFAULT_TYPES[event.name];
  const { action } = event.payload;
  if (types && typeof action === 'string' && !types.includes(action)) return false;
  const run = event.payload['workflow_run'] as { name: string } | undefined;
  if (filters.workflows && !filters.workflows.includes(run?.name ?? '')) return false;
  if (filters.branches && !passes(filters.branches, event.branch)) return false;
  if (filters['branches-ignore'] && passes(filters['branches-ignore'], event.branch)) return false;
  const ignored = filters['paths-ignore'];
  return !ignored || event.paths.some((path) => !passes(ignored, path));
}

const passes = (patterns: readonly string[], text: string): boolean =>
  patterns.some((pattern) => filterTest(pattern).test(text));

/** GitHub's filter patterns: `*` does not match slashes, `**` does. */
function filterTest(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*\*|\*|[\\^$.|()[\]{}]/g, (token) => {
    if (token === '**/') return '(?:.*/)?';
    if (token === '**') return '.*';
    return token === '*' ? '[^/]*' : `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}
