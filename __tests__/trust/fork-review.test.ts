import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PullDetails } from '../../src/github/event.js';
import type { Push } from '../../src/trust/commented-commit.js';
import type { Permission } from '../../src/trust/decide.js';
import {
  assessFork,
  decideApproval,
  describeMissing,
  findApprovals,
  missingSettings,
  type ForkRecord,
  type ForkSettings,
  type LabelEvent,
} from '../../src/trust/fork-review.js';
import { githubEventOf } from './events.js';

const SAFE: ForkSettings = {
  ...{ preset: 'review', allow: [], extraArgs: [], isolation: 'required', network: 'required' },
  ...{ allowedHosts: [], credential: 'token', passEnv: [], projectRules: 'auto' },
};

describe('the settings that the review of a fork needs', () => {
  it('are all there, with the rules of the base or none', () => {
    for (const projectRules of ['auto', 'base', 'none'])
      expect(missingSettings({ ...SAFE, projectRules })).toEqual([]);
  });

  it.each<[Partial<ForkSettings>, RegExp]>([
    [{ preset: 'docs' }, /^preset: review$/],
    [{ preset: 'custom' }, /^preset: review$/],
    [{ allow: [{ kind: 'WebFetch' }] }, /no allow, mode or extra-args/],
    [{ mode: 'agent' }, /no allow, mode/],
    [{ extraArgs: ['--sandbox'] }, /extra-args/],
    [{ isolation: 'auto' }, /^isolation: required$/],
    [{ network: 'auto' }, /^network: required$/],
    [{ network: 'off' }, /^network: required$/],
    [{ allowedHosts: [{ group: 'github' }] }, /^no allowed-hosts$/],
    [{ credential: 'auto' }, /^credential: token$/],
    [{ credential: 'key' }, /^credential: token$/],
    [{ mcpConfig: '{}' }, /^no mcp-config$/],
    [{ passEnv: ['HOME'] }, /^no pass-env$/],
    [{ resume: 'chat-1' }, /^no resume$/],
    [{ projectRules: 'head' }, /^project-rules: base/],
  ])('are named if one is missing: %j', (change, words) => {
    expect(missingSettings({ ...SAFE, ...change })).toEqual([expect.stringMatching(words)]);
  });

  it('are all named in one message, with what to do', () => {
    const missing = missingSettings({ ...SAFE, isolation: 'auto', network: 'auto', credential: 'auto' });
    const text = describeMissing(
      githubEventOf('pull_request_target', 'pull-request-fork'),
      'stranger/project',
      missing,
    );
    expect(text).toMatch(/This run still needs: isolation: required; network: required; credential: token\./);
    expect(text).toMatch(/fork "stranger\/project".*secrets of "acme\/project".*recipe for reviews of forks/);
  });
});

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];
const push = (after: string, timestamp: string): Push => ({ after, timestamp, ref: 'refs/heads/change' });
const LABELLED = '2026-01-02T08:00:00Z';
const label = (more: Partial<LabelEvent> = {}): LabelEvent => ({
  ...{ event: 'labeled', label: 'cursor-review', by: 'mary', at: LABELLED },
  ...more,
});
const details: PullDetails = {
  ...{ title: 'A change', body: '', author: 'stranger', labels: ['cursor-review'], draft: false },
  base: { branch: 'main', commit: 'c'.repeat(40) },
  head: { branch: 'change', commit: A, repository: 'stranger/project' },
};
const record = (more: Partial<ForkRecord> = {}): ForkRecord => ({
  ...{ details, commit: A, labels: [label()], reviews: [], pushes: [push(A, '2026-01-01T08:00:00Z')] },
  ...more,
});
const permissions = new Map<string, Permission>(
  Object.entries({ mary: 'write', tess: 'triage', stranger: 'read' }).map(([login, level]) => [
    login,
    { kind: 'known', level, isPerson: true },
  ]),
);
const decided = (given: ForkRecord, allowedActors: string[] = []) => {
  const decision = decideApproval(given, findApprovals(given), { permissions, allowedActors });
  return decision.kind === 'allowed' ? decision.why : `${decision.reason}: ${decision.why}`;
};

describe('the approval of a commit', () => {
  it('is the label, if it was set by a user with write access when the commit was there', () => {
    expect(decided(record())).toBe(
      'Reviewing aaaaaaaaaa of a fork, approved by "mary" with the label cursor-review.',
    );
  });

  it('is an approving review of that commit', () => {
    const reviews = [{ state: 'APPROVED', by: 'mary', commit: A }];
    expect(decided(record({ labels: [], reviews }))).toMatch(/approved by "mary" with an approving review/);
  });

  it('is the label of an account that allowed-actors names', () => {
    const given = record({ labels: [label({ by: 'labeller[bot]' })] });
    expect(decided(given)).toMatch(/^untrusted-event/);
    expect(decided(given, ['Labeller[bot]'])).toMatch(/^Reviewing/);
  });

  it.each<[string, Partial<ForkRecord>, RegExp]>([
    [
      'a label that was set for an earlier commit',
      { commit: B, pushes: [push(B, '2026-01-02T08:00:01Z'), push(A, '2026-01-01T08:00:00Z')] },
      /set when aaaaaaaaaa was the newest.*Look at bbbbbbbbbb, then remove the label and set it again/,
    ],
    [
      'a push in the second of the label',
      { commit: B, pushes: [push(B, LABELLED), push(A, '2026-01-01T08:00:00Z')] },
      /set when aaaaaaaaaa/,
    ],
    ['no record of a push', { pushes: [] }, /no record of a push/],
    [
      'a push that deleted the branch',
      { pushes: [push('0'.repeat(40), '2026-01-01T08:00:00Z')] },
      /no record/,
    ],
    ['no label', { labels: [] }, /does not have the label cursor-review/],
    ['another label', { labels: [label({ label: 'cursor-reviewed' })] }, /does not have the label/],
    ['a label that was removed', { labels: [label(), label({ event: 'unlabeled' })] }, /does not have/],
    ['a label that is no longer there', { details: { ...details, labels: [] } }, /does not have the label/],
    ['a label of a deleted account', { labels: [label({ by: undefined })] }, /who set the label/],
    ['a label by somebody who may only triage', { labels: [label({ by: 'tess' })] }, /"tess" has triage/],
    [
      'an approval by the author or another commit',
      {
        labels: [],
        reviews: [
          { state: 'APPROVED', by: 'stranger', commit: A },
          { state: 'APPROVED', by: 'mary', commit: B },
          { state: 'COMMENTED', by: 'mary', commit: A },
          { state: 'DISMISSED', by: 'mary', commit: A },
        ],
      },
      /"stranger" has read permission/,
    ],
  ])('is not %s', (_, more, words) => {
    expect(decided(record(more))).toMatch(/^untrusted-event: .*sets the label cursor-review/);
    expect(decided(record(more))).toMatch(words);
  });

  it('never covers a commit that was pushed after the label', () => {
    const at = (second: number) => new Date(Date.parse(LABELLED) + second * 1000).toISOString();
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 8 }), (seconds) => {
        const sorted = [...seconds].sort((one, other) => other - one);
        const pushes = sorted.map((second, index) => push(String(index + 1).repeat(40), at(second)));
        const [newest] = pushes;
        const approved = decided(record({ commit: newest?.after ?? '', pushes })).startsWith('Reviewing');
        expect(approved).toBe((sorted[0] ?? 0) < 0);
      }),
    );
  });
});

describe('whose forks need an approval', () => {
  const assess = (
    forkReviews: 'labelled' | 'known-contributors' | 'all',
    association: string | undefined,
    { actor, allowedActors = [] }: { actor?: string; allowedActors?: string[] } = {},
  ) =>
    assessFork(
      githubEventOf('pull_request_target', 'pull-request-fork', actor),
      { author: 'stranger', association },
      { forkReviews, allowedActors },
    );

  it('labelled: everybody’s', () => {
    for (const association of ['NONE', 'CONTRIBUTOR', 'OWNER', undefined])
      expect(assess('labelled', association)).toEqual({ kind: 'needs-approval' });
  });

  it.each(['NONE', 'FIRST_TIMER', 'FIRST_TIME_CONTRIBUTOR', 'MANNEQUIN', '', undefined])(
    'known-contributors: that of an author who is %s',
    (association) => {
      expect(assess('known-contributors', association)).toEqual({ kind: 'needs-approval' });
    },
  );

  it.each(['CONTRIBUTOR', 'COLLABORATOR', 'MEMBER', 'OWNER'])(
    'known-contributors: not that of a %s, unless somebody else had a part',
    (association) => {
      expect(assess('known-contributors', association)).toMatchObject({ kind: 'allowed' });
      expect(assess('known-contributors', association, { actor: 'other' })).toMatchObject({
        ...{ kind: 'depends', logins: ['other'] },
      });
    },
  );

  it('all: nobody’s, but bots must be named', () => {
    expect(assess('all', 'NONE')).toMatchObject({ kind: 'allowed' });
    expect(assess('all', 'NONE', { actor: 'helper[bot]' })).toMatchObject({ reason: 'actor-not-allowed' });
    const allowedActors = ['helper[bot]'];
    expect(assess('all', 'NONE', { actor: 'helper[bot]', allowedActors })).toMatchObject({ kind: 'allowed' });
  });
});
