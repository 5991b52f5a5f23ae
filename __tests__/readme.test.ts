import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { FAILURES } from '../src/failure.js';

interface Described {
  description: string;
  default?: string;
}
const action = parse(readFileSync('action.yml', 'utf8')) as {
  inputs: Record<string, Described>;
  outputs: Record<string, Described>;
};

const row = (...cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const rows = (heads: string[], body: string[][]) =>
  [row(...heads), row(...heads.map(() => '---')), ...body.map((cells) => row(...cells))].join('\n');
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

const TABLES: Record<string, string> = {
  inputs: rows(
    ['input', 'default', 'meaning'],
    Object.entries(action.inputs).map(([name, input]) => [
      `\`${name}\``,
      input.default === undefined ? '' : `\`${input.default}\``,
      oneLine(input.description),
    ]),
  ),
  outputs: rows(
    ['output', 'meaning'],
    Object.entries(action.outputs).map(([name, output]) => [`\`${name}\``, oneLine(output.description)]),
  ),
  failures: rows(
    ['`failure-reason`', 'what happened', 'what to do'],
    Object.entries(FAILURES).map(([reason, { what, remedy }]) => [`\`${reason}\``, what, remedy]),
  ),
};

const readme = readFileSync('README.md', 'utf8');
const withTables = Object.entries(TABLES).reduce(
  (text, [name, table]) =>
    text.replace(
      new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`),
      (_, open: string, close: string) => [open, table, close].join('\n'),
    ),
  readme,
);
// `npm run docs` writes the tables; the test only compares.
if (process.env['UPDATE_DOCS']) writeFileSync('README.md', withTables);

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
    const steps = blocks.flatMap((block) =>
      Object.values((block as { jobs: Record<string, { steps: Record<string, unknown>[] }> }).jobs).flatMap(
        (job) => job.steps,
      ),
    );
    const ours = steps.filter((step) => /cursor-agent-action@/.test(String(step['uses'])));
    expect(ours.length).toBeGreaterThan(0);
    for (const step of ours) {
      for (const name of Object.keys(step['with'] as object))
        expect(Object.keys(action.inputs)).toContain(name);
    }
  });
});
