import { describe, expect, it } from '@jest/globals';
import {
  AUTO_CONTEXT,
  chooseContext,
  CONTEXT_KINDS,
  type ContextKind,
} from '../../src/context/choose-context.js';
import { PRESETS, type PresetName } from '../../src/permissions/presets.js';

describe('what is gathered', () => {
  const everything = (event: string) => ({
    name: event,
    change: { commits: { kind: 'of-pull' as const } },
    pull: { number: 7 },
    comment: { id: 9, thread: 8 },
    issue: { number: 5, title: 'x', body: '', author: 'mary', labels: [] },
    ci: { kind: 'check-suite' as const, id: 1 },
  });
  const CHANGE = ['diff', 'pull-request'];
  const FAILED = ['ci-logs', ...CHANGE];
  const forAll = (kinds: string[]) => ({
    review: kinds,
    docs: kinds,
    edit: kinds,
    'fix-ci': kinds,
    custom: kinds,
  });
  const EXPECTED: [readonly string[], Record<PresetName, string[]>][] = [
    [['pull_request', 'pull_request_target', 'pull_request_review'], forAll(CHANGE)],
    [['pull_request_review_comment'], forAll(['thread', ...CHANGE])],
    // An event has an issue, or a pull request; never both.
    [['issue_comment'], forAll(['issue', ...CHANGE])],
    [['issues'], forAll(['issue'])],
    [['push', 'merge_group'], forAll(['diff'])],
    [
      ['workflow_run', 'check_suite', 'check_run'],
      { review: CHANGE, docs: CHANGE, edit: FAILED, 'fix-ci': FAILED, custom: FAILED },
    ],
    [['schedule', 'workflow_dispatch', 'constructor', ''], forAll([])],
  ];

  it('under auto is in one table of presets and events, and this is all of it', () => {
    for (const [events, presets] of EXPECTED) {
      for (const event of events) {
        for (const [preset, kinds] of Object.entries(presets) as [PresetName, string[]][]) {
          expect(chooseContext({ kind: 'auto' }, preset, everything(event))).toEqual({ kinds });
          expect(chooseContext({ kind: 'auto' }, preset, { name: event })).toEqual({ kinds: [] });
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
    const none = chooseContext(asked, 'review', { name: 'schedule' });
    expect(none).toMatchObject({ problems: [expect.stringContaining(`"${kind}"`)] });
    expect(JSON.stringify(none)).toMatch(
      /this schedule event has none; it comes with .*(workflow_run|review_comment|issues)/,
    );
  });

  it('can be nothing', () => {
    expect(chooseContext({ kind: 'list', kinds: [] }, 'review', everything('push'))).toEqual({ kinds: [] });
  });
});
