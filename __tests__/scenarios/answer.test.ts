import { describe, expect, it } from '@jest/globals';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStrictFile } from '../report/strict-report.js';
import { fakeAgent } from './fake-agent.js';
import { readCommands } from './runner-rules.js';
import { API_KEY, runStep, type StepResult } from './step.js';
import { git, makeFolder, makeWorkspace } from './workspace.js';

const SCHEMA = JSON.stringify({
  type: 'object',
  properties: { label: { enum: ['bug', 'feature'] } },
  required: ['label'],
});
const USAGE = `{ usage: { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 } }`;

const reportOf = (step: StepResult) => readStrictFile(step.outputs.get('report-file')!);
const transcriptOf = (step: StepResult) =>
  readFileSync(step.outputs.get('transcript-file')!, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type);

describe('an answer that must satisfy a schema', () => {
  it('is asked for in the prompt, and given as an output', async () => {
    const agent = fakeAgent(
      `init(); say('Let me look.'); say('It is:\\n\`\`\`json\\n{"label": "bug", "note": "a\\u2028b"}\\n\`\`\`'); finish('…');`,
    );
    const step = await runStep({
      inputs: { 'cli-path': agent.path, 'output-schema': SCHEMA, prompt: 'Label it.' },
    });
    expect(step.errors).toEqual([]);
    expect(step.outputs.get('status')).toBe('success');
    expect(step.outputs.get('structured-output')).toBe('{"label":"bug","note":"a\\u2028b"}');
    expect(step.outputs.get('sarif-file')).toBe('');
    const [seen] = agent.sightings();
    expect(seen?.stdin).toMatch(
      /\n# Task\n\nLabel it\.\n\n# Form of the answer\n\nYour answer is read by a program\./,
    );
    expect(seen?.stdin).toContain('"feature"');
    expect(seen?.stdin).toContain('{\n  "label": "bug"\n}');
    expect(step.summary).toContain('```json\n{\n  "label": "bug"');
    expect(reportOf(step)).toMatchObject({ structuredOutput: { label: 'bug' }, corrections: [] });
  });

  it('is corrected in the same chat, and nothing of the first round is lost', async () => {
    const agent = fakeAgent(`
      init();
      call(String(attempt), 'readToolCall', { path: 'file-' + attempt }, { success: { content: 'x', totalLines: 1 } });
      if (attempt === 1) call('d', 'shellToolCall', { command: 'git push' }, { rejected: { command: 'git push', reason: 'no' } });
      say(attempt === 1 ? 'I would say {"label": "bugg"}.' : '{"label": "bug"}');
      finish('x', ${USAGE});
    `);
    const step = await runStep({ inputs: { 'cli-path': agent.path, 'output-schema': SCHEMA } });
    expect(step.errors).toEqual([]);
    const [first, second] = agent.sightings();
    expect(first?.argv).not.toContain('--resume');
    expect(second?.argv.slice(-2)).toEqual(['--resume', 'chat-1']);
    expect(second?.stdin).toContain('/label must be equal to one of the allowed values: ["bug","feature"]');
    expect(second?.stdin).not.toContain('Say that all is well');
    expect(Object.fromEntries(step.outputs)).toMatchObject({
      status: 'success',
      'structured-output': '{"label":"bug"}',
      result: '{"label": "bug"}',
      'tool-calls': '3',
      'tool-calls-denied': '1',
      'duration-ms': '2400',
      usage: '{"inputTokens":20,"outputTokens":2,"cacheReadTokens":0,"cacheWriteTokens":0}',
    });
    const report = reportOf(step);
    expect(report.report.tools.map(({ number, target }) => `${number} ${target}`)).toEqual([
      '1 file-1',
      '2 git push',
      '3 file-2',
    ]);
    expect(report.denials).toHaveLength(1);
    expect(report.corrections).toHaveLength(1);
    expect(transcriptOf(step).filter((type) => type === 'result')).toHaveLength(2);
    expect(step.stdout).toMatch(/answer 1 cannot be used: .*\/label must be equal/);
    expect(step.stdout).toContain('asking for a corrected answer (1 of 2)');
    expect(step.summary).toContain('Answer 1 could not be used');
  });

  it('fails the step when it is wrong three times, with the errors and the answer', async () => {
    const agent = fakeAgent(`init(); say('{"label": ' + attempt + '}'); finish('x');`);
    const step = await runStep({ inputs: { 'cli-path': agent.path, 'output-schema': SCHEMA } });
    expect(agent.sightings()).toHaveLength(3);
    expect(step.code).toBe(1);
    expect(Object.fromEntries(step.outputs)).toMatchObject({
      'failure-reason': 'bad-output',
      result: '{"label": 3}',
      'structured-output': '',
    });
    for (const text of [step.errors.join(), step.summary]) {
      expect(text).toContain('/label must be equal to one of the allowed values');
      expect(text).toContain('The agent was asked 2 times to correct its answer.');
    }
    expect(reportOf(step).corrections).toHaveLength(3);
    expect(reportOf(step)).not.toHaveProperty('structuredOutput');
  });

  it('is not asked for again without a chat to continue', async () => {
    const agent = fakeAgent(`
      emit({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'No JSON.' }] } });
      emit({ type: 'result', subtype: 'success', duration_ms: 1, is_error: false, result: 'No JSON.' });
    `);
    const step = await runStep({ inputs: { 'cli-path': agent.path, 'output-schema': SCHEMA } });
    expect(agent.sightings()).toHaveLength(1);
    expect(step.outputs.get('failure-reason')).toBe('bad-output');
    expect(step.warnings.join()).toContain('reported no session id');
    expect(step.summary).toContain('There is no JSON in the answer.');
  });

  it('is not asked for again where the run failed for another reason', async () => {
    const agent = fakeAgent(`init(); say('{"label": "nothing"}'); finish('x'); process.exit(3);`);
    const step = await runStep({ inputs: { 'cli-path': agent.path, 'output-schema': SCHEMA } });
    expect(agent.sightings()).toHaveLength(1);
    expect(step.outputs.get('failure-reason')).toBe('crashed');
    expect(step.outputs.get('result')).toBe('{"label": "nothing"}');
  });

  it('keeps what it has when the corrected round fails, and that round’s reason', async () => {
    const agent = fakeAgent(`
      init();
      call(String(attempt), 'readToolCall', { path: 'a' }, { success: { content: 'x', totalLines: 1 } });
      if (attempt === 2) { complain('Cannot use this model: x'); process.exit(1); }
      say('no'); finish('x');
    `);
    const step = await runStep({ inputs: { 'cli-path': agent.path, 'output-schema': SCHEMA } });
    expect(step.outputs.get('failure-reason')).toBe('model-unavailable');
    expect(step.outputs.get('tool-calls')).toBe('2');
    expect(step.outputs.get('result')).toBe('no');
  });

  it('is within the time limit of the run', async () => {
    const agent = fakeAgent(`init(); if (attempt === 2) await sleep(60000); say('no'); finish('x');`);
    const step = await runStep({
      inputs: { 'cli-path': agent.path, 'timeout-minutes': '0.15', 'output-schema': SCHEMA },
    });
    expect(agent.sightings()).toHaveLength(2);
    expect(step.outputs.get('failure-reason')).toBe('timeout');
    expect(step.outputs.get('result')).toBe('no');
  });

  it('never leads a secret anywhere, however it is written, and stays JSON', async () => {
    const escaped = API_KEY.replace(/./g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const agent = fakeAgent(`
      init();
      say(${JSON.stringify(`{"label": "bug", "plain": "x${API_KEY}", "escaped": "${escaped}", "${API_KEY}": 1, "list": [["${API_KEY}\\"q"]]}`)});
      finish('x');
    `);
    const step = await runStep({ inputs: { 'cli-path': agent.path, 'output-schema': SCHEMA } });
    const value = JSON.parse(step.outputs.get('structured-output')!) as Record<string, unknown>;
    expect(value).toMatchObject({ label: 'bug', plain: 'x***', escaped: '***', '***': 1, list: [['***"q']] });
    for (const name of ['report-file', 'report-html', 'transcript-file'])
      expect(readFileSync(step.outputs.get(name)!, 'utf8')).not.toContain(API_KEY);
    expect(step.summary).not.toContain(API_KEY);
  });

  it('is left to the report where it is too long for an output', async () => {
    const agent = fakeAgent(
      `init(); say(JSON.stringify({ label: 'bug', more: 'x'.repeat(200000) })); finish('x');`,
    );
    const step = await runStep({ inputs: { 'cli-path': agent.path, 'output-schema': SCHEMA } });
    expect(step.outputs.get('status')).toBe('success');
    expect(step.outputs.get('structured-output')).toBe('');
    expect(step.warnings.join()).toContain('structured-output is empty');
    expect((reportOf(step).structuredOutput as { more: string }).more).toHaveLength(200_000);
  });

  it('speaks to nobody, whatever is wrong with it', async () => {
    const agent = fakeAgent(`init(); say('{"label": "\\\\n::error::x", "##[add-path]y": 1}'); finish('x');`);
    const schema = JSON.stringify({ properties: { label: { const: 1 } }, additionalProperties: false });
    const step = await runStep({ inputs: { 'cli-path': agent.path, 'output-schema': schema } });
    expect(step.outputs.get('failure-reason')).toBe('bad-output');
    const commands = readCommands(step.stdout).filter(({ stopped }) => !stopped);
    expect(commands.filter(({ name }) => name === 'add-path')).toEqual([]);
    expect(commands.filter(({ name }) => name === 'error')).toHaveLength(1);
    expect(step.stdout).toContain('##\\[add-path]y');
  });
});

describe('a schema that cannot be used', () => {
  it('stops the run before anything is touched, with all that is wrong', async () => {
    const agent = fakeAgent(`init();`);
    const step = await runStep({
      inputs: { 'cli-path': agent.path, 'output-schema': '{"type": "strin"}', retries: '-1' },
    });
    expect(agent.sightings()).toEqual([]);
    expect(step.outputs.get('failure-reason')).toBe('invalid-input');
    expect(step.errors.join()).toMatch(/retries: [\s\S]*output-schema: is not valid: \/type/);
  });

  it('may be a file of the workspace, and not one that is a link out of it', async () => {
    const secret = join(makeFolder('secret'), 'schema.json');
    writeFileSync(secret, SCHEMA);
    const workspace = makeWorkspace({ 'schemas/label.json': SCHEMA });
    symlinkSync(secret, join(workspace, 'link.json'));
    git(workspace, 'add', '--all');
    git(workspace, 'commit', '--quiet', '--message', 'link');
    const agent = fakeAgent(`init(); say('{"label": "bug"}'); finish('x');`);
    const run = (schema: string) =>
      runStep({ workspace, inputs: { 'cli-path': agent.path, 'output-schema': schema } });
    expect((await run('schemas/label.json')).outputs.get('structured-output')).toBe('{"label":"bug"}');
    expect((await run('link.json')).errors.join()).toContain('leads out of the workspace');
    expect((await run('finding')).errors.join()).toContain('does not exist');
  });
});

describe('findings', () => {
  const REVIEW = JSON.stringify({
    summary: 'One bug.',
    findings: [
      { path: 'README.md', startLine: 1, endLine: 1, severity: 'high', title: 'It breaks', body: '' },
      { path: 'gone.ts', startLine: 1, endLine: 1, severity: 'critical', title: 'Made up', body: '' },
    ],
  });

  it('fail the step from the severity that is named, and everything else is as after a success', async () => {
    const agent = fakeAgent(
      `init(); await import('node:fs').then((fs) => fs.writeFileSync('notes.md', 'noted')); say(${JSON.stringify(REVIEW)}); finish('x');`,
    );
    const inputs = {
      ...{ 'cli-path': agent.path, preset: 'custom', allow: 'Read(**)\nWrite(**/*.md)' },
      ...{ 'output-schema': 'findings', 'fail-on-severity': 'high' },
    };
    const step = await runStep({ inputs });
    expect(step.code).toBe(1);
    expect(step.outputs.get('status')).toBe('failure');
    expect(step.outputs.get('failure-reason')).toBe('findings');
    expect(step.errors).toEqual([expect.stringMatching(/fail-on-severity[\s\S]*README\.md:1 It breaks/)]);
    expect(step.errors[0]).not.toContain('Made up');
    expect(step.summary).toContain('It breaks');
    expect(reportOf(step).review?.findings).toHaveLength(2);
    expect(readFileSync(step.outputs.get('sarif-file') ?? '', 'utf8')).toContain('It breaks');
    expect(JSON.parse(step.outputs.get('structured-output') ?? '')).toMatchObject({ summary: 'One bug.' });
    expect(step.outputs.get('changed-files')).toBe('["notes.md"]');
    expect(readFileSync(join(step.workspace, 'notes.md'), 'utf8')).toBe('noted');
  });

  it('do not fail the step below that severity, nor if they point at nothing', async () => {
    const agent = fakeAgent(`init(); say(${JSON.stringify(REVIEW)}); finish('x');`);
    const inputs = { 'cli-path': agent.path, 'output-schema': 'findings', 'fail-on-severity': 'critical' };
    const step = await runStep({ inputs });
    expect(step.errors).toEqual([]);
    expect(step.outputs.get('status')).toBe('success');
  });

  it('fail the step if there is no review at all', async () => {
    const agent = fakeAgent(`init(); say('I would rather not.'); finish('x');`);
    const inputs = { 'cli-path': agent.path, 'output-schema': 'findings', 'fail-on-severity': 'critical' };
    const step = await runStep({ inputs });
    expect(step.code).toBe(1);
    expect(step.outputs.get('failure-reason')).toBe('bad-output');
  });

  it('are looked up, shown, and written for other tools', async () => {
    const workspace = makeWorkspace({ 'src/a b.ts': 'one\ntwo\nthree\n', 'README.md': '# x\n' });
    const finding = { startLine: 2, severity: 'high', title: 'Off by one', body: 'See **here**.' };
    const answer = {
      summary: 'One real problem.',
      findings: [
        { ...finding, path: `${workspace}/src/a b.ts`, suggestion: '2' },
        { ...finding, path: './src/a b.ts', endLine: 2 },
        { ...finding, path: 'src/a b.ts', startLine: 30 },
        { ...finding, path: 'src/none.ts' },
        { ...finding, path: '../../etc/passwd', severity: 'INFO' },
      ],
    };
    const agent = fakeAgent(`init(); say(${JSON.stringify(JSON.stringify(answer))}); finish('x');`);
    const step = await runStep({
      workspace,
      inputs: { 'cli-path': agent.path, 'output-schema': 'findings' },
    });
    expect(step.errors).toEqual([]);
    expect(agent.sightings()[0]?.stdin).toContain('Rules for findings');
    expect(reportOf(step).review?.findings.map(({ path, place, count }) => [path, place, count])).toEqual([
      ['src/a b.ts', 'unchecked', 2],
      ['src/a b.ts', 'no-such-line', 1],
      ['src/none.ts', 'no-such-path', 1],
      ['../../etc/passwd', 'no-such-path', 1],
    ]);
    const structured = JSON.parse(step.outputs.get('structured-output')!) as typeof answer;
    expect(structured.findings[0]).toMatchObject({ path: 'src/a b.ts', startLine: 2, endLine: 2 });
    const sarif = readFileSync(step.outputs.get('sarif-file')!, 'utf8');
    expect(sarif).toContain('src/a%20b.ts');
    expect(sarif).not.toContain('passwd');
    const rdjson = JSON.parse(readFileSync(step.outputs.get('rdjson-file')!, 'utf8')) as object;
    expect(rdjson).toMatchObject({
      diagnostics: [{ location: { path: 'src/a b.ts' }, suggestions: [{ text: '2' }] }],
    });
    expect(step.summary).toContain(': 1 high');
    expect(step.summary).toContain('Set aside (');
    expect(step.stdout).toContain('high     src/a b.ts:2 Off by one');
    expect(step.warnings.join()).toContain('3 of 4 findings are set aside');
  });

  it('can be none, which is a run without results', async () => {
    const agent = fakeAgent(`init(); say('{"summary": "All is well.", "findings": []}'); finish('x');`);
    const step = await runStep({ inputs: { 'cli-path': agent.path, 'output-schema': 'findings' } });
    expect(step.outputs.get('status')).toBe('success');
    expect(step.summary).toContain(': no findings');
    expect(step.summary).toContain('All is well.');
    expect(JSON.parse(readFileSync(step.outputs.get('sarif-file')!, 'utf8'))).toMatchObject({
      runs: [{ results: [] }],
    });
  });

  it('are files of nobody where the answer could not be used', async () => {
    const agent = fakeAgent(`init(); say('[]'); finish('x');`);
    const step = await runStep({ inputs: { 'cli-path': agent.path, 'output-schema': 'findings' } });
    expect(step.outputs.get('failure-reason')).toBe('bad-output');
    expect([step.outputs.get('sarif-file'), step.outputs.get('rdjson-file')]).toEqual(['', '']);
  });
});
