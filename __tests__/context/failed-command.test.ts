import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { failedCommand } from '../../src/context/ci-logs.js';
import { chooseCommands } from '../../src/run/verify-commands.js';

const CYAN = (line: string) => `\u001b[36;1m${line}\u001b[0m`;
const STEP = {
  name: 'Test',
  number: 3,
  conclusion: 'failure',
  startedAt: '2026-01-01T08:00:05Z',
  completedAt: '2026-01-01T08:00:09Z',
};
const at = (second: number, ...lines: string[]) =>
  lines.map((line) => `2026-01-01T08:00:${String(second).padStart(2, '0')}.1234567Z ${line}`);
/** As the runner prints the start of a step with a script. */
const group = (script: string[], { shell = '/usr/bin/bash -e {0}', env = [] as string[] } = {}) => [
  `##[group]Run ${script[0] ?? ''}`,
  ...script.map(CYAN),
  `shell: ${shell}`,
  ...(env.length === 0 ? [] : ['env:', ...env.map((line) => `  ${line}`)]),
  '##[endgroup]',
];
const read = (lines: string[], step: Partial<typeof STEP> = {}, isCut = false) =>
  failedCommand({ text: lines.join('\n'), isCut }, { ...STEP, ...step });
const EARLIER = at(1, ...group(['npm ci']));

describe('the command of a failed step', () => {
  it('is read with its shell and its variables', () => {
    const env = ['NODE_ENV: test', 'TOKEN: ***', 'JAVA_HOME: /opt/java'];
    const lines = [
      ...EARLIER,
      ...at(5, ...group(['set -x', 'npm test'], { env })),
      ...at(8, '##[error]exit 1'),
    ];
    expect(read(lines)).toEqual({
      command: {
        script: 'set -x\nnpm test',
        shell: 'bash',
        options: ['-e'],
        env: { NODE_ENV: 'test' },
        place: 'workspace',
      },
    });
    const shell = '/usr/bin/bash --noprofile --norc -e -o pipefail {0}';
    expect(read(at(5, ...group(['make'], { shell })))).toMatchObject({
      command: { options: ['--noprofile', '--norc', '-e', '-o', 'pipefail'] },
    });
  });

  it.each<[string, string[], string, Partial<typeof STEP>?]>([
    [
      'an action',
      at(5, '##[group]Run actions/setup-node@v4', 'with:', '  node-version: 20', '##[endgroup]'),
      'an action',
    ],
    ['no command at all', at(6, 'nothing here'), 'does not show a command'],
    [
      'a second one, which the step printed itself',
      at(5, ...group(['npm test']), ...group(['true'])),
      'more than one',
    ],
    [
      'one that an earlier step forged in the same second',
      [...at(5, ...group(['true'])), ...at(5, ...group(['npm test']))],
      'more than one',
    ],
    ['another shell', at(5, ...group(['print(1)'], { shell: '/usr/bin/python {0}' })), 'shell is not bash'],
    [
      'a shell with a command of its own',
      at(5, ...group(['x'], { shell: '/usr/bin/bash -c {0}' })),
      'shell is not bash',
    ],
    ['a secret', at(5, ...group(['deploy --token ***'])), 'a secret'],
    ['a file of the runner', at(5, ...group(['echo a=1 >> "$GITHUB_OUTPUT"'])), 'files of the runner'],
    ['no times', at(5, ...group(['npm test'])), 'does not say when', { startedAt: '' }],
  ])('is not known with %s', (_, lines, why, step = {}) => {
    expect(read([...EARLIER, ...lines], step)).toEqual({ why: expect.stringContaining(why) });
  });

  it('is not taken from a log whose beginning is missing', () => {
    expect(read(at(5, ...group(['true'])), {}, true)).toEqual({
      why: expect.stringContaining('too long'),
    });
  });

  it('is chosen by the name of the step, if that is its first line', () => {
    const lines = [...at(5, ...group(['npm run lint'])), ...at(5, ...group(['npm test']))];
    expect(read(lines, { name: 'Run npm test' })).toMatchObject({ command: { script: 'npm test' } });
  });

  it('survives every log', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...at(5, ...group(['a'])))), {
          maxLength: 20,
        }),
        (lines) => {
          expect(read(lines)).toBeDefined();
        },
      ),
    );
  });
});

describe('what a change is verified with', () => {
  const keep = (text: string) => text;
  const found = read(at(5, ...group(['npm test'], { env: ['NODE_OPTIONS: --import=x', 'A: 1'] })));
  const failed = [{ job: 'test', step: 'Test', found }];

  it('is the input, else for fix-ci the failed step, once for a matrix', () => {
    const given = chooseCommands(
      { verify: { kind: 'commands', commands: ['make check'] }, preset: 'fix-ci' },
      failed,
      keep,
    );
    expect(given).toMatchObject({
      commands: [{ script: 'make check', place: 'working-directory' }],
      source: '',
    });
    const own = chooseCommands({ verify: { kind: 'auto' }, preset: 'fix-ci' }, [...failed, ...failed], keep);
    expect(own).toMatchObject({
      commands: [{ script: 'npm test', env: { A: '1' } }],
      source: expect.stringContaining('log'),
    });
  });

  it('is nothing for other presets, with none, and where the log shows nothing that can be run', () => {
    expect(chooseCommands({ verify: { kind: 'auto' }, preset: 'docs' }, failed, keep)).toMatchObject({
      kind: 'none',
      isNews: false,
    });
    expect(chooseCommands({ verify: { kind: 'none' }, preset: 'fix-ci' }, failed, keep)).toMatchObject({
      kind: 'none',
    });
    expect(chooseCommands({ verify: { kind: 'auto' }, preset: 'fix-ci' }, failed, () => '***')).toMatchObject(
      { kind: 'none', isNews: true },
    );
    expect(chooseCommands({ verify: { kind: 'auto' }, preset: 'fix-ci' }, [], keep)).toMatchObject({
      kind: 'none',
      isNews: true,
    });
  });
});
