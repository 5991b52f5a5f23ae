import { describe, expect, it } from '@jest/globals';
import { lookUpPlaces } from '../../src/publish/look-up-places.js';
import { mergeReports, severityFailure, withPlaces } from '../../src/publish/publication.js';
import { redactShards, type ReportShard } from '../../src/report/read-reports.js';
import { SEVERITIES } from '../../src/report/findings.js';
import { finding, HEAD, mergePlaced, reportWith, reviewReport, shardOf } from './reports.js';

const gate = (
  shards: ReportShard[],
  severity: (typeof SEVERITIES)[number] | undefined = 'high',
  expectedReports?: number,
) => severityFailure(mergePlaced(shards, { minimumSeverity: 'critical', expectedReports }), severity);
const failed = (reason: 'timeout' | 'secrets-unavailable' | 'findings', findings = [finding()]) =>
  reviewReport(findings, { verdict: { status: 'failure', reason, detail: 'x' } });

describe('fail-on-severity', () => {
  it('is open without findings that are grave enough, and if it is not set', () => {
    expect(gate([shardOf(reviewReport([]))])).toBeUndefined();
    expect(gate([shardOf(reviewReport([finding({ severity: 'medium' })]))])).toBeUndefined();
    const all = [shardOf(reviewReport([finding()])), shardOf(failed('timeout'))];
    expect(
      severityFailure(mergePlaced(all, { minimumSeverity: 'low', expectedReports: 9 }), undefined),
    ).toBeUndefined();
  });

  it.each(SEVERITIES.flatMap((one) => SEVERITIES.map((other) => [one, other] as const)))(
    'a finding that is %s, with %s',
    (severity, least) => {
      const isClosed = gate([shardOf(reviewReport([finding({ severity })]))], least) !== undefined;
      expect(isClosed).toBe(SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least));
    },
  );

  it('counts what stands, also below minimum-severity, and says what to do', () => {
    const findings = [
      finding({ severity: 'critical' }),
      finding({ severity: 'medium', title: 'a' }),
      finding({ severity: 'medium', title: 'b' }),
      finding({ severity: 'low', title: 'c' }),
    ];
    expect(gate([shardOf(reviewReport(findings))], 'medium')).toBe(
      '3 findings are of severity medium or above: 1 critical, 2 medium. Fix them and run it again. If you disagree, ' +
        'dismiss them in the threads of the review (as: review), those without a thread by their ids, or raise ' +
        'fail-on-severity.',
    );
  });

  it.each<[string, ReportShard[], number | undefined, RegExp]>([
    [
      'a failed run',
      [shardOf(failed('timeout', []))],
      undefined,
      /the run of report\.json failed \(timeout\)/,
    ],
    ['no secrets', [shardOf(failed('secrets-unavailable', []))], undefined, /failed \(secrets-unavailable\)/],
    ['a missing report', [shardOf(reviewReport([]))], 3, /2 expected reports are missing/],
    [
      'a report that cannot be read',
      [shardOf(reviewReport([])), { kind: 'unread', name: 'b', why: 'is not JSON.' }],
      undefined,
      /b could not be read/,
    ],
    ['a run that was to report no findings', [shardOf(reportWith())], undefined, /output-schema: findings/],
    ...(['usage-limit', 'runs-per-day'] as const).map((code): [string, ReportShard[], undefined, RegExp] => [
      `a limit (${code})`,
      [shardOf(reviewReport([], { skipped: { code, reason: 'No more.' } }))],
      undefined,
      new RegExp(`report\\.json was not reviewed \\(${code}\\)`),
    ]),
    [
      'a limit, also of one of many parts',
      [
        shardOf(reviewReport([])),
        shardOf(reportWith({ skipped: { code: 'usage-limit', reason: 'x' } }), 'b'),
      ],
      2,
      /b was not reviewed \(usage-limit\)/,
    ],
    [
      'passes of which too few answered',
      [shardOf(reviewReport([], { passes: { started: 3, answered: 1 } }))],
      undefined,
      /only 1 of 3 passes of report\.json answered/,
    ],
    [
      'passes that max-starts did not allow',
      [shardOf(reviewReport([], { passes: { started: 1, answered: 1, wanted: 3 } }))],
      undefined,
      /only 1 of 3 passes/,
    ],
    [
      'half of the passes',
      [shardOf(reviewReport([], { passes: { started: 2, answered: 1 } }))],
      undefined,
      /only 1 of 2 passes/,
    ],
    [
      'a part of a large change that too few passes read',
      [
        shardOf(
          reviewReport([], { passes: { started: 10, answered: 8, parts: { count: 5, sufficient: 4 } } }),
        ),
      ],
      undefined,
      /only 4 of 5 parts of report\.json/,
    ],
    [
      'files that were not reviewed',
      [shardOf(reviewReport([], { unread: { why: 'The change is too large.', files: ['a.ts'], count: 3 } }))],
      undefined,
      /report\.json is not about the whole change: 3 changed files were not reviewed\. The change is too large\./,
    ],
    [
      'files that look generated, which a run without a gate left out',
      [shardOf(reviewReport([], { unreadGenerated: 2 }))],
      undefined,
      /report\.json left out 2 changed files that look generated, which it would have reviewed with/,
    ],
    [
      'a change that could not be read',
      [shardOf(reviewReport([], { unread: { why: 'The change could not be read.', files: [] } }))],
      undefined,
      /not about the whole change: The change could not be read\./,
    ],
    [
      'a change that is not known',
      [shardOf({ ...reviewReport([]), change: undefined })],
      undefined,
      /the change that report\.json is about is not known/,
    ],
    [
      'a part of the change, if nobody says how many there are',
      [
        shardOf(
          reviewReport([], {
            context: [
              {
                ...{ kind: 'diff', description: 'd', file: 'f', bytes: 1, items: 1, leftOut: [] },
                ...{ inlined: true, isShare: true, files: ['x.ts'] },
              },
            ],
          }),
        ),
      ],
      undefined,
      /only some files of the change were reviewed/,
    ],
    [
      'many of them',
      Array.from({ length: 9 }, (_, index) => shardOf(failed('timeout', []), `s${index}`)),
      undefined,
      /s4 failed \(timeout\); 4 more runs without a review/,
    ],
  ])('is closed if there is no complete review: %s', (_name, shards, expected, words) => {
    expect(gate(shards, 'critical', expected)).toMatch(words);
    expect(gate(shards, 'critical', expected)).toMatch(/^There is no complete review: .* run it again\.$/);
  });

  it.each<[string, object]>([
    ['nothing is new and nothing is open', { skipped: { code: 'unchanged', reason: 'x' } }],
    ['most passes answered', { passes: { started: 3, answered: 2 } }],
    ['the only pass answered', { passes: { started: 1, answered: 1 } }],
  ])('is open if %s', (_name, record) => {
    expect(gate([shardOf(reviewReport([], record))])).toBeUndefined();
  });

  it('is closed if copies of one report are to stand for the others, whatever they are called', () => {
    const part = (files: string[], more: object = {}) =>
      reviewReport([], {
        context: [
          {
            ...{ kind: 'diff', description: 'd', file: 'f', bytes: 1, items: 1, leftOut: [], inlined: true },
            ...{ isShare: true, files },
          },
        ],
        ...more,
      });
    const copies = ['a', 'b', 'c'].map((name) => shardOf(part(['x.ts']), name));
    expect(gate(copies, 'high', 3)).toContain('2 expected reports are missing');
    const whole = ['a', 'b', 'c'].map((name) => shardOf(reviewReport([]), name));
    expect(gate(whole, 'high', 3)).toContain('2 expected reports are missing');
    // Another try of the same part says other things, and is of the same part.
    const tries = [part(['x.ts']), part(['x.ts'], { wallMs: 77 }), part(['y.ts'])].map((each) =>
      shardOf(each),
    );
    expect(gate(tries, 'high', 3)).toContain('1 expected report is missing');
    const parts = [part(['x.ts']), part(['y.ts']), part(['z.ts'])].map((each) => shardOf(each));
    expect(gate(parts, 'high', 3)).toBeUndefined();
    expect(gate(redactShards(parts, 'ghs_0123456789'), 'high', 3)).toBeUndefined();
  });

  it('is not opened by a run that leaves the file out, if another one counts the same finding', () => {
    const shards = (['critical', 'high'] as const).map((severity) =>
      shardOf(reviewReport([finding({ severity })]), severity),
    );
    const request = { minimumSeverity: 'info', expectedReports: undefined } as const;
    const merged = withPlaces(mergeReports(shards, request), (each) => ({
      ...each,
      place: each.severity === 'critical' ? 'excluded' : 'in-change',
    }));
    expect(severityFailure(merged, 'high')).toContain('1 high');
  });

  it('is closed for findings that are too many to be looked up', async () => {
    const files = Array.from({ length: 250 }, (_, index) => `${index}.ts`);
    const findings = files.map((path, index) =>
      finding({ path, severity: index === 249 ? 'critical' : 'low', startLine: 1, endLine: 1 }),
    );
    const merged = mergeReports([shardOf(reviewReport(findings))], {
      ...{ minimumSeverity: 'info', expectedReports: undefined },
    });
    const api = {
      folder: () =>
        Promise.resolve(files.map((name) => ({ name, type: 'file' as const, id: name, size: 2 }))),
      blob: () => Promise.resolve(Buffer.from('a\n')),
    };
    const judged = await lookUpPlaces(api, merged, { kind: 'known', commit: HEAD, change: undefined });
    expect(severityFailure(judged, 'low')).toMatch(/199 low.*[\s\S]*51 findings .* could not be looked up/);
    expect(severityFailure(judged, 'high')).toContain('1 finding of severity high or above could not be');
  });

  it('does not take a run that failed for its findings for one that did not run', () => {
    expect(gate([shardOf(failed('findings'))])).toMatch(/^1 finding is of severity high or above: 1 high\./);
    expect(gate([shardOf(failed('findings'))])).not.toContain('complete review');
    expect(gate([shardOf(failed('findings'))], 'critical')).toBeUndefined();
  });
});
