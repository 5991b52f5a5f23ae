import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { FINDINGS_EXAMPLE, findingsJsonSchema } from '../../src/review/expect-answer.js';
import { PLACE_RULES, PLACES } from '../../src/report/findings.js';
import { FindingsSchema } from '../../src/report/model.js';

interface Described {
  description?: string;
  type?: string;
  enum?: string[];
  properties?: Record<string, Described>;
  required?: string[];
  items?: Described;
}
const schema = findingsJsonSchema() as Described;

const typeOf = (field: Described) =>
  field.enum ? field.enum.map((value) => `\`${value}\``).join(', ') : (field.type ?? '');
function tableOf({ properties = {}, required = [] }: Described): string {
  const rows = Object.entries(properties).map(
    ([name, field]) =>
      `| \`${name}\` | ${typeOf(field)} | ${required.includes(name) ? 'yes' : 'no'} | ${field.description ?? ''} |`,
  );
  return ['| field | type | required | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** What is made from the sources, by the markers around it in docs/findings.md. */
const TABLES: Record<string, string> = {
  'review-fields': tableOf(schema),
  'finding-fields': tableOf(schema.properties?.['findings']?.items ?? {}),
};
const page = readFileSync('docs/findings.md', 'utf8');
const PAGE = Object.entries(TABLES).reduce(
  (text, [name, table]) =>
    text.replace(
      new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`),
      (_, open: string, close: string) => [open, table, '', close].join('\n'),
    ),
  page,
);

const FILES: Record<string, string> = {
  'docs/findings.schema.json': `${JSON.stringify(schema, undefined, 2)}\n`,
  'docs/findings.md': PAGE,
};
// `npm run docs` writes them; the test only compares.
if (process.env['UPDATE_DOCS']) {
  for (const [path, text] of Object.entries(FILES)) writeFileSync(path, text);
}

const SHOWN = { comment: 'comment', body: 'body', aside: 'set aside' };

describe('the form of a review', () => {
  it.each(Object.keys(TABLES))('has a place for %s on the page', (name) => {
    expect(page).toContain(`<!-- ${name} -->\n`);
  });

  it('says of each place what the rule says', () => {
    const rows = [...PAGE.matchAll(/^\| `([a-z-]+)` \| [^|]+ \| ([a-z ]+) \| (yes|no) \|$/gm)];
    expect(rows.map(([, place, shown, counts]) => [place, shown, counts])).toEqual(
      PLACES.map((place) => {
        const { shown, counts } = PLACE_RULES[place];
        return [place, SHOWN[shown], counts ? 'yes' : 'no'];
      }),
    );
  });

  it.each(Object.entries(FILES))('is what %s says (npm run docs writes it)', (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('is the same for zod and as JSON Schema, in what it asks for', () => {
    expect(FindingsSchema.parse(FINDINGS_EXAMPLE)).toEqual(FINDINGS_EXAMPLE);
    expect(schema).toMatchObject({ required: ['summary', 'findings'], additionalProperties: false });
    const finding = schema.properties?.['findings']?.items;
    expect(finding?.required).toEqual(['path', 'startLine', 'endLine', 'severity', 'title', 'body']);
    expect(finding?.properties?.['startLine']).toMatchObject({ type: 'integer', minimum: 1 });
    expect(JSON.stringify(schema)).not.toContain('multipleOf');
  });
});
