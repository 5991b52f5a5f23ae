import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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

const row = (...cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const rows = (heads: string[], body: string[][]) =>
  [row(...heads), row(...heads.map(() => '---')), ...body.map((cells) => row(...cells))].join('\n');
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** `Advanced (limits): …` in a description names the group of an input. The others are for every day. */
const groupOf = ({ description }: Described) =>
  /^Advanced \(([^)]+)\): /.exec(description)?.[1] ?? 'everyday';
const meaningOf = ({ description }: Described) => oneLine(description.replace(/^Advanced \([^)]+\): /, ''));

const inputTable = (inputs: [string, Described][]) =>
  rows(
    ['input', 'default', 'meaning'],
    inputs.map(([name, input]) => [
      `\`${name}\``,
      input.default === undefined ? '' : `\`${input.default}\``,
      meaningOf(input),
    ]),
  );
const outputTable = ({ outputs }: ActionFile) =>
  rows(
    ['output', 'meaning'],
    Object.entries(outputs).map(([name, output]) => [`\`${name}\``, oneLine(output.description)]),
  );

const inputs = Object.entries(action.inputs);
const groups = [...new Set(inputs.map(([, input]) => groupOf(input)))];
const ofGroup = (group: string) => inputTable(inputs.filter(([, input]) => groupOf(input) === group));
const title = (group: string) => `${group[0]?.toUpperCase() ?? ''}${group.slice(1)}`;

/** The tables that are made from the sources, by the page that shows them. */
const TABLES: Record<string, Record<string, string>> = {
  'docs/reference.md': {
    inputs: groups.map((group) => `### ${title(group)}\n\n${ofGroup(group)}`).join('\n\n'),
    outputs: outputTable(action),
  },
  ...Object.fromEntries(
    ['publish', 'propose', 'plan', 'doctor']
      .filter((name) => existsSync(`${name}/action.yml`))
      .map((name) => {
        const companion = actionFile(`${name}/action.yml`);
        const outputs = { [`${name}-outputs`]: outputTable(companion) };
        // The inputs of the doctor mean what they mean for the action, so its page only names them.
        const tables =
          name === 'doctor'
            ? outputs
            : { [`${name}-inputs`]: inputTable(Object.entries(companion.inputs)), ...outputs };
        return [`docs/${name}.md`, tables];
      }),
  ),
};

const read = (page: string) => readFileSync(page, 'utf8');
/** The first paragraph below the heading of each reason says what happened and what to do. */
const REASONS = Object.entries(FAILURES).map(([reason, { what, remedy }]) => ({
  reason,
  paragraph: `${what} ${remedy}`,
}));
const withReasons = (text: string) =>
  REASONS.reduce(
    (page, { reason, paragraph }) =>
      page.replace(
        new RegExp(`^(### \`${reason}\`\n\n).+$`, 'm'),
        (_, heading: string) => `${heading}${paragraph}`,
      ),
    text,
  );
const withTables = (page: string) =>
  Object.entries(TABLES[page] ?? {}).reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`),
        (_, open: string, close: string) => [open, table, '', close].join('\n'),
      ),
    read(page),
  );
// `npm run docs` writes the tables; the test only compares.
if (process.env['UPDATE_DOCS']) {
  for (const page of Object.keys(TABLES)) writeFileSync(page, withTables(page));
  writeFileSync('docs/troubleshooting.md', withReasons(read('docs/troubleshooting.md')));
}

describe.each(Object.keys(TABLES))('%s', (page) => {
  it.each(Object.keys(TABLES[page] ?? {}))(
    'has the table of %s as the sources have it (npm run docs)',
    (name) => {
      expect(read(page)).toContain(`<!-- ${name} -->\n`);
      expect(read(page)).toContain(TABLES[page]?.[name]);
    },
  );
});

describe('docs/troubleshooting.md', () => {
  it('has a heading for each reason, which the summary of a failed run links to', () => {
    const headings = [...read('docs/troubleshooting.md').matchAll(/^### `([a-z-]+)`$/gm)];
    expect(headings.map(([, reason]) => reason)).toEqual(Object.keys(FAILURES));
  });

  it.each(REASONS)('says of $reason what the sources say (npm run docs)', ({ reason, paragraph }) => {
    expect(read('docs/troubleshooting.md')).toContain(`### \`${reason}\`\n\n${paragraph}\n`);
  });
});

interface Job {
  uses?: string;
  with?: object;
  secrets?: object;
  permissions?: object;
  steps?: { uses?: string; with?: object }[];
}
const PAGES = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const jobsOf = (page: string) =>
  [...read(page).matchAll(/^( *)```yaml\n([\s\S]*?)^ *```/gm)].flatMap(([, indent = '', block = '']) => {
    const yaml = parse(block.replace(new RegExp(`^${indent}`, 'gm'), '')) as { jobs?: Record<string, Job> };
    return Object.values(yaml.jobs ?? {});
  });
const JOBS = PAGES.flatMap(jobsOf);
const OWN = /^[^/]+\/cursor-agent-action(?:\/(\w+))?@v1$/;
const OWN_WORKFLOW = /^[^/]+\/cursor-agent-action\/(\.github\/workflows\/\w[\w-]*\.yml)@v1$/;

describe('the workflows in the documents', () => {
  it('use actions and inputs that exist', () => {
    const steps = JOBS.flatMap(({ steps = [] }) => steps).filter(({ uses = '' }) => OWN.test(uses));
    expect(steps.length).toBeGreaterThan(3);
    for (const step of steps) {
      const [, companion] = OWN.exec(step.uses ?? '') ?? [];
      const known = Object.keys(actionFile(companion ? `${companion}/action.yml` : 'action.yml').inputs);
      for (const name of Object.keys(step.with ?? {})) expect(known).toContain(name);
    }
  });

  it('call workflows of this repository with inputs and secrets that they have', () => {
    const calls = JOBS.filter(({ uses = '' }) => uses.includes('/.github/workflows/'));
    expect(calls.length).toBeGreaterThan(0);
    for (const { uses = '', with: given = {}, secrets = {} } of calls) {
      const [, file = ''] = OWN_WORKFLOW.exec(uses) ?? [];
      const { workflow_call: called } = (
        parse(read(file)) as { on: { workflow_call: Record<string, object> } }
      ).on;
      for (const name of Object.keys(given)) expect(Object.keys(called['inputs'] ?? {})).toContain(name);
      for (const name of Object.keys(secrets)) expect(Object.keys(called['secrets'] ?? {})).toContain(name);
    }
  });

  it('use outputs that exist, and check out without leaving a credential', () => {
    const text = PAGES.map(read).join('\n');
    const names = [...text.matchAll(/steps\.agent\.outputs\.([\w-]+)/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(Object.keys(action.outputs)).toContain(name);
    const checkouts = JOBS.flatMap(({ steps = [] }) => steps).filter(({ uses }) =>
      uses?.startsWith('actions/checkout@'),
    );
    for (const step of checkouts) expect(step.with).toMatchObject({ 'persist-credentials': false });
  });
});

describe('README', () => {
  it('is short enough to be read', () => {
    expect(statSync('README.md').size).toBeLessThan(9_000);
  });
});

describe('setup', () => {
  it('has the inputs that the reference says', () => {
    const cli = Object.keys(action.inputs).filter((name) => /^cli-(?!path$)/.test(name));
    expect(Object.keys(actionFile('setup/action.yml').inputs).sort()).toEqual(['agent', ...cli].sort());
  });
});
