import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { PRESETS, type PresetName } from '../../src/permissions/presets.js';
import { AUTO_CONTEXT, chooseContext, CONTEXT_KINDS, type ContextKind } from '../../src/context/offers.js';
import { readSubject } from '../../src/context/subject.js';
import { eventFile } from '../trust/events.js';

const [A, B, ZERO] = ['a'.repeat(40), 'b'.repeat(40), '0'.repeat(40)];
const fixture = (name: string) =>
  JSON.parse(readFileSync(eventFile(name), 'utf8')) as Record<string, unknown>;
const repository = { full_name: 'acme/project', default_branch: 'main' };

describe('what an event is about', () => {
  it.each(['pull_request', 'pull_request_target', 'pull_request_review', 'pull_request_review_comment'])(
    '%s: the pull request, from where it parted to its head',
    (event) => {
      expect(readSubject(event, fixture('pull-request-own'))).toEqual({
        event,
        change: { pullRequest: 7, commits: { kind: 'known', base: B, head: A, history: 'forked' } },
        pull: {
          number: 7,
          details: {
            title: 'A change',
            body: '',
            author: 'mary',
            labels: [],
            base: { branch: 'main', commit: B },
            head: { branch: 'change', commit: A, repository: 'acme/project' },
            draft: false,
          },
        },
      });
    },
  );

  it('a pull request of a fork that was deleted: the same, without its repository', () => {
    const { pull } = readSubject('pull_request', fixture('pull-request-fork-deleted'));
    expect(pull?.details?.head).toEqual({ branch: 'change', commit: A });
  });

  it.each([
    ['commits', { before: B, after: A }, { kind: 'known', base: B, head: A, history: 'straight' }],
    [
      'a forced push',
      { before: B, after: A, forced: true },
      { kind: 'known', base: B, head: A, history: 'forked' },
    ],
    [
      'a new branch',
      { before: ZERO, after: A, ref: 'refs/heads/new' },
      { kind: 'new-branch', head: A, ref: 'refs/heads/new', defaultBranch: 'main' },
    ],
    [
      'a tag that was moved',
      { before: B, after: A, ref: 'refs/tags/v1' },
      { kind: 'known', base: B, head: A, history: 'straight' },
    ],
  ])('push: %s', (_name, payload, commits) => {
    expect(readSubject('push', { ref: 'refs/heads/main', repository, ...payload }).change).toEqual({
      commits,
    });
  });

  it.each([
    ['a new tag', { before: ZERO, after: A, ref: 'refs/tags/v1' }],
    ['a deleted branch', { before: B, after: ZERO, deleted: true }],
    ['commits that are none', { before: '--upload-pack=evil', after: A }],
  ])('push: nothing in %s', (_name, payload) => {
    expect(readSubject('push', { ref: 'refs/heads/main', repository, ...payload })).toEqual({
      event: 'push',
    });
  });

  it('merge_group: what the group adds', () => {
    const payload = { merge_group: { base_sha: B, head_sha: A } };
    expect(readSubject('merge_group', payload).change).toEqual({
      commits: { kind: 'known', base: B, head: A, history: 'straight' },
    });
  });

  it('issue_comment: a pull request if it is one, else nothing', () => {
    const payload = fixture('comment-by-writer');
    expect(readSubject('issue_comment', payload)).toEqual({ event: 'issue_comment' });
    const onPull = { ...payload, issue: { ...(payload['issue'] as object), pull_request: { url: 'x' } } };
    expect(readSubject('issue_comment', onPull)).toEqual({
      event: 'issue_comment',
      change: { pullRequest: 5, commits: { kind: 'of-pull' } },
      pull: { number: 5 },
    });
  });

  it('workflow_run: its run and attempt, and the pull request it was for, at the commit it ran on', () => {
    const { workflow_run: run } = fixture('workflow-run-own') as { workflow_run: object };
    const pull = { number: 7, base: { ref: 'main', sha: B }, head: { ref: 'change', sha: 'c'.repeat(40) } };
    expect(
      readSubject('workflow_run', { workflow_run: { ...run, run_attempt: 2, pull_requests: [pull] } }),
    ).toEqual({
      event: 'workflow_run',
      ci: { kind: 'run', id: 3, attempt: 2, name: 'CI' },
      change: { pullRequest: 7, commits: { kind: 'known', base: B, head: A, history: 'forked' } },
      pull: { number: 7 },
    });
    expect(readSubject('workflow_run', { workflow_run: { ...run, pull_requests: [pull, pull] } })).toEqual({
      event: 'workflow_run',
      ci: { kind: 'run', id: 3, attempt: 1, name: 'CI' },
    });
  });

  it('check_suite and check_run: the suite', () => {
    const suite = { id: 4, head_sha: A, before: B, after: A, pull_requests: [] };
    expect(readSubject('check_suite', { check_suite: suite })).toEqual({
      event: 'check_suite',
      ci: { kind: 'check-suite', id: 4 },
      change: { commits: { kind: 'known', base: B, head: A, history: 'forked' } },
    });
    const run = { head_sha: A, check_suite: { id: 4 }, pull_requests: [{ number: 7, base: { sha: B } }] };
    expect(readSubject('check_run', { check_run: run })).toMatchObject({
      ci: { kind: 'check-suite', id: 4 },
      pull: { number: 7 },
    });
  });

  it('never throws, whatever the payload is', () => {
    const events = [...Object.keys(AUTO_CONTEXT.review), 'schedule', 'constructor', ''];
    fc.assert(
      fc.property(fc.constantFrom(...events), fc.anything(), (event, payload) => {
        expect(readSubject(event, payload)).toEqual({ event });
      }),
    );
  });

  it('reads every example of GitHub’s own that names a change, a pull request or a run', () => {
    const path = 'node_modules/@octokit/webhooks-examples/api.github.com/index.json';
    const all = JSON.parse(readFileSync(path, 'utf8')) as {
      name: string;
      examples: Record<string, unknown>[];
    }[];
    const offered = (event: string) =>
      (all.find(({ name }) => name === event)?.examples ?? []).map((example) => {
        const { change, pull, ci } = readSubject(event, example);
        return [change && 'diff', pull && 'pull-request', ci && 'ci-logs'].filter(Boolean).join();
      });
    for (const event of ['pull_request', 'pull_request_review', 'pull_request_review_comment']) {
      expect(offered(event).length).toBeGreaterThan(0);
      expect(new Set(offered(event))).toEqual(new Set(['diff,pull-request']));
    }
    expect(offered('push')).toContain('diff');
    expect(offered('workflow_run').every((kinds) => kinds.includes('ci-logs'))).toBe(true);
    expect(offered('check_suite').every((kinds) => kinds.includes('ci-logs'))).toBe(true);
    expect(offered('check_run').every((kinds) => kinds.includes('ci-logs'))).toBe(true);
    expect(new Set(offered('issues'))).toEqual(new Set(['']));
  });
});

describe('what is gathered', () => {
  const everything = (event: string) => ({
    event,
    change: { commits: { kind: 'of-pull' as const } },
    pull: { number: 7 },
    ci: { kind: 'check-suite' as const, id: 1 },
  });
  const CHANGE = ['diff', 'pull-request'];
  const EXPECTED: [readonly string[], Record<PresetName, string[]>][] = [
    [
      [
        'pull_request',
        'pull_request_target',
        'pull_request_review',
        'pull_request_review_comment',
        'issue_comment',
      ],
      { review: CHANGE, docs: CHANGE, 'fix-ci': CHANGE, custom: CHANGE },
    ],
    [['push', 'merge_group'], { review: ['diff'], docs: ['diff'], 'fix-ci': ['diff'], custom: ['diff'] }],
    [
      ['workflow_run', 'check_suite', 'check_run'],
      { review: CHANGE, docs: CHANGE, 'fix-ci': ['ci-logs', ...CHANGE], custom: ['ci-logs', ...CHANGE] },
    ],
    [
      ['schedule', 'workflow_dispatch', 'issues', 'constructor', ''],
      { review: [], docs: [], 'fix-ci': [], custom: [] },
    ],
  ];

  it('under auto is in one table of presets and events, and this is all of it', () => {
    for (const [events, presets] of EXPECTED) {
      for (const event of events) {
        for (const [preset, kinds] of Object.entries(presets) as [PresetName, string[]][]) {
          expect(chooseContext({ kind: 'auto' }, preset, everything(event))).toEqual({ kinds });
          expect(chooseContext({ kind: 'auto' }, preset, { event })).toEqual({ kinds: [] });
        }
      }
    }
    expect(Object.keys(AUTO_CONTEXT)).toEqual(Object.keys(PRESETS));
    const listed = EXPECTED.flatMap(([events]) => events);
    for (const table of Object.values(AUTO_CONTEXT))
      expect(Object.keys(table).filter((event) => !listed.includes(event))).toEqual([]);
  });

  it.each(CONTEXT_KINDS)('by name is what the event has, or an error that says which have it: %s', (kind) => {
    const asked = { kind: 'list', kinds: [kind, kind] as ContextKind[] } as const;
    expect(chooseContext(asked, 'review', everything('push'))).toEqual({ kinds: [kind] });
    const none = chooseContext(asked, 'review', { event: 'schedule' });
    expect(none).toMatchObject({ problems: [expect.stringContaining(`"${kind}"`)] });
    expect(JSON.stringify(none)).toMatch(/this schedule event has none; it comes with .*workflow_run/);
  });

  it('can be nothing', () => {
    expect(chooseContext({ kind: 'list', kinds: [] }, 'review', everything('push'))).toEqual({ kinds: [] });
  });
});
