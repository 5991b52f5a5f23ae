import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { makeRunAction } from '../scripts/derived.mjs';
import { SEVERITIES } from '../src/report/findings.js';

interface Described {
  description: string;
  default?: string;
}
interface ActionFile {
  inputs: Record<string, Described>;
  outputs: Record<string, Described>;
}
const RUN = 'run/action.yml';
const PATHS = ['action.yml', ...readdirSync('.').map((folder) => `${folder}/action.yml`)]
  .filter(existsSync)
  .filter((path) => path !== RUN);
const FILES = PATHS.map((path) => ({ path, ...(parse(readFileSync(path, 'utf8')) as ActionFile) }));

/** Every input and output of every action. */
const ALL = FILES.flatMap(({ path, inputs, outputs }) =>
  Object.entries({ input: inputs, output: outputs }).flatMap(([kind, described]) =>
    Object.entries(described).map(([name, { description, default: standard }]) => ({
      ...{ path, kind, name, description, standard },
      meaning: description.replace(/^Advanced \([^)]*\): /, ''),
    })),
  ),
);
const titleOf = ({ path, kind, name }: (typeof ALL)[number]) => `${path}: ${kind} ${name}`;

describe('action.yml', () => {
  const inputs = ALL.filter(({ path, kind }) => path === 'action.yml' && kind === 'input');
  const groupOf = ({ description }: { description: string }) =>
    /^Advanced \(([^)]*)\): (?=\S)/.exec(description)?.[1];
  const EVERYDAY = [
    ...[
      'api-key',
      'prompt',
      'instructions',
      'preset',
      'model',
      'output-schema',
      'allow',
      'timeout-minutes',
      'context',
    ],
  ];
  const GROUPS = [
    'task',
    'context',
    'permissions',
    'isolation',
    'limits',
    'verification',
    'answer',
    'reports',
    'CLI',
    'agent',
  ];

  it('begins with the inputs for every day', () => {
    expect(inputs.slice(0, EVERYDAY.length).map(({ name }) => name)).toEqual(EVERYDAY);
    expect(inputs.filter((input) => groupOf(input) === undefined).map(({ name }) => name)).toEqual(EVERYDAY);
  });

  it('has the other inputs by group, each group in one place', () => {
    const groups = inputs.slice(EVERYDAY.length).map(groupOf);
    const places = groups.filter((group, index) => group !== groups[index - 1]);
    expect(places).toEqual(GROUPS);
  });
});

describe(RUN, () => {
  const read = (path: string) => readFileSync(path, 'utf8');

  it('is action.yml for a folder (npm run docs)', () => {
    expect(read(RUN)).toBe(makeRunAction(read('action.yml')));
  });

  it('starts the same program', () => {
    const { runs: root, ...described } = parse(read('action.yml')) as { runs: Record<string, string> };
    const { runs, ...same } = parse(read(RUN)) as { runs: Record<string, string> };
    expect(same).toEqual(described);
    const programs = Object.entries(runs).filter(([name]) => name !== 'using');
    expect(programs.length).toBeGreaterThan(0);
    expect(Object.fromEntries(programs.map(([name, path]) => [name, join('run', path)]))).toEqual(
      Object.fromEntries(Object.entries(root).filter(([name]) => name !== 'using')),
    );
  });
});

describe('the descriptions of all actions', () => {
  it.each([
    'action.yml',
    'setup/action.yml',
    'publish/action.yml',
    'propose/action.yml',
    'plan/action.yml',
    'doctor/action.yml',
  ])('include %s', (path) => {
    expect(PATHS).toContain(path);
  });

  it.each(ALL.map((one) => [titleOf(one), one] as const))('are short and whole: %s', (_title, one) => {
    expect(one.description.length).toBeLessThanOrEqual(300);
    expect(one.description).not.toMatch(/\n/);
    expect(one.meaning).toMatch(/^[A-Z`].*\.$/);
  });

  it('say of every switch that it is one', () => {
    const switches = ALL.filter(
      ({ kind, standard }) => kind === 'input' && /^(true|false)$/.test(standard ?? ''),
    );
    expect(switches.length).toBeGreaterThan(3);
    for (const { meaning } of switches) expect(meaning).toMatch(/^`true` or `false`: whether /);
  });

  it('list the severities in the same words', () => {
    const words = SEVERITIES.map((severity) => `\`${severity}\``);
    const list = `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
    const severities = ALL.filter(({ kind, name }) => kind === 'input' && name.endsWith('-severity'));
    expect(severities).toHaveLength(3);
    for (const { meaning } of severities) expect(meaning).toContain(`at least this severity: ${list}.`);
  });

  it('begin a pattern list in the same words', () => {
    const lists = ALL.filter(({ name }) => ['exclude', 'paths', 'deny-paths'].includes(name));
    expect(lists).toHaveLength(4);
    for (const { meaning } of lists) expect(meaning).toContain('one pattern per line, as in `.gitignore`');
  });
});

describe('what several actions have', () => {
  /** The same thing, of which each action says more. The first sentence is the same. */
  const SAME_START: Record<string, string> = {
    'input api-key': 'the doctor does not run clido',
    'input credential': 'the doctor answers questions about it',
    'input isolation': 'the doctor answers questions about it',
    'input network': 'the doctor answers questions about it',
    'input model': 'the doctor takes one',
    'input timeout-minutes': 'the doctor starts the agent three times',
    'input github-token': 'each action needs other permissions',
    'input report-file': 'publish takes several',
    'input patch-file': 'propose applies it, publish makes a suggestion of it',
    'input exclude': 'one leaves files out of the diff, the other out of the shards',
    'input fail-on-severity': 'publish also fails if a report is missing',
    'output cli-version': 'only the main action has cli-path',
  };
  /** The name has another meaning. */
  const DIFFERENT: Record<string, string> = {
    'input base': 'a commit for plan, a branch for propose',
    'output skipped': 'no agent was started here; for plan it is a number of files',
    'output status': 'the doctor answers pass, fail or unknown',
    'output report-file': 'the doctor has a report of its own',
  };
  const distinct = (texts: readonly string[]) => [...new Set(texts)];
  const keyOf = ({ kind, name }: (typeof ALL)[number]) => `${kind} ${name}`;
  const shared = distinct(ALL.map(keyOf))
    .map((key) => [key, ALL.filter((one) => keyOf(one) === key)] as const)
    .filter(([, all]) => all.length > 1);
  const firstSentence = (text: string) => text.replace(/\. .*$/, '.');

  it.each(shared)('has one description: %s', (key, all) => {
    const meanings = distinct(all.map(({ meaning }) => meaning));
    // An exception that is no longer needed has to go.
    if (key in DIFFERENT || key in SAME_START) expect(meanings.length).toBeGreaterThan(1);
    else expect(meanings).toHaveLength(1);
    if (key in SAME_START) expect(distinct(meanings.map(firstSentence))).toHaveLength(1);
  });

  it('has exceptions only for names that are shared', () => {
    const keys = shared.map(([key]) => key);
    for (const key of Object.keys({ ...SAME_START, ...DIFFERENT })) expect(keys).toContain(key);
  });
});
