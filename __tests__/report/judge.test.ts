import { describe, expect, it } from '@jest/globals';
import type { Exit } from '../../src/core/exit.js';
import { FAILURES, type FailureReason } from '../../src/core/failure.js';
import { blockingFindings, PLACES, SEVERITIES } from '../../src/report/findings.js';
import type { CheckedFinding } from '../../src/report/model.js';
import {
  judge,
  type Evidence,
  recogniseError,
  waitBeforeRetry,
  type TriedRun,
  failure,
  SUCCESS,
} from '../../src/report/judge.js';
import { TOOL_KINDS, type ToolKind } from '../../src/stream/events.js';
import { eventsOf, fixtureBytes, reportOf as streamReport } from '../stream/fixture-files.js';
import { call, reportOf, result, text } from './builders.js';

const EXITS = {
  'exit 0': { kind: 'exited', code: 0 },
  'exit 1': { kind: 'exited', code: 1 },
  signal: { kind: 'signalled', signal: 'SIGSEGV' },
  'ended after result': { kind: 'ended', why: 'after-result', code: 143 },
  timeout: { kind: 'ended', why: 'timeout' },
  idle: { kind: 'ended', why: 'idle' },
  cancelled: { kind: 'ended', why: 'cancelled' },
  'not started': { kind: 'not-started', error: 'spawn ENOENT' },
} satisfies Record<string, Exit>;
const RESULTS = { none: [], ok: [result()], error: [result(true, 'It broke.')] };

type ExitName = keyof typeof EXITS;
type ResultName = keyof typeof RESULTS;

/** The whole matrix of how it ended and what it said; denials and violations matter only where it says success. */
const EXPECTED: Record<ExitName, Record<ResultName, string>> = {
  'exit 0': { none: 'no-result', ok: 'success', error: 'agent-error' },
  'exit 1': { none: 'crashed', ok: 'crashed', error: 'agent-error' },
  signal: { none: 'crashed', ok: 'crashed', error: 'agent-error' },
  'ended after result': { none: 'no-result', ok: 'success', error: 'agent-error' },
  timeout: { none: 'timeout', ok: 'success', error: 'agent-error' },
  idle: { none: 'idle-timeout', ok: 'success', error: 'agent-error' },
  cancelled: { none: 'cancelled', ok: 'cancelled', error: 'cancelled' },
  'not started': { none: 'install-failed', ok: 'install-failed', error: 'install-failed' },
};

const checkedFinding = (given: Partial<CheckedFinding> = {}): CheckedFinding => ({
  ...{ path: 'src/a.ts', startLine: 1, endLine: 1, severity: 'low', title: 'A bug', body: '' },
  ...{ place: 'in-change', count: 1 },
  ...given,
});
const evidence = (given: Partial<Evidence> = {}): Evidence => ({
  exit: EXITS['exit 0'],
  report: reportOf(result()),
  stderr: '',
  failOnDenied: false,
  limits: { timeoutMinutes: 15, idleTimeoutMinutes: 1 },
  violations: [],
  ...given,
});
const outcomeOf = (given: Partial<Evidence>): string => {
  const verdict = judge(evidence(given));
  return verdict.status === 'success' ? 'success' : verdict.reason;
};

it('fails for calls that hooks refused, in the words in which the CLI reports that', () => {
  const report = streamReport(eventsOf(fixtureBytes('cursor/pre-tool-refusals')));
  expect(outcomeOf({ report })).toBe('success');
  expect(judge(evidence({ report, failOnDenied: true }))).toEqual(
    failure('denied', '11 tool calls were denied.'),
  );
});

const rows = Object.entries(EXPECTED).flatMap(([exit, row]) =>
  Object.entries(row).flatMap(([said, expected]) =>
    [false, true].flatMap((isDenied) =>
      [false, true].flatMap((failOnDenied) =>
        [false, true].map((isViolated) => ({ exit, said, expected, isDenied, failOnDenied, isViolated })),
      ),
    ),
  ),
);

describe('judge', () => {
  it.each(rows)(
    '$exit, result $said, denied $isDenied (fails $failOnDenied), violated $isViolated',
    ({ exit, said, expected, isDenied, failOnDenied, isViolated }) => {
      const denial = isDenied ? [call('1', { state: 'denied', message: 'no' })] : [];
      const outcome = outcomeOf({
        exit: EXITS[exit as ExitName],
        report: reportOf(...denial, ...RESULTS[said as ResultName]),
        failOnDenied,
        violations: isViolated ? ['src/a.ts was changed'] : [],
      });
      const whenSuccess = isViolated ? 'policy-violation' : isDenied && failOnDenied ? 'denied' : 'success';
      expect(outcome).toBe(expected === 'success' ? whenSuccess : expected);
    },
  );

  it('never calls a run without a result a success', () => {
    for (const exit of Object.values(EXITS)) {
      expect(outcomeOf({ exit, report: reportOf(text('I did everything!')) })).not.toBe('success');
    }
  });

  it('says that a result is kept when the process crashes after it', () => {
    expect(judge(evidence({ exit: EXITS['exit 1'] }))).toMatchObject({
      reason: 'crashed',
      detail: expect.stringContaining('kept') as unknown,
    });
  });

  it('tells violations also where the run failed for another reason', () => {
    const verdict = judge(
      evidence({ exit: EXITS.timeout, report: reportOf(), violations: ['.git/config was changed'] }),
    );
    expect(verdict).toMatchObject({
      reason: 'timeout',
      detail: expect.stringContaining('.git/config') as unknown,
    });
  });

  it('takes an empty answer for no result, where there must be an answer', () => {
    const silent = reportOf(call('1'), result(false, ' '));
    expect(judge(evidence({ report: silent, needsAnswer: true }))).toEqual({
      status: 'failure',
      reason: 'no-result',
      detail: 'It reported success, but gave no answer. Until then: 1 tool call.',
    });
    expect(outcomeOf({ report: silent })).toBe('success');
    expect(outcomeOf({ report: silent, needsAnswer: true, outputProblem: 'empty' })).toBe('no-result');
    expect(outcomeOf({ report: silent, needsAnswer: true, violations: ['x'] })).toBe('policy-violation');
    expect(outcomeOf({ report: reportOf(text('All is well.'), result()), needsAnswer: true })).toBe(
      'success',
    );
  });

  it('fails an answer that does not satisfy its schema', () => {
    expect(outcomeOf({ outputProblem: '/findings must be array' })).toBe('bad-output');
  });

  it('fails for findings last: whatever else is wrong is the reason', () => {
    const blocking = [checkedFinding({ severity: 'high', title: 'It\nbreaks' })];
    expect(judge(evidence({ blocking }))).toEqual({
      status: 'failure',
      reason: 'findings',
      detail: 'not accepted:\n- high     src/a.ts:1 It ⏎ breaks',
    });
    const many = Array.from({ length: 22 }, () => checkedFinding());
    expect(judge(evidence({ blocking: many }))).toMatchObject({
      detail: expect.stringMatching(/… and 2 more$/) as unknown,
    });
    expect(outcomeOf({ blocking: [] })).toBe('success');
    expect(outcomeOf({ blocking, violations: ['src/a.ts was changed'] })).toBe('policy-violation');
    expect(outcomeOf({ blocking, outputProblem: 'bad' })).toBe('bad-output');
    const denial = call('1', { state: 'denied', message: 'no' });
    expect(outcomeOf({ blocking, failOnDenied: true, report: reportOf(denial, result()) })).toBe('denied');
    expect(outcomeOf({ blocking, exit: EXITS.timeout, report: reportOf() })).toBe('timeout');
  });

  it('uses the words of the stream and of stderr to find the reason', () => {
    expect(
      outcomeOf({ exit: EXITS['exit 1'], report: reportOf(), stderr: 'The provided API key is invalid' }),
    ).toBe('auth');
    expect(outcomeOf({ report: reportOf(), stderr: 'Workspace Trust Required' })).toBe('workspace-trust');
    expect(outcomeOf({ report: reportOf({ type: 'error', text: 'hit your usage limit' }) })).toBe(
      'usage-limit',
    );
    expect(outcomeOf({ report: reportOf(result(true, '[resource_exhausted]')) })).toBe('rate-limited');
  });

  it('does not blame stderr for a crash after the result', () => {
    expect(outcomeOf({ exit: EXITS['exit 1'], stderr: 'ECONNRESET while closing' })).toBe('crashed');
  });
});

describe('blockingFindings', () => {
  it('has this severity and every worse one', () => {
    const all = SEVERITIES.map((severity) => checkedFinding({ severity }));
    const severities = (least: (typeof SEVERITIES)[number] | undefined) =>
      blockingFindings(all, least).map(({ severity }) => severity);
    expect(severities('high')).toEqual(['critical', 'high']);
    expect(severities('info')).toEqual([...SEVERITIES]);
    expect(severities(undefined)).toEqual([]);
  });

  it('has none that does not count', () => {
    const all = PLACES.map((place) => checkedFinding({ place }));
    expect(blockingFindings(all, 'low').map(({ place }) => place)).toEqual([
      ...['in-change', 'removed', 'outside-change', 'whole-file', 'unchecked'],
    ]);
  });
});

describe('a CLI whose own sandbox cannot start', () => {
  it.each(['exit 1', 'exit 0'] as const)('says what to do before what it printed: %s', (exit) => {
    const stderr = 'Sandbox mode is enabled but not available on this system';
    expect(judge(evidence({ exit: EXITS[exit], report: reportOf(), stderr }))).toEqual({
      status: 'failure',
      reason: 'agent-error',
      detail: expect.stringMatching(/Remove `--sandbox` from `extra-args`.*\nSandbox mode is enabled/s),
    });
  });
});

describe('recogniseError', () => {
  it.each([
    ["Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY", 'auth'],
    ['The provided API key is invalid', 'auth'],
    ['getaddrinfo ENOTFOUND api2.cursor.sh\nThe provided API key is invalid', 'network'],
    ['Workspace Trust Required', 'workspace-trust'],
    ['ActionRequiredError: You have hit your usage limit', 'usage-limit'],
    ['Named models unavailable Free plans can only use Auto', 'model-unavailable'],
    ['Cannot use this model: gpt-9. Available models: auto, gpt-5', 'model-unavailable'],
    ['RetriableError: [resource_exhausted] Error', 'rate-limited'],
    ['RetriableError: [unavailable] Error', 'network'],
    ['ConnectError: [unavailable] connect ECONNREFUSED 127.0.0.1:443', 'network'],
    ['Invalid project config at /w/.cursor/cli.json: schema validation failed', 'agent-error'],
    ["Your team has disabled the 'Run Everything' option", 'agent-error'],
    ['Error: Sandbox mode is enabled but not available on this system', 'agent-error'],
    ["Sandbox failed to start, possibly due to AppArmor. Run 'agent sandbox disable'", 'agent-error'],
    ['Something nobody has seen before', undefined],
    ['', undefined],
  ])('%s → %s', (words, reason) => {
    expect(recogniseError(words)).toBe(reason);
  });
});

describe('FAILURES', () => {
  it('has the reasons of the contract, each with a sentence and a remedy', () => {
    expect(Object.keys(FAILURES)).toEqual([
      ...['invalid-input', 'secrets-unavailable', 'actor-not-allowed', 'untrusted-event'],
      ...['install-failed', 'checksum-mismatch'],
      ...[
        'isolation-unavailable',
        'auth',
        'usage-limit',
        'rate-limited',
        'model-unavailable',
        'workspace-trust',
      ],
      ...['network', 'agent-error', 'no-result', 'crashed', 'timeout', 'idle-timeout', 'cancelled', 'denied'],
      ...['policy-violation', 'bad-output', 'findings', 'verification-failed', 'internal'],
    ]);
    for (const { what, remedy } of Object.values(FAILURES)) {
      expect(what).toMatch(/^[A-Z].*\.$/);
      expect(remedy).toMatch(/^[A-Z].*\.$/);
    }
  });
});

describe('a connection that is lost again and again', () => {
  const lost = { type: 'notice', level: 'warning', text: 'lost', connection: 'lost' } as const;
  const loop = [lost, lost, lost];
  const PROXY = /lost 3 times in a row.*proxy that buffers event streams/s;

  it.each<ExitName>(['exit 0', 'exit 1', 'signal', 'timeout', 'idle'])('is the cause after %s', (exit) => {
    const verdict = judge(evidence({ exit: EXITS[exit], report: reportOf(...loop) }));
    expect(verdict).toMatchObject({ reason: 'network', detail: expect.stringMatching(PROXY) as unknown });
  });

  it('is also found in the words of the CLI', () => {
    const stderr = 'Connection lost, reconnecting to https://api2.cursor.sh\n'.repeat(3);
    const verdict = judge(evidence({ exit: EXITS.timeout, report: reportOf(), stderr }));
    expect(verdict).toMatchObject({ reason: 'network', detail: expect.stringMatching(PROXY) as unknown });
  });

  it('is not the cause if the agent went on, got a result, or says another reason', () => {
    const reasonOf = (given: Partial<Evidence>) => outcomeOf({ exit: EXITS['exit 1'], ...given });
    expect(reasonOf({ report: reportOf(...loop, text('Here I am.')) })).toBe('crashed');
    expect(reasonOf({ report: reportOf(lost, lost) })).toBe('crashed');
    expect(reasonOf({ report: reportOf(...loop, result()), exit: EXITS['exit 0'] })).toBe('success');
    expect(reasonOf({ report: reportOf(...loop), stderr: 'usage limit reached' })).toBe('usage-limit');
    expect(reasonOf({ report: reportOf(...loop), exit: EXITS.cancelled })).toBe('cancelled');
  });
});

describe('a closed network', () => {
  const refused = [
    { host: 'mirror.example:443', count: 1, why: '', allow: 'mirror.example' },
    { host: '169.254.169.254:80', count: 9, why: '', allow: '' },
  ];
  const judged = (stderr: string, earlyNetwork: Evidence['earlyNetwork'], exit: ExitName = 'exit 1') =>
    judge(evidence({ exit: EXITS[exit], report: reportOf(), stderr, earlyNetwork }));
  const NONE = { asked: 0, made: 0 };
  const BAD_KEY = 'The provided API key is invalid.';

  it.each<[string, ExitName]>([
    ['fetch failed', 'exit 1'],
    [BAD_KEY, 'exit 1'],
    ['', 'idle'],
  ])('is the reason if the vendor was not reached (%s, %s)', (stderr, exit) => {
    const verdict = judged(stderr, { vendor: NONE, refused }, exit);
    expect(verdict).toMatchObject({ reason: 'network' });
    const { detail } = verdict as { detail: string };
    expect(detail).toContain('did not ask the proxy');
    expect(detail).toContain('these hosts were refused: mirror.example:443, 169.254.169.254:80.');
    expect(detail).toMatch(/\nallowed-hosts: mirror\.example$/);
  });

  it('says so if the vendor is down, and advises nothing if nothing was refused', () => {
    const verdict = judged('fetch failed', { vendor: { asked: 2, made: 0 }, refused: [] });
    const { detail } = verdict as { detail: string };
    expect(detail).toContain('asked for its vendor 2 times, and no connection could be made');
    expect(detail).not.toContain('allowed-hosts');
  });

  it('advises nothing if only what is not public was refused', () => {
    const verdict = judged('fetch failed', { vendor: NONE, refused: refused.slice(1) });
    expect((verdict as { detail: string }).detail).not.toContain('allowed-hosts');
  });

  it('names what was refused beside the vendor, and keeps the reason', () => {
    const vendor = { asked: 1, made: 1 };
    expect(judged('', { vendor, refused }, 'idle')).toMatchObject({
      reason: 'idle-timeout',
      detail: expect.stringContaining('allowed-hosts: mirror.example') as unknown,
    });
    expect(judged(BAD_KEY, { vendor, refused })).toEqual(judged(BAD_KEY, undefined));
    expect(judged('fetch failed', { vendor, refused: [] })).toEqual(judged('fetch failed', undefined));
  });

  it('has no part in other failures, nor in a success', () => {
    const earlyNetwork = { vendor: NONE, refused };
    expect(judged('usage limit reached', earlyNetwork)).toMatchObject({ reason: 'usage-limit' });
    expect(judged('', earlyNetwork, 'timeout')).toMatchObject({ reason: 'timeout' });
    expect(outcomeOf({ earlyNetwork })).toBe('success');
  });
});

describe('a run that was ended while something was running', () => {
  const begin = (id: string, kind: 'shell' | 'task', target: string) =>
    ({
      type: 'tool-started',
      callId: id,
      tool: { name: kind, kind, target, paths: [], isKnown: true },
    }) as const;
  const goOn = (callId: string) =>
    ({
      type: 'tool-finished',
      callId,
      outcome: { status: 'ok', message: '' },
      facts: {},
      background: { taskId: callId },
    }) as const;

  it.each<[ExitName, string]>([
    ['timeout', 'Stopped after 15 minutes (`timeout-minutes`)'],
    ['idle', 'Stopped after 1 minute without output (`idle-timeout-minutes`)'],
    ['cancelled', 'The job was cancelled'],
  ])('names the limit and what was running (%s)', (exit, how) => {
    const report = reportOf(begin('1', 'shell', 'npm run\ndev `x`'), goOn('1'), begin('2', 'task', 'look'));
    expect(judge(evidence({ exit: EXITS[exit], report }))).toMatchObject({
      detail: `${how} while running \`npm run ⏎ dev ’x’\` (in the background), \`task look\`. Until then: 2 tool calls.`,
    });
    expect(judge(evidence({ exit: EXITS[exit], report: reportOf() }))).toMatchObject({
      detail: `${how}. Until then it had called no tool and written nothing.`,
    });
  });

  it('names only a few', () => {
    const report = reportOf(...['1', '2', '3', '4', '5'].map((id) => begin(id, 'shell', `sleep ${id}`)));
    expect(judge(evidence({ exit: EXITS.timeout, report }))).toMatchObject({
      detail: expect.stringMatching(/`sleep 3`, 2 more\. Until/) as unknown,
    });
  });
});

describe('errors of the CLI', () => {
  it.each([
    "Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.",
    "Authentication required. Run 'agent login', pass --api-key/--auth-token, or set CURSOR_API_KEY/CURSOR_AUTH_TOKEN.",
    '⚠ Warning: The provided API key is invalid.',
    'The auth token is expired.',
    '403 sign_in_policy_violation',
  ])('%s', (words) => {
    expect(recogniseError(words)).toBe('auth');
  });

  it('that no retry can help are not taken for a bad network', () => {
    expect(recogniseError("RetriableError: [invalid_argument] unknown option '--x'")).toBe('agent-error');
    expect(recogniseError('RetriableError: [unavailable] try later')).toBe('network');
    expect(recogniseError('Connection stalled')).toBe('network');
  });
});

const tried = (given: Partial<TriedRun> = {}): TriedRun => ({
  verdict: failure('network', ''),
  report: reportOf(),
  tries: 1,
  retries: 2,
  remainingMs: 1_000_000,
  ...given,
});

describe('waitBeforeRetry', () => {
  it('tries again only after what may pass', () => {
    const again = Object.keys(FAILURES).filter(
      (reason) => waitBeforeRetry(tried({ verdict: failure(reason as FailureReason, '') })) !== undefined,
    );
    expect(again).toEqual(['rate-limited', 'network']);
    expect(waitBeforeRetry(tried({ verdict: SUCCESS }))).toBeUndefined();
  });

  it('waits longer each time, and no more often than asked', () => {
    const waits = [1, 2, 3].map((tries) => waitBeforeRetry(tried({ tries, retries: 2 })));
    expect(waits[1]).toBeGreaterThan(waits[0] ?? Infinity);
    expect(waits[2]).toBeUndefined();
  });

  it('does not wait beyond the time limit', () => {
    expect(waitBeforeRetry(tried({ remainingMs: 1000 }))).toBeUndefined();
  });

  it.each(TOOL_KINDS.map((kind) => [kind]))(
    'knows whether a call of kind %s may have written',
    (kind: ToolKind) => {
      const isHarmless = ['read', 'search', 'list', 'web', 'plan', 'wait'].includes(kind);
      const begun = reportOf({
        type: 'tool-started',
        callId: '1',
        tool: { name: 'x', kind, target: '', paths: [], isKnown: true },
      });
      const denied = reportOf(call('1', { kind, state: 'denied' }));
      expect(waitBeforeRetry(tried({ report: begun })) !== undefined).toBe(isHarmless);
      expect(waitBeforeRetry(tried({ report: denied }))).toBeDefined();
    },
  );
});
