// Compares the answers of the doctor with the earlier ones, and opens or updates an issue if one of them changed, or if
// the CLI has an event or asks for a host that is new. The earlier answers are in the newest issue with our label, in a
// hidden comment. Without such an issue, every earlier answer counts as a pass. Only names and answers reach the issue,
// never text of the agent.
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

export const LABEL = 'doctor';
const TITLE = 'The doctor’s answers have changed';
const MARK = /^<!-- doctor-answers (\{.*\}) -->$/m;
const ID = /^[a-z][a-z-]{0,40}$/;
const NAME = /^[A-Za-z0-9][\w.:*-]{0,80}$/;
const MAX_NAMES = 20;
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
 * The events and hosts that the action does not know, by kind.
 * @param {any} unknown
 * @returns {Record<'event' | 'host', string[]>}
 */
export function readUnknown(unknown) {
  const names = (list) =>
    [...new Set(Array.isArray(list) ? list : [])]
      .filter((name) => NAME.test(String(name)))
      .slice(0, MAX_NAMES);
  return { event: names(unknown?.event ?? unknown?.events), host: names(unknown?.host ?? unknown?.hosts) };
}

/**
 * What to do about a report: nothing, or an issue to create, or one to update.
 * @param {{ checks?: unknown, unknown?: unknown, cliVersion?: unknown }} report
 * @param {{ number: number, state: string, body: string }[]} issues ours, the newest first
 * @param {string} link to the run
 * @returns {{ kind: 'nothing' } | { kind: 'create', title: string, body: string } | { kind: 'update', number: number, body: string, comment: string }}
 */
export function decideIssue(report, issues, link) {
  const [newest] = issues;
  const earlier = newest ? readMark(newest.body) : {};
  const before = { answers: readAnswers(earlier.answers), unknown: readUnknown(earlier.unknown) };
  const now = { answers: readAnswers(report.checks), unknown: readUnknown(report.unknown) };
  const rows = [
    ...Object.entries(now.answers).map(([id, answer]) => [id, before.answers[id] ?? 'pass', answer]),
    ...['event', 'host'].flatMap((kind) =>
      now.unknown[kind].map((name) => [
        `${kind} ${name}`,
        before.unknown[kind].includes(name) ? 'unknown' : 'not seen',
        'unknown',
      ]),
    ),
  ].filter(([, earlier, later]) => earlier !== later);
  if (rows.length === 0) return { kind: 'nothing' };
  const version = VERSION.test(String(report.cliVersion)) ? String(report.cliVersion) : 'of an unknown build';
  const text = [
    `The doctor’s answers have changed with the CLI ${version}. The [run](${link}) has the details and a recording.`,
    [
      '| check | before | now |',
      '| --- | --- | --- |',
      ...rows.map(([name, ...words]) => `| \`${name}\` | ${words.join(' | ')} |`),
    ].join('\n'),
  ].join('\n\n');
  // A system that gave no answer this time keeps its earlier ones.
  const both = (kind) => [...new Set([...now.unknown[kind], ...before.unknown[kind]])];
  const mark = {
    answers: { ...before.answers, ...now.answers },
    unknown: { event: both('event'), host: both('host') },
  };
  const body = `${text}\n\n<!-- doctor-answers ${JSON.stringify(mark)} -->\n`;
  return newest?.state === 'OPEN'
    ? { kind: 'update', number: newest.number, body, comment: text }
    : { kind: 'create', title: TITLE, body };
}

function readMark(body) {
  try {
    return JSON.parse(MARK.exec(body.replaceAll('\r', ''))?.[1] ?? '{}') ?? {};
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
