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

## Which findings count

A finding counts if its place is real: lines of the reviewed commit, or lines that the change removed. The run asks git and
\`publish\` asks GitHub, and one rule decides for both. The report (\`review.findings\`) says where each points (\`place\`):

| place | meaning | shown as | counts |
| --- | --- | --- | --- |
| \`in-change\` | lines that the diff shows, at least in part | comment | yes |
| \`removed\` | lines that the change removed, as in a deleted file | comment | yes |
| \`outside-change\` | lines that exist, elsewhere | body | yes |
| \`whole-file\` | line 1 of a file without lines: empty, binary, a link, a submodule | body | yes |
| \`unchecked\` | lines that exist; the change, or all of it, is not known | body | yes |
| \`excluded\` | a file that \`exclude\` leaves out | set aside | no |
| \`no-such-line\` | the file has no such line | set aside | no |
| \`no-such-path\` | the commit has no such file | set aside | no |
| \`not-looked-up\` | nobody could say whether the lines exist | set aside | no |

What counts is in all numbers, in \`fail-on-severity\`, in the event of a review, in annotations, and in \`sarif-file\` and
\`rdjson-file\`. What is set aside is only listed, with the reason. A slip does not matter: a path with \`./\` or backslashes, a
name in another case or Unicode form (if only one file is meant), the old name of a renamed file, the line after the last
one, and a range that ends too far are corrected.

Findings with the same title on the same lines become one, and \`count\` says how many there were. In SARIF, \`critical\` and
\`high\` are errors, \`medium\` is a warning, and \`low\` and \`info\` are notes; lines that were removed become a result for the
file. GitHub recognises an alert in the next run by the text of its lines, not by their numbers or by the words of the
finding.

## How sure a review is

An agent that reviews the same change twice does not find the same. \`effort\` says what is done about it:

| \`effort\` | passes | validated |
| --- | --- | --- |
| \`low\` | 1 | nothing |
| \`medium\` | 1 | every finding |
| \`high\` | 3 | what only one pass found |
| \`max\` | 5 | what only one pass found |

Passes are fresh chats at the same time, with the same task; only the order of the files in the diff differs. Code merges what
they found, and when in doubt keeps both: two findings are one only if the file, the lines (or the quoted code) and the words
agree. The report says how many passes found each (\`agreement\`), and the output \`passes\` how many answered. A pass that fails
is said, and the others count. All of it shares one time limit, a fifth of which is reserved for the validation, and
\`max-starts\`.

A validation is a fresh chat that gets path, lines and title of each finding (at most 40, the worst), but not the reasons, and
has to refute it with a quote. Code compares the quote with the file (\`validation\`). A quote from lines that the change adds or edits, from a comment
or from documentation refutes nothing, because the author of the change could have written it for that. A refutation that
holds withholds the comment (\`withheld\`) if the finding is \`medium\` or less; \`high\` and \`critical\` findings are shown as
disputed. A confirmation that holds is shown. Everything else only changes the order. Withheld findings are listed in summary
and page, with the reason.

None of this opens a gate: \`fail-on-severity\` counts withheld findings too. In the agent step it also fails if no more than half
of the passes answered, if the change could not be read, or if files of it did not fit into the diff and are neither generated
nor excluded. In \`publish\` it does not see passes that \`max-starts\` did not allow, nor files that did not fit.

With \`fail-on-severity: high\`, the step fails with the reason \`findings\` if a finding that counts is \`high\` or \`critical\`. The
outputs, the files and the allowed changes are there as after a success. A run without a review fails anyway, for its own
reason.
`;

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
