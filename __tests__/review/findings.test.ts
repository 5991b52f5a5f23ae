import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { FINDINGS_EXAMPLE, findingsJsonSchema } from '../../src/review/expect-answer.js';
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

const PAGE = `# The form of a review

This is what \`output-schema: findings\` asks the agent for. [findings.schema.json](findings.schema.json) has the same as
JSON Schema; both files are generated from one source.

${tableOf(schema)}

Each finding:

${tableOf(schema.properties?.['findings']?.items ?? {})}

An answer:

\`\`\`json
${JSON.stringify(FINDINGS_EXAMPLE, undefined, 2)}
\`\`\`

## What is corrected

Before an answer is validated, the action corrects what is obvious: \`./\` before a path, backslashes in a path, an
absolute path into the checkout, a path relative to the working directory, a missing \`endLine\` (it becomes
\`startLine\`), lines in the wrong order or written as text, a severity in capitals, \`null\` for no suggestion, and
fields that were not asked for. For everything else, the agent is asked to correct its answer.

## What happens with the findings

Each finding is looked up in the checkout and, if the change under review is known, in its diff. The report
(\`review.findings\`) says where it points (\`place\`):

| place | meaning |
| --- | --- |
| \`in-change\` | on lines that the diff shows |
| \`outside-change\` | on lines that exist, elsewhere |
| \`no-such-line\` | the file has no such line; set apart |
| \`no-such-path\` | the checkout has no such file; set apart |
| \`unchecked\` | on lines that exist; no change was known to compare with, or not all of its files |

Findings with the same title on the same lines become one, and \`count\` says how many there were. \`sarif-file\` and
\`rdjson-file\` leave out findings that are set apart. In SARIF, \`critical\` and \`high\` are errors, \`medium\` is a
warning, and \`low\` and \`info\` are notes. GitHub recognises an alert in the next run by the text of its lines, not by
their numbers or by the words of the finding.

With \`fail-on-severity: high\`, the step fails with the reason \`findings\` if a finding is \`high\` or \`critical\`. Findings
that are set apart do not count; all others do, also those outside the change. The outputs, the files and the allowed
changes are there as after a success. A run without a review fails anyway, for its own reason.
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
