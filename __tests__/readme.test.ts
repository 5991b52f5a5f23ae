import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { FAILURES } from '../src/core/failure.js';

interface Described {
  description: string;
  default?: string;
}
interface ActionFile {
  inputs: Record<string, Described>;
  outputs: Record<string, Described>;
}
const actionFile = (path: string) => parse(readFileSync(path, 'utf8')) as ActionFile;
const action = actionFile('action.yml');
const publish = actionFile('publish/action.yml');
const plan = actionFile('plan/action.yml');
const propose = actionFile('propose/action.yml');

const row = (...cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const rows = (heads: string[], body: string[][]) =>
  [row(...heads), row(...heads.map(() => '---')), ...body.map((cells) => row(...cells))].join('\n');
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

const inputTable = ({ inputs }: ActionFile) =>
  rows(
    ['input', 'default', 'meaning'],
    Object.entries(inputs).map(([name, input]) => [
      `\`${name}\``,
      input.default === undefined ? '' : `\`${input.default}\``,
      oneLine(input.description),
    ]),
  );
const outputTable = ({ outputs }: ActionFile) =>
  rows(
    ['output', 'meaning'],
    Object.entries(outputs).map(([name, output]) => [`\`${name}\``, oneLine(output.description)]),
  );

const TABLES: Record<string, string> = {
  inputs: inputTable(action),
  outputs: outputTable(action),
  'publish-inputs': inputTable(publish),
  'publish-outputs': outputTable(publish),
  'plan-inputs': inputTable(plan),
  'plan-outputs': outputTable(plan),
  failures: rows(
    ['`failure-reason`', 'what happened', 'what to do'],
    Object.entries(FAILURES).map(([reason, { what, remedy }]) => [`\`${reason}\``, what, remedy]),
  ),
};

/** The tables of pages other than the README. */
const PROPOSE_TABLES: Record<string, string> = {
  'propose-inputs': inputTable(propose),
  'propose-outputs': outputTable(propose),
};

const withTables = (page: string, tables: Record<string, string>) =>
  Object.entries(tables).reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`),
        (_, open: string, close: string) => [open, table, close].join('\n'),
      ),
    page,
  );
const readme = readFileSync('README.md', 'utf8');
const proposePage = readFileSync('docs/propose.md', 'utf8');
// `npm run docs` writes the tables; the test only compares.
if (process.env['UPDATE_DOCS']) {
  writeFileSync('README.md', withTables(readme, TABLES));
  writeFileSync('docs/propose.md', withTables(proposePage, PROPOSE_TABLES));
}

describe('README', () => {
  it.each(Object.keys(TABLES))(
    'has the table of %s as the sources have it (npm run docs writes it)',
    (name) => {
      expect(readme).toContain(`<!-- ${name} -->\n`);
      expect(readme).toContain(TABLES[name]);
    },
  );

  it('shows workflows that parse, with inputs that exist', () => {
    const blocks = [...readme.matchAll(/```yaml\n([\s\S]*?)```/g)].map(
      ([, block = '']) => parse(block) as unknown,
    );
    expect(blocks.length).toBeGreaterThan(0);
    // Jobs that call a workflow have no steps; the tests of the recipes run them.
    const steps = blocks.flatMap((block) =>
      Object.values((block as { jobs: Record<string, { steps?: Record<string, unknown>[] }> }).jobs).flatMap(
        (job) => job.steps ?? [],
      ),
    );
    const used = (part: string, inputs: object) => {
      const ours = steps.filter((step) => String(step['uses']).includes(`cursor-agent-action${part}@`));
      expect(ours.length).toBeGreaterThan(0);
      for (const name of ours.flatMap((step) => Object.keys(step['with'] as object)))
        expect(Object.keys(inputs)).toContain(name);
    };
    used('', action.inputs);
    used('/publish', publish.inputs);
  });

  it('uses outputs that exist, and checks out without leaving a credential', () => {
    const names = [...readme.matchAll(/steps\.agent\.outputs\.([\w-]+)/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(Object.keys(action.outputs)).toContain(name);
    const count = (text: string) => readme.split(text).length - 1;
    expect(count('- uses: actions/checkout@')).toBe(count('          persist-credentials: false'));
  });

  it('says which inputs setup has', () => {
    const cli = Object.keys(action.inputs).filter((name) => /^cli-(?!path$)/.test(name));
    expect(Object.keys(actionFile('setup/action.yml').inputs).sort()).toEqual(['agent', ...cli].sort());
  });
});

describe('docs/propose.md', () => {
  it.each(Object.entries(PROPOSE_TABLES))('has the table of %s as the sources have it', (name, table) => {
    expect(proposePage).toContain(`<!-- ${name} -->\n`);
    expect(proposePage).toContain(table);
  });

  it('shows a workflow that parses, with inputs that exist', () => {
    const [, block = ''] = /```yaml\n([\s\S]*?)```/.exec(proposePage) ?? [];
    const { jobs } = parse(block) as { jobs: Record<string, { steps: Record<string, unknown>[] }> };
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const ours = steps.filter(({ uses }) => String(uses).includes('cursor-agent-action/propose@'));
    expect(ours).toHaveLength(1);
    for (const name of Object.keys(ours[0]?.['with'] as object))
      expect(Object.keys(propose.inputs)).toContain(name);
  });
});
