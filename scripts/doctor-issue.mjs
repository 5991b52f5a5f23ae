// Compares the answers of the doctor with the earlier ones, and opens or updates an issue if one of them changed. The
// earlier answers are in the newest issue with our label, in a comment that nobody sees. Without such an issue, every
// earlier answer counts as a pass. Only names and answers reach the issue, never text of the agent.
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

export const LABEL = 'doctor';
const TITLE = 'The doctor’s answers have changed';
const MARK = /^<!-- doctor-answers (\{.*\}) -->$/m;
const ID = /^[a-z][a-z-]{0,40}$/;
const ANSWERS = ['pass', 'fail', 'unknown'];
const VERSION = /^[0-9][0-9A-Za-z.-]{0,60}$/;

/**
 * The answers in a report of the doctor, or in the mark of an issue, by the id of the check. What does not look like one
 * is left out.
 * @param {unknown} checks
 * @returns {Record<string, string>}
 */
export function readAnswers(checks) {
  const pairs = Array.isArray(checks)
    ? checks.map((check) => [check?.id, check?.answer])
    : Object.entries(checks ?? {});
  return Object.fromEntries(pairs.filter(([id, answer]) => ID.test(String(id)) && ANSWERS.includes(answer)));
}

/**
 * What to do about a report: nothing, or an issue to create, or one to update.
 * @param {{ checks?: unknown, cliVersion?: unknown }} report
 * @param {{ number: number, state: string, body: string }[]} issues ours, the newest first
 * @param {string} link to the run
 * @returns {{ kind: 'nothing' } | { kind: 'create', title: string, body: string } | { kind: 'update', number: number, body: string, comment: string }}
 */
export function decideIssue(report, issues, link) {
  const answers = readAnswers(report.checks);
  const [newest] = issues;
  const earlier = newest ? answersIn(newest.body) : {};
  const changes = Object.entries(answers)
    .map(([id, now]) => ({ id, before: earlier[id] ?? 'pass', now }))
    .filter(({ before, now }) => before !== now);
  if (changes.length === 0) return { kind: 'nothing' };
  const version = VERSION.test(String(report.cliVersion)) ? String(report.cliVersion) : 'of an unknown build';
  const told = [
    `The doctor’s answers have changed with the CLI ${version}. The [run](${link}) has the details and a recording.`,
    ['| check | before | now |', '| --- | --- | --- |', ...changes.map(rowOf)].join('\n'),
  ].join('\n\n');
  const body = `${told}\n\n<!-- doctor-answers ${JSON.stringify(answers)} -->\n`;
  return newest?.state === 'OPEN'
    ? { kind: 'update', number: newest.number, body, comment: told }
    : { kind: 'create', title: TITLE, body };
}

const rowOf = ({ id, before, now }) => `| \`${id}\` | ${before} | ${now} |`;

function answersIn(body) {
  try {
    return readAnswers(JSON.parse(MARK.exec(body.replaceAll('\r', ''))?.[1] ?? '{}'));
  } catch {
    return {};
  }
}

function main() {
  const { REPORT = '{}', RUN_URL = '' } = process.env;
  const gh = (...args) => execFileSync('gh', args, { encoding: 'utf8' });
  // Anybody may give an issue any text. Only a workflow of this repository writes as this account.
  const search = ['--label', LABEL, '--author', 'app/github-actions', '--state', 'all', '--limit', '1'];
  const issues = JSON.parse(gh('issue', 'list', ...search, '--json', 'number,state,body'));
  const decision = decideIssue(JSON.parse(REPORT), issues, RUN_URL);
  switch (decision.kind) {
    case 'nothing':
      return console.log('Every answer is as it was.');
    case 'create':
      gh('label', 'create', LABEL, '--force', '--description', 'What the action relies on has changed');
      return console.log(
        gh('issue', 'create', '--label', LABEL, '--title', decision.title, '--body', decision.body),
      );
    case 'update':
      gh('issue', 'edit', String(decision.number), '--body', decision.body);
      return console.log(gh('issue', 'comment', String(decision.number), '--body', decision.comment));
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main();
