import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { TESTED_CLI_VERSION } from '../../src/agent/cursor.js';
import { STARTS, UNASKED, type StartName } from '../../src/doctor/canaries.js';
import {
  buildDoctorReport,
  CHECKS,
  DoctorSchema,
  renderDoctorReport,
  type DoctorEvidence,
  type Start,
} from '../../src/doctor/checks.js';
import { DOCTOR_INPUTS } from '../../src/doctor/run-doctor.js';

type Call = Start['calls'][number];
const call = (kind: Call['kind'], target: string, more: Partial<Call> = {}): Call => ({
  kind,
  target,
  state: 'ok',
  message: '',
  ...more,
});
const byRule = { state: 'denied', message: 'Command blocked by permissions configuration' } as const;
const byHook = (token: string) =>
  ({
    state: 'denied',
    byHook: true,
    message: `Tool blocked by preToolUse hook: cursor-agent-action: denied by ${token}`,
  }) as const;

const CALLS = {
  control: [
    ...['free', 'rule', 'hook'].flatMap((fence) => [
      call('shell', `doctor-${fence}`),
      call('edit', `/x/doctor-${fence}.md`),
    ]),
  ],
  rules: [
    call('shell', 'doctor-free'),
    call('edit', '/x/doctor-free.md'),
    call('shell', 'doctor-rule', byRule),
    call('edit', '/x/doctor-rule.md', byRule),
    call('shell', 'doctor-hook', byHook('Shell(doctor-hook)')),
    call('edit', '/x/doctor-hook.md', byHook('Write(doctor-hook.md)')),
  ],
};

const CLOSED: Start['network'] = {
  ...{ state: 'closed', words: 'The network is closed.', leaks: 0, vendor: 2, refused: [] },
  ...{ asked: ['doctor-free'], linked: [] },
};
const network = (more: Partial<Start['network']>) => withStart('force', { network: { ...CLOSED, ...more } });

const start = (more: Partial<Start> = {}): Start => ({
  exit: { kind: 'exited', code: 0 },
  verdict: { status: 'success' },
  hasResult: true,
  calls: CALLS.rules,
  unrecognised: { count: 0, labels: {}, tools: {} },
  hook: {
    judged: 6,
    denied: 2,
    denials: {
      'cursor-agent-action: denied by Shell(doctor-hook)': 1,
      'cursor-agent-action: denied by Write(doctor-hook.md)': 1,
    },
  },
  isolation: { kind: 'isolated', privilege: 'root', layer: 'overlay', keyring: undefined, network: 'closed' },
  network: CLOSED,
  ran: ['doctor-free'],
  escaped: [],
  changed: ['doctor-free.md', UNASKED],
  early: [],
  applied: ['doctor-free.md'],
  ...more,
});
const CONTROL = start({
  calls: CALLS.control,
  hook: { judged: 6, denied: 0, denials: {} },
  ran: ['doctor-free', 'doctor-rule', 'doctor-hook'],
  changed: ['doctor-free.md', 'doctor-rule.md', 'doctor-hook.md', UNASKED],
});
const TOKEN = { kind: 'token', token: 'a.b.c', expiresAt: 1_800_000_000_000 } as const;

const evidence = (more: Partial<DoctorEvidence> = {}): DoctorEvidence => ({
  cli: { version: TESTED_CLI_VERSION },
  exchange: { kind: 'token', credential: TOKEN, secrets: [] },
  credential: 'token',
  isolation: 'auto',
  network: 'auto',
  starts: { control: CONTROL, force: start(), 'no-force': start() },
  ...more,
});
/** The same evidence, except for one start or for all of them. */
const withStart = (name: StartName | 'all', more: Partial<Start>): DoctorEvidence => {
  const { starts } = evidence();
  const names = name === 'all' ? STARTS : [name];
  return evidence({
    starts: {
      ...starts,
      ...Object.fromEntries(names.map((one) => [one, { ...(starts[one] ?? start()), ...more }])),
    },
  });
};
const without = (calls: readonly Call[], word: string) =>
  calls.filter(({ target }) => !target.includes(word));
const changed = (calls: readonly Call[], word: string, more: Partial<Call>) =>
  calls.map((one) => (one.target.endsWith(word) ? { ...one, ...more } : one));
const authFailure = { status: 'failure', reason: 'auth', detail: 'Authentication required.' } as const;
const refused = { verdict: authFailure, hasResult: false, calls: [], ran: [], changed: [] };
const NOT_ISOLATED = { kind: 'not-isolated', why: 'It needs Linux.' } as const;

const answerOf = (id: string, given: DoctorEvidence) => {
  const check = CHECKS.find((one) => one.id === id);
  if (!check) throw new Error(`There is no check ${id}.`);
  return check.answer(given);
};

describe('the checks', () => {
  it('all pass if everything is as it should be', () => {
    expect(CHECKS.filter((check) => check.answer(evidence()).answer !== 'pass')).toEqual([]);
  });

  it('never pass and never fail without evidence', () => {
    const nothing = { cli: { version: undefined }, isolation: 'auto', network: 'auto', starts: {} } as const;
    expect(CHECKS.map((check) => check.answer(nothing).answer)).toEqual(CHECKS.map(() => 'unknown'));
  });

  it.each<[string, string, DoctorEvidence, string]>([
    ['cli', 'fail', evidence({ cli: { problem: 'The download failed.' } }), 'The download failed.'],
    ['cli', 'fail', evidence({ cli: { version: '2026.01.01-abc' } }), 'too old'],
    ['cli', 'unknown', evidence({ cli: { version: '2099.01.01-abc' } }), 'newer than the newest one'],
    ['cli', 'unknown', evidence({ cli: {} }), 'does not say which build'],
    [
      'key',
      'fail',
      evidence({ exchange: { kind: 'refused', why: 'Refused (401).' }, starts: {} }),
      'Refused',
    ],
    [
      'key',
      'pass',
      evidence({ exchange: { kind: 'unknown', why: 'x' }, credential: 'key' }),
      'worked with it',
    ],
    [
      'key',
      'fail',
      { ...withStart('all', refused), exchange: { kind: 'unavailable', why: 'x' }, credential: 'key' },
      'Authentication required.',
    ],
    ['exchange', 'fail', evidence({ exchange: { kind: 'unknown', why: 'a web page' } }), 'a web page'],
    ['exchange', 'unknown', evidence({ exchange: { kind: 'unavailable', why: 'no answer' } }), 'no answer'],
    ['exchange', 'unknown', evidence({ exchange: { kind: 'refused', why: '401' } }), '401'],
    ['token', 'fail', withStart('all', refused), 'Authentication required.'],
    ['token', 'unknown', evidence({ credential: 'key' }), 'the key itself'],
    ['isolation', 'unknown', evidence({ isolation: 'off' }), 'isolation is off'],
    ['isolation', 'fail', withStart('all', { isolation: NOT_ISOLATED }), 'It needs Linux.'],
    [
      'isolation',
      'fail',
      evidence({ starts: {}, stopped: { reason: 'isolation-unavailable', detail: 'No sudo.' } }),
      'No sudo.',
    ],
    ['isolation', 'fail', withStart('force', { escaped: ['doctor-free'] }), 'within reach of doctor-free'],
    ['isolation', 'unknown', withStart('all', { ran: [] }), 'No command ran'],
    ['network', 'unknown', evidence({ network: 'off' }), 'the input network is off'],
    ['network', 'unknown', evidence({ isolation: 'off' }), 'the input isolation is off'],
    [
      'network',
      'fail',
      network({ state: 'open', words: 'The network is open: no tools.' }),
      'The network is open: no tools. If you accept that, set network: off.',
    ],
    [
      'network',
      'fail',
      withStart('all', {
        verdict: { status: 'failure', reason: 'network', detail: '' },
        network: { ...CLOSED, asked: [], vendor: 0 },
      }),
      'did not reach its vendor',
    ],
    [
      'network',
      'fail',
      network({ linked: ['doctor-free'] }),
      'a network interface within reach of doctor-free',
    ],
    ['network', 'fail', network({ leaks: 1 }), 'was reached that nothing allows'],
    ['network', 'unknown', withStart('all', { network: { ...CLOSED, asked: [] } }), 'No command ran'],
    [
      'network',
      'unknown',
      withStart('all', { network: { ...CLOSED, vendor: 0 } }),
      'no connection to its vendor',
    ],
    ['network', 'pass', evidence(), '6 connections to the vendor'],
    ['hosts', 'pass', evidence(), 'It knows all of them.'],
    ['hosts', 'fail', network({ refused: ['new.example.com'] }), 'It does not know: new.example.com.'],
    [
      'hosts',
      'unknown',
      withStart('all', { network: { ...CLOSED, state: 'open' } }),
      'The network was open.',
    ],
    ['layer', 'fail', withStart('control', { early: ['doctor-free.md'] }), 'wrote to the checkout itself'],
    ['layer', 'unknown', withStart('all', { changed: [] }), 'wrote nothing'],
    [
      'control',
      'fail',
      withStart('control', { calls: changed(CALLS.control, 'doctor-rule', byRule) }),
      'Refused although nothing denies it: doctor-rule.',
    ],
    ['control', 'unknown', withStart('control', { ran: ['doctor-free', 'doctor-rule'] }), 'doctor-hook'],
    ['guard', 'fail', withStart('force', { applied: [UNASKED] }), 'was applied'],
    ['guard', 'unknown', withStart('all', { changed: ['doctor-free.md'] }), 'changed nothing like that'],
    ['hook-asked', 'fail', withStart('all', { hook: { judged: 0, denied: 0, denials: {} } }), 'never asked'],
    [
      'hook-asked',
      'unknown',
      withStart('all', { calls: [], hook: { judged: 0, denied: 0, denials: {} } }),
      'no tool call',
    ],
    ['exit', 'fail', withStart('force', { exit: { kind: 'ended', why: 'after-result' } }), '1 of 3 times'],
    [
      'events',
      'fail',
      withStart('force', { unrecognised: { count: 1, labels: { new: 1 }, tools: { fly: 2 } } }),
      'new, fly',
    ],
  ])('%s: %s', (id, answer, given, detail) => {
    expect(answerOf(id, given)).toEqual({ answer, detail: expect.stringContaining(detail) });
  });

  it('knows that a hook that could not be set up says nothing', () => {
    const { hook: _hook, ...bare } = start();
    expect(answerOf('hook-asked', evidence({ starts: { control: bare } })).answer).toBe('unknown');
  });
});

describe.each(['rule', 'hook'] as const)('what only the %s denies', (fence) => {
  const [command, file] = [`doctor-${fence}`, `doctor-${fence}.md`];
  const quiet = { judged: 6, denied: 0, denials: {} };

  it.each(['force', 'no-force'] as const)('fails if it happens in the start %s alone', (name) => {
    const ran = withStart(name, { ran: ['doctor-free', command] });
    expect(answerOf(`${fence}-command`, ran)).toEqual({
      answer: 'fail',
      detail: expect.stringMatching(name === 'force' ? /^With --force: / : /^Without --force: /),
    });
    const written = withStart(name, {
      changed: ['doctor-free.md', file],
      calls: changed(CALLS.rules, file, { state: 'ok' }),
    });
    expect(answerOf(`${fence}-write`, written).answer).toBe('fail');
  });

  it.each<[string, Partial<Start>]>([
    ['the model did not try', { calls: without(CALLS.rules, command), hook: quiet }],
    [
      'it failed in another way',
      { calls: CALLS.rules.map((one) => ({ ...one, state: 'failed' })), hook: quiet },
    ],
    ['nothing else ran either', { ran: [], changed: [] }],
  ])('is unknown if %s', (_, more) => {
    for (const what of ['command', 'write'])
      expect(answerOf(`${fence}-${what}`, withStart('force', more)).answer).toBe('unknown');
  });

  it('is unknown if the control did not show that it works', () => {
    const given = withStart('control', { ran: ['doctor-free'], changed: ['doctor-free.md'] });
    expect(answerOf(`${fence}-command`, given).answer).toBe('unknown');
    expect(answerOf(`${fence}-write`, given).answer).toBe('unknown');
  });

  it('is unknown if a start is missing', () => {
    const { control, force } = evidence().starts;
    const stopped = { reason: 'usage-limit', detail: 'The limit is reached.' };
    const given = evidence({
      starts: { ...(control ? { control } : {}), ...(force ? { force } : {}) },
      stopped,
    });
    expect(answerOf(`${fence}-command`, given)).toEqual({
      answer: 'unknown',
      detail: 'The limit is reached.',
    });
  });

  it('does not take a file that a shell command wrote for a broken rule', () => {
    const given = withStart('force', { changed: ['doctor-free.md', file] });
    expect(answerOf(`${fence}-write`, given).answer).toBe('unknown');
  });

  it('does not take the refusal of somebody else for its own', () => {
    const foreign = {
      state: 'denied',
      byHook: true,
      message: 'blocked by preToolUse hook: team rule',
    } as const;
    const other = fence === 'rule' ? byHook('Shell(x)') : byRule;
    for (const denial of [foreign, other]) {
      const calls = changed(CALLS.rules, command, denial);
      expect(answerOf(`${fence}-command`, withStart('force', { calls, hook: quiet })).answer).toBe('unknown');
    }
  });
});

it('knows the refusal of our hook among the words of other hooks', () => {
  const message = 'team rule\ncursor-agent-action: denied by Shell(doctor-hook)';
  const denial = { state: 'denied', byHook: true, message } as const;
  const start = { calls: changed(CALLS.rules, 'doctor-hook', denial) };
  expect(answerOf('hook-command', withStart('force', start)).answer).toBe('pass');
});

describe('the report of the doctor', () => {
  const told = { platform: 'linux/x64', model: 'auto' };

  it.each([
    ['pass', evidence()],
    ['unknown', evidence({ isolation: 'off' })],
    ['fail', { ...withStart('force', { escaped: ['doctor-free'] }), cli: {} }],
  ])('is %s', (status, given) => {
    const report = buildDoctorReport(given, told);
    expect(report.status).toBe(status);
    expect(DoctorSchema.parse(report)).toEqual(report);
    expect(JSON.stringify(report)).not.toContain('a.b.c');
  });

  it('escapes what the CLI said', () => {
    const labels = { '<img src=x> | @everyone\n# x': 1 };
    const given = withStart('force', { unrecognised: { count: 1, labels, tools: {} } });
    const text = renderDoctorReport(buildDoctorReport(given, told));
    expect(text).not.toMatch(/<img|\n# x/);
    const rows = text.split('\n').filter((line) => line.startsWith('| '));
    expect(rows).toHaveLength(CHECKS.length + 2);
    for (const row of rows) expect(row.split(' | ')).toHaveLength(3);
  });
});

describe('the action and the page of the doctor', () => {
  it('have the inputs that it reads', () => {
    const { inputs } = parse(readFileSync('doctor/action.yml', 'utf8')) as { inputs: object };
    expect(Object.keys(inputs).sort()).toEqual([...DOCTOR_INPUTS].sort());
  });

  it('name every check and every input', () => {
    const page = readFileSync('docs/doctor.md', 'utf8');
    expect(CHECKS.filter(({ id }) => !page.includes(`\`${id}\``))).toEqual([]);
    const [, inputs = ''] = /## Inputs\n([\s\S]*?)\n## /.exec(page) ?? [];
    expect(DOCTOR_INPUTS.filter((name) => !inputs.includes(`\`${name}\``))).toEqual([]);
  });
});
