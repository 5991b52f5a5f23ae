import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openChange } from '../../src/context/change.js';
import { parseGitDiff } from '../../src/git/diff.js';
import { connectGithub } from '../../src/github/client.js';
import { chooseReviewCommit } from '../../src/publish/choose-target.js';
import { mergeReports, type PlacedFinding } from '../../src/publish/publication.js';
import { openPullRequests } from '../../src/publish/pull-request-api.js';
import { placeFinding } from '../../src/publish/review-plan.js';
import { PLACE_RULES, blockingFindings, type Place } from '../../src/report/findings.js';
import type { CheckedFinding, Finding } from '../../src/report/model.js';
import { emptyReport } from '../../src/report/run-report.js';
import { expectAnswer } from '../../src/review/expect-answer.js';
import { findingJudge } from '../../src/review/judge-finding.js';
import { keepAnswer, readReviewedFiles } from '../../src/run/structured-answer.js';
import type { ResolvedInputs } from '../../src/run/resolve-inputs.js';
import {
  MARY,
  startGithub,
  WRITE_TOKEN,
  type FakeEntry,
  type FakeFile,
  type FakeGithub,
} from '../github/stateful-fake.js';
import { finding, reviewReport, shardOf } from '../publish/reports.js';
import { git, scratchFolder } from '../sandbox/layer/scratch-repository.js';

/**
 * One row per kind of place. For each, the run (which has the checkout and git) and publish (which has the report and
 * GitHub's API) must give the same answer.
 */

const lines = (count: number, end = '\n') =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}${end}`).join('');
const CAFE = 'docs/caf\u00e9.md';
const SUBMODULE = '5'.repeat(40);

const BASE_FILES: Record<string, string> = {
  'src/pay.ts': lines(18),
  'src/old-name.ts': lines(30),
  'src/gone.ts': lines(12),
  'src/other.ts': lines(5),
  'src/long.ts': lines(90),
  'src/crlf.ts': lines(9, '\r\n'),
  'src/unended.ts': lines(4).trimEnd(),
  [CAFE]: lines(6),
  'tools/Case.ts': lines(7),
  'lib/Twin.ts': lines(3),
  'lib/twin.ts': lines(3),
  'gen/out.js': lines(8),
  'logo.png': 'PNG\0\n\n\n',
  'gone.png': 'PNG\0\n',
  'empty.txt': '',
};

const at = (path: string, startLine = 1, endLine = startLine): Partial<Finding> => ({
  path,
  startLine,
  endLine,
});

interface Row {
  given: Partial<Finding>;
  place: Place;
  /** Where it ends up, if path or lines are corrected. */
  means?: Partial<Finding>;
  /** The schema does not even take it, so the agent is asked again and a report with it is not read. */
  isInvalid?: true;
}
const row = (given: Partial<Finding>, place: Place, means?: Partial<Finding>): Row => ({
  ...{ given, place },
  ...(means ? { means } : {}),
});
const invalid = (given: Partial<Finding>, place: Place): Row => ({ given, place, isInvalid: true });

const ROWS: Record<string, Row> = {
  'an added line': row(at('src/pay.ts', 9), 'in-change'),
  'a context line of a hunk': row(at('src/pay.ts', 6), 'in-change'),
  'an unchanged line outside of the hunks': row(at('src/long.ts', 50), 'outside-change'),
  'lines partly in a hunk': row(at('src/long.ts', 5, 50), 'in-change'),
  'a removed line, on its side': row({ ...at('src/long.ts', 80), side: 'base' }, 'removed'),
  'a line that is not removed, on that side': row({ ...at('src/long.ts', 40), side: 'base' }, 'no-such-line'),
  'the side before the change of a file that did not change': row(
    { ...at('src/other.ts', 2), side: 'base' },
    'no-such-line',
  ),
  'the line after the last one': row(at('src/pay.ts', 20), 'outside-change', at('src/pay.ts', 19)),
  'two lines too far': row(at('src/pay.ts', 21), 'no-such-line'),
  'line 400 of 18': row(at('src/pay.ts', 400), 'no-such-line'),
  'line 400 of a file that did not change': row(at('src/other.ts', 400), 'no-such-line'),
  'line 0, or none': invalid(at('src/pay.ts', 0), 'no-such-line'),
  'a range that reaches too far': row(at('src/pay.ts', 10, 400), 'in-change', at('src/pay.ts', 10, 19)),
  'a range that begins too far': row(at('src/pay.ts', 300, 400), 'no-such-line'),
  'a reversed range': row(at('src/pay.ts', 10, 9), 'in-change', at('src/pay.ts', 9, 10)),
  'a deleted file': row(at('src/gone.ts', 3, 4), 'removed', { ...at('src/gone.ts', 3, 4), side: 'base' }),
  'the line after the last one of a deleted file': row(at('src/gone.ts', 13), 'removed', {
    ...at('src/gone.ts', 12),
    side: 'base',
  }),
  'line 400 of a deleted file': row(at('src/gone.ts', 400), 'no-such-line'),
  'a deleted binary file': row(at('gone.png'), 'whole-file'),
  'a renamed file under its new name': row(at('src/new-name.ts', 2), 'in-change'),
  'a renamed file under its old name': row(at('src/old-name.ts', 2), 'in-change', at('src/new-name.ts', 2)),
  'a name in another Unicode form': row(at(CAFE.normalize('NFD'), 6), 'in-change', at(CAFE, 6)),
  'a name in another case, if only one is meant': row(
    at('TOOLS/case.ts', 2),
    'outside-change',
    at('tools/Case.ts', 2),
  ),
  'a name in another case, if two can be meant': row(at('lib/TWIN.ts', 2), 'no-such-path'),
  'a file that did not change': row(at('src/other.ts', 5), 'outside-change'),
  'a file that is nowhere': row(at('src/none.ts'), 'no-such-path'),
  'a file that git does not have': row(at('node_modules/x.js'), 'no-such-path'),
  'a folder': row(at('src'), 'no-such-path'),
  'a path with ./': row(at('./src/pay.ts', 9), 'in-change', at('src/pay.ts', 9)),
  'a path with backslashes': row(at('src\\pay.ts', 9), 'in-change', at('src/pay.ts', 9)),
  'an absolute path elsewhere': row(at('/etc/passwd'), 'no-such-path'),
  'a path that leads out': row(at('../repository/src/pay.ts', 9), 'no-such-path'),
  'something of git itself': row(at('.git/config'), 'no-such-path'),
  'a binary file': row(at('logo.png'), 'whole-file'),
  'a line of a binary file': row(at('logo.png', 2), 'no-such-line'),
  'an empty file': row(at('empty.txt'), 'whole-file'),
  'a line of an empty file': row(at('empty.txt', 2), 'no-such-line'),
  'a file that the workflow excludes': row(at('gen/out.js', 2), 'excluded'),
  'no line of a file that the workflow excludes': row(at('gen/out.js', 400), 'no-such-line'),
  'a submodule': row(at('sub'), 'whole-file'),
  'a file in a submodule': row(at('sub/a.ts'), 'no-such-path'),
  'a link': row(at('link.ts'), 'whole-file'),
  'a line behind a link': row(at('link.ts', 9), 'no-such-line'),
  'a file behind a link to a folder': row(at('linked/pay.ts', 9), 'no-such-path'),
  'no path at all': invalid(at(''), 'no-such-path'),
  'a file with carriage returns': row(at('src/crlf.ts', 9), 'outside-change'),
  'two lines too far in a file with carriage returns': row(at('src/crlf.ts', 11), 'no-such-line'),
  'the last line of a file that does not end it': row(at('src/unended.ts', 4), 'outside-change'),
};

let root = '';
let fake: FakeGithub;
let commits = { base: '', head: '' };
beforeAll(async () => {
  root = join(scratchFolder(), 'repository');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  mkdirSync(root);
  git(root, 'init', '-q');
  git(root, 'config', 'core.autocrlf', 'false');
  const commit = () => {
    git(root, 'add', '--all');
    git(root, 'update-index', '--add', '--cacheinfo', `160000,${SUBMODULE},sub`);
    git(root, 'commit', '-q', '-m', 'c');
    return git(root, 'rev-parse', 'HEAD').trim();
  };
  writeFileSync(join(root, '.git', 'info', 'exclude'), 'node_modules\n');
  for (const [path, text] of Object.entries(BASE_FILES)) write(path, text);
  symlinkSync('src/pay.ts', join(root, 'link.ts'));
  symlinkSync('src', join(root, 'linked'));
  const base = commit();
  write('src/pay.ts', lines(18).replace('line 9\n', 'line 9a\nline 9b\n'));
  write('src/long.ts', lines(90).replace('line 3\n', 'line 3, changed\n').replace('line 80\n', ''));
  write(CAFE, `${lines(6)}more\n`);
  write('gen/out.js', `${lines(8)}more\n`);
  write('logo.png', 'PNG\0\n\n\n\n\n');
  write('src/new-name.ts', lines(30).replace('line 1\n', 'line one\n'));
  for (const path of ['src/old-name.ts', 'src/gone.ts', 'gone.png']) rmSync(join(root, path));
  commits = { base, head: commit() };
  // What is installed or built is in the checkout, and not in the commit.
  write('node_modules/x.js', 'x\n');
  fake = await startGithub({
    pulls: [{ number: 7, ...commits, author: MARY, files: filesOnGithub(), tree: treeOnGithub() }],
  });
});
afterAll(() => fake.close());

/** What GitHub lists of this change. */
function filesOnGithub(): FakeFile[] {
  const text = git(root, 'diff', '-M', '--src-prefix=a/', '--dst-prefix=b/', commits.base, commits.head);
  const parts = text.split(/^(?=diff --git )/m).filter((part) => part !== '');
  const words: Record<string, FakeFile['status']> = {
    deleted: 'removed',
    renamed: 'renamed',
    added: 'added',
  };
  return parts.map((part) => {
    const [file] = parseGitDiff(part);
    const patch = part.includes('\n@@') ? part.slice(part.indexOf('\n@@') + 1).trimEnd() : undefined;
    return {
      path: file?.path ?? '',
      status: words[file?.status ?? ''] ?? 'modified',
      ...(patch === undefined ? {} : { patch }),
      ...(file?.oldPath === undefined ? {} : { oldPath: file.oldPath }),
    };
  });
}

function treeOnGithub(): Record<string, FakeEntry> {
  const records = git(root, 'ls-tree', '-r', '-z', commits.head).split('\0').slice(0, -1);
  return Object.fromEntries(
    records.map((record): [string, FakeEntry] => {
      const [about = '', path = ''] = record.split('\t');
      const [mode = '', , id = ''] = about.split(' ');
      if (mode === '160000') return [path, { mode, text: '' }];
      const text = git(root, 'cat-file', 'blob', id);
      return [path, mode === '120000' ? { mode, text } : text];
    }),
  );
}

const made = expectAnswer({ kind: 'findings' });
const expectation = 'expectation' in made ? made.expectation : undefined;

/** What the run says about it; the problem if it does not take it. */
async function byRun(given: Finding): Promise<CheckedFinding | { problem: string | undefined }> {
  const history = {
    ...{ directory: root, workspace: root, scratch: scratchFolder(), token: undefined },
    ...{ env: { PATH: process.env['PATH'] }, cancel: new AbortController().signal },
  };
  const known = { kind: 'known', history: 'forked', ...commits } as const;
  const change = openChange({ change: { commits: known }, history, isWanted: undefined });
  const { reviewed } = await readReviewedFiles({ expectation, history }, change);
  const answer = JSON.stringify({ summary: 's', findings: [given] });
  const { recorded, problem } = keepAnswer(
    {
      ...{ exit: { kind: 'exited', code: 0 }, stderr: '', hasWorked: true },
      limits: { timeoutMinutes: 1, idleTimeoutMinutes: 1 },
      ...{ report: { ...emptyReport(), answer }, verdict: { status: 'success' }, network: undefined },
    },
    {
      ...{ expectation, history, reviewed, corrections: [], scope: undefined, rules: { team: [] } },
      ...{
        resolved: { directory: root, workspace: root } as ResolvedInputs,
        inputs: { exclude: ['gen/**'] },
      },
    },
  );
  return recorded.review?.findings[0] ?? { problem };
}

/** What publish says about it, and where it puts it. */
async function byPublish(
  given: Finding & { isExcluded?: true },
): Promise<PlacedFinding & { kind: 'lines' | 'body' }> {
  const repository = { owner: 'acme', repo: 'project' };
  const cancel = new AbortController().signal;
  const client = connectGithub({ token: WRITE_TOKEN, apiUrl: fake.url, repository, cancel });
  const api = openPullRequests(client, repository);
  const merged = mergeReports([], { minimumSeverity: 'info', expectedReports: undefined });
  const { publication, files } = await chooseReviewCommit(api, {
    ...{ number: 7, pull: await api.pull(7), reviewed: commits.head },
    publication: { ...merged, reported: [given] },
  });
  const [placed] = [...publication.findings, ...publication.aside];
  if (!placed) throw new Error('it is lost');
  return { ...placed, kind: placeFinding(placed, files).kind };
}

describe('a finding about', () => {
  it.each(Object.entries(ROWS))('%s', async (_name, { given, place, means, isInvalid }) => {
    const whole = finding({ ...given, severity: 'critical' });
    const expected = { ...whole, ...means, place };
    const run = await byRun(whole);
    if (isInvalid) {
      expect(run).toHaveProperty('problem', expect.stringContaining('does not satisfy'));
      expect(() => shardOf(reviewReport([whole]))).toThrow('is not a report');
    } else expect(run).toEqual({ ...expected, count: 1 });
    // Of what the report says about places, publish takes only that a file is left out.
    const raw = await byPublish({ ...whole, ...(place === 'excluded' ? { isExcluded: true } : {}) });
    const { kind, ...judged } = raw;
    expect({ ...judged, isExcluded: undefined }).toEqual({ ...expected, isExcluded: undefined });
    // Everything else follows from the place.
    const { shown, counts } = PLACE_RULES[place];
    expect(blockingFindings([{ ...judged, count: 1 }], 'high')).toHaveLength(counts ? 1 : 0);
    expect(kind).toBe(shown === 'comment' ? 'lines' : 'body');
  });

  it('an absolute path into the checkout', async () => {
    expect(await byRun(finding(at(join(root, 'src/pay.ts'), 9)))).toMatchObject({
      path: 'src/pay.ts',
      place: 'in-change',
    });
  });

  it('a place that cannot be looked up does not count', () => {
    const judge = findingJudge({
      change: { files: [], isPartial: true },
      findFile: () => ({ kind: 'unknown' }),
      isExcluded: () => false,
    });
    expect(judge(finding())).toMatchObject({ place: 'not-looked-up' });
    expect(PLACE_RULES['not-looked-up']).toMatchObject({ shown: 'aside', counts: false });
  });
});
