import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fakeAgent } from './fake-agent.js';
import { readCommands } from './runner-rules.js';
import { runStep } from './step.js';

const CORPUS = [
  '::set-output name=x::1',
  '   ::add-mask::a',
  '\t::set-env name=PATH::/evil',
  '\u00a0\u2003::error::b',
  'x\r::warning::c',
  'x\r\n::save-state name=isPost::true',
  'x\u2028::error::d',
  'x\u0085::error::e',
  '##[add-mask]f',
  'text ##[set-env name=A]g',
  '##[group]h ##[error]i',
  '#\u001b[31m#[error]j',
  '\u001b[0m::error::k',
  ':\u001b[0m:error::l',
  '\u200b::error::m',
  '\ufeff::error::n',
  '::stop-commands::mine\n::mine::\n::error::o',
  '::ERROR::p',
  '%0A::error::q',
];
const OUR_OWN = ['add-mask', 'group', 'endgroup', 'warning', 'error', 'stop-commands'];

/** An agent that puts each text wherever an agent's words can go. */
const everywhere = (texts: readonly string[]) =>
  fakeAgent(`
    const texts = ${JSON.stringify(texts)};
    emit({ type: 'system', subtype: 'init', cwd: process.cwd(), session_id: texts.join('\\n'), model: texts.join('\\n') });
    texts.forEach((text, index) => {
      say(text); complain(text); print(text); emit({ type: text, subtype: text });
      emit({ type: 'thinking', subtype: 'delta', text }); emit({ type: 'thinking', subtype: 'completed' });
      call('s' + index, 'shellToolCall', { command: text }, { failure: { exitCode: 1, stderr: text, stdout: text } });
      call('d' + index, 'readToolCall', { path: text }, { rejected: { path: text, reason: text } });
      call('u' + index, text + 'ToolCall', { query: text }, { error: { errorMessage: text } });
      emit({ type: 'tool_call', subtype: 'completed', call_id: 't' + index, tool_call: { updateTodosToolCall: { args: { todos: [{ id: text, content: text, status: 'TODO_STATUS_IN_PROGRESS' }] } } } });
      emit({ type: 'interaction_query', subtype: 'response', query_type: text, response: { rejected: { reason: text } } });
      emit({ type: 'connection', subtype: text }); emit({ type: 'error', message: text });
    });
    emit({ type: 'result', subtype: texts[0], is_error: true, result: texts.join('\\n'), session_id: 'x' });
    texts.forEach((text) => complain(text));
    process.exit(1);
  `);

const obeyed = async (texts: readonly string[]) => {
  const step = await runStep({
    inputs: { 'cli-path': everywhere(texts).path, retries: '0' },
    env: { RUNNER_DEBUG: '1' },
  });
  expect(step.code).toBe(1);
  // The runner reads both streams.
  expect(readCommands(step.stderr)).toEqual([]);
  return { step, commands: readCommands(step.stdout) };
};

describe('the runner, reading what we print', () => {
  it('knows its rules', () => {
    for (const text of CORPUS.slice(0, 6)) expect(readCommands(text)).not.toEqual([]);
    expect(readCommands('##[add-mask]f')).toEqual([{ name: 'add-mask', data: 'f', stopped: false }]);
    expect(
      readCommands('::stop-commands::t\n::error::x\n::t::\n::error::y').map(({ stopped }) => stopped),
    ).toEqual([...[false, true, false]]);
  });

  it('finds no command of the agent’s, in the stopped part or outside of it', async () => {
    const { step, commands } = await obeyed(CORPUS);
    expect(step.stdout).toContain('set-env');
    expect(commands.filter(({ stopped }) => stopped)).toEqual([]);
    expect(commands.filter(({ name }) => !OUR_OWN.includes(name))).toEqual([]);
    const count = (wanted: string) => commands.filter(({ name }) => name === wanted).length;
    expect(count('error')).toBe(1);
    // Once for the agent's part and once for each group of details; the first group is our own.
    expect(count('stop-commands')).toBe(1 + (count('group') - 1));
    const masks = commands.filter(({ name }) => name === 'add-mask').map(({ data }) => data);
    expect(masks.filter((data) => data.length < 6)).toEqual([]);
    // Also in our own annotation nothing is left that a later reader could take for a command.
    expect(step.stdout).not.toContain('##[');
  });

  it('finds none in random text either', async () => {
    const part = fc.constantFrom(
      ...['::', ':', '##[', '#', '[', ']', 'error', 'add-mask', 'set-output name=x', ' ', '\t', '\r', '\n'],
      ...[
        '\u2028',
        '\u0085',
        '\u001b[31m',
        '\u001b',
        '\u200b',
        '\u00a0',
        '\ufeff',
        '%0A',
        '%',
        '\\',
        'x',
        '\u0000',
      ],
    );
    const texts = fc.sample(
      fc.array(part, { minLength: 1, maxLength: 12 }).map((parts) => parts.join('')),
      300,
    );
    const { commands } = await obeyed(texts);
    expect(commands.filter(({ stopped }) => stopped)).toEqual([]);
    expect(commands.filter(({ name }) => !OUR_OWN.includes(name))).toEqual([]);
    expect(commands.filter(({ name }) => name === 'error')).toHaveLength(1);
  });

  it('is told with another token each time', async () => {
    const token = async () =>
      (await obeyed(['x'])).commands.find(({ name }) => name === 'stop-commands')?.data ?? '';
    const [first, second] = [await token(), await token()];
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
  });
});
