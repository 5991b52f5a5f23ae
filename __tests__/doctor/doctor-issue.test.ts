import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { decideIssue, readAnswers } from '../../scripts/doctor-issue.mjs';

const LINK = 'https://github.com/o/r/actions/runs/1';
const report = (answers: Record<string, string>, cliVersion: unknown = '2026.10.01-e373342') => ({
  cliVersion,
  checks: Object.entries(answers).map(([id, answer]) => ({ id, answer, detail: '@everyone' })),
});
const bodyOf = (answers: Record<string, string>) => {
  const decision = decideIssue(report(answers), [], LINK);
  return decision.kind === 'create' ? decision.body : '';
};

describe('the issue of the doctor', () => {
  it('is not opened while everything passes', () => {
    expect(decideIssue(report({ cli: 'pass', exit: 'pass' }), [], LINK)).toEqual({ kind: 'nothing' });
  });

  it('is opened with the first answer that is no pass', () => {
    const decision = decideIssue(report({ cli: 'pass', exit: 'fail' }), [], LINK);
    expect(decision).toMatchObject({ kind: 'create', title: 'The doctor’s answers have changed' });
    expect(decision).toMatchObject({ body: expect.stringContaining('| `exit` | pass | fail |') });
    expect(decision).toMatchObject({ body: expect.not.stringContaining('`cli`') });
    expect(decision).toMatchObject({
      body: expect.stringContaining(`2026.10.01-e373342. The [run](${LINK})`),
    });
  });

  it.each(['OPEN', 'CLOSED'])('is left alone while the answers are as in it (%s)', (state) => {
    const body = bodyOf({ cli: 'unknown', exit: 'fail' }).replaceAll('\n', '\r\n');
    const same = decideIssue(report({ cli: 'unknown', exit: 'fail' }), [{ number: 7, state, body }], LINK);
    expect(same).toEqual({ kind: 'nothing' });
  });

  it('is updated while it is open, also if all is well again', () => {
    const issues = [{ number: 7, state: 'OPEN', body: bodyOf({ cli: 'pass', exit: 'fail' }) }];
    const decision = decideIssue(report({ cli: 'pass', exit: 'pass' }), issues, LINK);
    expect(decision).toMatchObject({ kind: 'update', number: 7 });
    expect(decision).toMatchObject({ comment: expect.stringContaining('| `exit` | fail | pass |') });
    // The next run compares with these answers.
    const updated = decision.kind === 'update' ? decision.body : '';
    expect(
      decideIssue(report({ cli: 'pass', exit: 'pass' }), [{ number: 7, state: 'OPEN', body: updated }], LINK),
    ).toEqual({ kind: 'nothing' });
  });

  it('is a new one if the last one is closed', () => {
    const issues = [{ number: 7, state: 'CLOSED', body: bodyOf({ exit: 'fail' }) }];
    expect(decideIssue(report({ exit: 'unknown' }), issues, LINK)).toMatchObject({
      kind: 'create',
      body: expect.stringContaining('| `exit` | fail | unknown |'),
    });
  });

  it('is opened for each event and host that is new, and not again for the same', () => {
    const unknown = { events: ['thinking_v2'], hosts: ['api6.example.com', 'x @everyone'] };
    const first = decideIssue({ ...report({ exit: 'pass' }), unknown }, [], LINK);
    const body = first.kind === 'create' ? first.body : '';
    expect(body).toContain('| `event thinking_v2` | not seen | unknown |');
    expect(body).toContain('| `host api6.example.com` | not seen | unknown |');
    expect(body).not.toContain('everyone');
    const issues = [{ number: 7, state: 'CLOSED', body }];
    expect(decideIssue({ ...report({}), unknown }, issues, LINK)).toEqual({ kind: 'nothing' });
    const more = { events: ['thinking_v2'], hosts: ['cdn.example.com'] };
    const second = decideIssue({ ...report({}), unknown: more }, issues, LINK);
    expect(second).toMatchObject({ kind: 'create', body: expect.stringContaining('`host cdn.example.com`') });
    expect(second).toMatchObject({ body: expect.not.stringMatching(/^\| `(event|host api6)/m) });
  });

  it('keeps the earlier answers of a system that gave none', () => {
    const issues = [{ number: 7, state: 'OPEN', body: bodyOf({ 'linux-exit': 'fail' }) }];
    const decision = decideIssue(report({ 'macos-exit': 'fail' }), issues, LINK);
    const body = decision.kind === 'update' ? decision.body : '';
    const again = report({ 'linux-exit': 'fail', 'macos-exit': 'fail' });
    expect(decideIssue(again, [{ number: 7, state: 'OPEN', body }], LINK)).toEqual({ kind: 'nothing' });
  });

  it.each([
    '',
    'no mark',
    '<!-- doctor-answers {broken} -->',
    '<!-- doctor-answers {"answers":{"exit":"@everyone"}} -->',
    '<!-- doctor-answers {"unknown":{"host":7}} -->',
    '<!-- doctor-answers null -->',
  ])('reads the body %j as one without answers', (body) => {
    expect(decideIssue(report({ exit: 'pass' }), [{ number: 7, state: 'OPEN', body }], LINK)).toEqual({
      kind: 'nothing',
    });
  });

  it('contains nothing but names, answers and a version', () => {
    const evil = {
      cliVersion: '1 @everyone',
      checks: [
        { id: 'exit', answer: 'fail', detail: '@everyone' },
        { id: 'x --> @everyone', answer: 'fail' },
        { id: 'cli', answer: '@everyone' },
        null,
        'text',
      ],
    };
    const decision = decideIssue(evil, [], LINK);
    expect(JSON.stringify(decision)).not.toContain('everyone');
    expect(decision).toMatchObject({ body: expect.stringContaining('of an unknown build') });
    expect(readAnswers(evil.checks)).toEqual({ exit: 'fail' });
    expect(readAnswers(null)).toEqual({});
  });

  it('is opened by gh, with a label', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gh-'));
    const log = join(folder, 'calls');
    writeFileSync(
      join(folder, 'gh'),
      `#!${process.execPath}\nrequire('node:fs').appendFileSync(${JSON.stringify(log)}, JSON.stringify(process.argv.slice(2)) + '\\n');\n` +
        `if (process.argv[3] === 'list') process.stdout.write('[]');\n`,
    );
    chmodSync(join(folder, 'gh'), 0o755);
    execFileSync(process.execPath, ['scripts/doctor-issue.mjs'], {
      env: {
        PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
        REPORT: JSON.stringify(report({ exit: 'fail' })),
        RUN_URL: LINK,
      },
    });
    const calls = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string[]);
    rmSync(folder, { recursive: true });
    expect(calls.map(([noun, verb]) => `${noun ?? ''} ${verb ?? ''}`)).toEqual([
      'issue list',
      'label create',
      'issue create',
    ]);
    expect(calls[2]).toEqual(expect.arrayContaining(['--label', 'doctor', '--body']));
  });
});
