import { describe, expect, it } from '@jest/globals';
import { marked } from 'marked';
import { readFileSync } from 'node:fs';
import { fakeAgent } from './fake-agent.js';
import { API_KEY, GITHUB_TOKEN, runStep, type Step, type StepResult } from './step.js';

const DATABASE = 'postgres://app:p%40ss-word-77@db.example.com/main';
const PASSED = {
  NPM_AUTH: 'npm-auth-value-123',
  SENTRY_DSN: 'https://publickey77@sentry.example.com/1',
  DEPLOY_KEY: 'first-line-of-key\nsecond-line-of-key',
  DATABASE_URL: DATABASE,
  AUTHOR: 'Somebody',
};
const SECRETS = [
  API_KEY,
  GITHUB_TOKEN,
  PASSED.NPM_AUTH,
  PASSED.SENTRY_DSN,
  'second-line-of-key',
  'p@ss-word-77',
  'p%40ss-word-77',
  'runtime-token-canary',
];

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Everything a run leaves for others to read, by name. Random ids in the log could contain any short text by chance. */
function sinksOf(step: StepResult): [string, string][] {
  const log = step.stdout
    .replace(UUID, '')
    .split('\n')
    .filter((line) => !line.startsWith('::add-mask::'));
  const files = ['transcript-file', 'report-file', 'result-file'].map((name): [string, string] => [
    name,
    readFileSync(step.outputs.get(name)!, 'utf8'),
  ]);
  return [
    ['log', log.join('\n')],
    ['stderr', step.stderr],
    ['summary', step.summary],
    ...step.outputs,
    ...files,
  ];
}

function expectNone(step: StepResult, texts: readonly string[]): void {
  for (const [name, sink] of sinksOf(step)) {
    for (const text of texts) expect(sink.includes(text) ? `${text} in ${name}` : 'clean').toBe('clean');
  }
}

const run = (body: string, more: Step = {}) =>
  runStep({
    ...more,
    inputs: { 'cli-path': fakeAgent(body).path, 'pass-env': Object.keys(PASSED).join('\n'), retries: '0' },
    env: { ...PASSED, RUNNER_DEBUG: '1' },
  });

describe('secrets', () => {
  it('are in no sink, in no form, whatever the agent does with them', async () => {
    const plain = (secret: string) => [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('hex').toUpperCase(),
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      Array.from(secret).reverse().join(''),
    ];
    const base64 = (secret: string) => [
      ...['', 'x', 'xy'].map((before) => Buffer.from(`${before}${secret}`).toString('base64')),
      Buffer.from(`~~?${secret}`).toString('base64url'),
    ];
    const all = SECRETS.flatMap((secret) => [...plain(secret), ...base64(secret)]);
    // The ends of base64 hold bits of what stands around it.
    const cores = SECRETS.flatMap(base64).map((text) => text.slice(6, -6));
    const step = await run(`
      init();
      const texts = ${JSON.stringify(all)};
      const words = texts.join(' ');
      say(words); complain(words); print(words);
      const raw = texts[0].replace(/[a-z]/g, (letter) => '\\\\u00' + letter.charCodeAt(0).toString(16));
      print('{"type":"assistant","message":{"content":[{"type":"text","text":"' + raw + '"}]}}');
      texts.forEach((text, index) => {
        // Each once where a bound would cut it in half.
        const long = 'y'.repeat(3990) + text + 'z'.repeat(3990);
        call('s' + index, 'shellToolCall', { command: 'x'.repeat(1990) + text }, { failure: { exitCode: 1, stdout: long, stderr: '' } });
        call('d' + index, 'editToolCall', { path: text }, { rejected: { path: text, reason: 'r'.repeat(490) + text } });
      });
      print('w'.repeat(190) + texts[0]);
      complain('w'.repeat(990) + texts[0]);
      emit({ type: 'error', message: words });
      emit({ type: 'result', subtype: 'error', is_error: true, result: words });
      complain(words); process.exit(1);
    `);
    expect(step.code).toBe(1);
    expectNone(step, [...all, ...cores]);
    // Halves of the key that a cut before the redaction would have left.
    expectNone(step, [API_KEY.slice(0, 12), API_KEY.slice(-12), GITHUB_TOKEN.slice(0, 14)]);
    expect(step.stdout).toContain('***');
  });

  it('are in no sink when they are split over the pieces of a text', async () => {
    const step = await run(`
      init();
      const key = ${JSON.stringify(API_KEY)}, token = ${JSON.stringify(GITHUB_TOKEN)};
      let now = 1;
      const delta = (text) => emit({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] }, session_id, timestamp_ms: now++ });
      const think = (text) => emit({ type: 'thinking', subtype: 'delta', text, session_id, timestamp_ms: now++ });
      think('it is ' + key.slice(0, 9)); think(key.slice(9)); emit({ type: 'thinking', subtype: 'completed', session_id });
      delta('The key is '); delta(key.slice(0, 20)); print('some noise'); delta(key.slice(20) + ', and the token ');
      for (const letter of token) delta(letter);
      delta(' too.');
      say('The key is ' + key + ', and the token ' + token + ' too.');
      call('1', 'lsToolCall', { path: '.' }, { success: {} });
      // Pieces as old builds send them.
      say('Again ' + key.slice(0, 16)); say(key.slice(16) + '.');
      finish('The key is ' + key);
    `);
    expect(step.code).toBe(0);
    expectNone(step, [API_KEY, GITHUB_TOKEN, API_KEY.slice(0, 16), API_KEY.slice(20), GITHUB_TOKEN.slice(8)]);
    expect(step.outputs.get('result')).toBe('Again ***.');
    // Nor do the pieces in the transcript make it up when they are put together.
    const texts = readFileSync(step.outputs.get('transcript-file')!, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { text?: string; message?: { content: { text: string }[] } })
      .map(({ text, message }) => text ?? message?.content[0]?.text ?? '');
    expect(texts.join('')).not.toContain(API_KEY);
    expect(texts.join('')).toContain('The key is ***, and the token *** too.');
    expect(step.stdout).toContain('The key is ***, and the token *** too.');
  });

  it('are in no sink when they only come out as it is shown', async () => {
    const rest = API_KEY.slice(4);
    const colour = `${API_KEY.slice(0, 14)}\u001b[1;31m${API_KEY.slice(14)}`;
    const texts = [
      API_KEY.replace('_', '\\_'),
      API_KEY.replace('_', '&#95;'),
      `${API_KEY.slice(0, 14)}**${API_KEY.slice(14)}**`,
      `${API_KEY.slice(0, 14)}\u200b${API_KEY.slice(14)}`,
      colour,
      API_KEY.toUpperCase(),
      Buffer.from(API_KEY).toString('hex').replace(/../g, '$& '),
    ];
    const step = await run(`
      init();
      const texts = ${JSON.stringify(texts)};
      const words = texts.join('\\n\\n');
      say(words);
      texts.forEach((text, index) => {
        call('s' + index, 'readToolCall', { path: text }, { success: { content: text } });
        complain(text);
      });
      finish(words);
    `);
    expect(step.code).toBe(0);
    for (const [name, sink] of [
      ...sinksOf(step),
      ['page', readFileSync(step.outputs.get('report-html')!, 'utf8')],
    ] as const) {
      const html = name === 'summary' ? marked.parse(sink, { async: false }) : sink;
      // As a terminal and a browser show it, and as whoever reads it puts it together.
      const seen = html
        .replace(/<script>[^]*?<\/script>|<style>[^]*?<\/style>|<[^<>]*>/g, '')
        .replace(/\\u(00[01][\da-f]|200b)/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)))
        // eslint-disable-next-line no-control-regex -- a colour begins with one
        .replace(/\u001b\[[\d;]*m/g, '')
        .replace(/&#(\d+);/g, (_, digits: string) => String.fromCharCode(Number(digits)))
        .replace(/[^\w]|_/g, '')
        .toLowerCase();
      for (const text of [rest, Buffer.from(API_KEY).toString('hex')])
        expect(seen.includes(text) ? `${text} in ${name}` : 'clean').toBe('clean');
    }
  });

  it('are in no sink when a line is too long to be read', async () => {
    const step = await run(`
      init();
      print('{"type":"assistant","x":"' + 'a'.repeat(64 * 1024 - 24 - 20) + ${JSON.stringify(API_KEY)} + 'a'.repeat(9 * 1024 * 1024) + '"}');
      complain('b'.repeat(64 * 1024 - 20) + ${JSON.stringify(API_KEY)} + 'b'.repeat(9 * 1024 * 1024));
      say('done'); finish('done');
    `);
    expect(step.code).toBe(0);
    expectNone(step, [API_KEY.slice(0, 12)]);
  });

  it('are masked for the runner, each and line by line; what is no secret is not', async () => {
    const step = await run(`init(); say('By Somebody.'); finish('By Somebody.');`);
    for (const secret of SECRETS)
      expect(step.stdout).toContain(`::add-mask::${secret.replaceAll('%', '%25')}`);
    expect(step.stdout).toContain('::add-mask::first-line-of-key%0Asecond-line-of-key');
    expect(step.outputs.get('result')).toBe('By Somebody.');
  });
});
