import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { FINDINGS_EXAMPLE, findingsJsonSchema } from '../../src/report/findings-schema.js';
import { FindingsSchema } from '../../src/report/findings.js';

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

const PAGE = `# The form of a review

What \`output-schema: findings\` asks the agent for. As JSON Schema it is in
[findings.schema.json](findings.schema.json); this page is made from the same source.

${tableOf(schema)}

Each finding:

${tableOf(schema.properties?.['findings']?.items ?? {})}

An answer:

\`\`\`json
${JSON.stringify(FINDINGS_EXAMPLE, undefined, 2)}
\`\`\`

## What is forgiven

Before an answer is validated, what was meant beyond doubt is made good: \`./\` before a path, backslashes in it, a path
from the root of the disk that leads into the checkout, or one from the working directory; a missing \`endLine\` (it is
\`startLine\` then), lines in the wrong order or written as text; a severity in capitals; \`null\` for no suggestion;
fields nobody asked for. Everything else goes back to the agent.

## What becomes of it

Each finding is looked up in the checkout and, where the change under review is known, in its diff. The report
(\`review.findings\`) says where it points (\`place\`):

| place | meaning |
| --- | --- |
| \`in-change\` | on lines the diff shows |
| \`outside-change\` | on lines that exist, elsewhere |
| \`no-such-line\` | the file has no such line; set apart |
| \`no-such-path\` | the checkout has no such file; set apart |
| \`unchecked\` | on lines that exist; there was no change to compare with |

Findings with the same title on the same lines become one, and \`count\` says how many there were. \`sarif-file\` and
\`rdjson-file\` leave out what is set apart. In SARIF \`critical\` and \`high\` are errors, \`medium\` is a warning, \`low\`
and \`info\` are notes; an alert is known again in the next run by the text of its lines, not by their numbers or by the
words of the finding.
`;

const FILES: Record<string, string> = {
  'docs/findings.schema.json': `${JSON.stringify(schema, undefined, 2)}\n`,
  'docs/findings.md': PAGE,
};
// `npm run docs` writes them; the test only compares.
if (process.env['UPDATE_DOCS']) {
  for (const [path, text] of Object.entries(FILES)) writeFileSync(path, text);
}

describe('the form of a review', () => {
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
