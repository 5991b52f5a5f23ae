import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { INPUT_NAMES, parseInputs, type InputName, type RawInputs } from '../../src/run/inputs.js';
import { buildOutputs } from '../../src/run/outputs.js';
import { beginRun } from '../../src/run/run-state.js';

const action = parse(readFileSync('action.yml', 'utf8')) as {
  inputs: Record<string, { default?: string; required?: boolean }>;
  outputs: Record<string, unknown>;
  runs: { using: string };
};

/** Every input as the runner would hand it over, with these changed. */
const raw = (given: Partial<RawInputs> = {}): RawInputs => ({
  ...(Object.fromEntries(INPUT_NAMES.map((name) => [name, ''])) as RawInputs),
  prompt: 'Do it.',
  'api-key': 'key_1234567890',
  ...given,
});
const problemsOf = (given: Partial<RawInputs>): string[] => {
  const parsed = parseInputs(raw(given));
  return 'problems' in parsed ? parsed.problems.map(({ input, message }) => `${input}: ${message}`) : [];
};
const inputsOf = (given: Partial<RawInputs>) => {
  const parsed = parseInputs(raw(given));
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed;
};

describe('action.yml', () => {
  it('has the inputs of the schema, and its outputs', () => {
    expect(Object.keys(action.inputs)).toEqual(INPUT_NAMES);
    expect(Object.keys(action.outputs)).toEqual(Object.keys(buildOutputs(beginRun().record)));
    expect(action.runs.using).toBe('node24');
  });

  it('requires nothing the runner would refuse by itself: all problems are told at once, by us', () => {
    for (const input of Object.values(action.inputs)) expect(input.required).toBeUndefined();
  });

  it('has the defaults of the schema', () => {
    const defaults = Object.fromEntries(
      Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? '']),
    ) as Partial<RawInputs>;
    const given = { ...defaults, 'github-token': '', prompt: 'Do it.', 'api-key': 'key_1234567890' };
    expect(inputsOf(given)).toEqual(inputsOf({}));
  });
});

describe('parseInputs', () => {
  it('has the defaults of the contract', () => {
    expect(inputsOf({})).toEqual({
      prompt: { kind: 'inline', text: 'Do it.' },
      instructions: undefined,
      apiKey: 'key_1234567890',
      credential: 'auto',
      githubToken: undefined,
      context: { kind: 'auto' },
      contextPaths: [],
      exclude: [],
      reviewScope: 'auto',
      agent: 'cursor',
      model: ['auto'],
      mode: undefined,
      preset: 'review',
      allow: [],
      deny: [],
      projectRules: 'auto',
      mcpConfig: undefined,
      passEnv: [],
      failOnSeverity: undefined,
      verify: { kind: 'auto' },
      forkReviews: 'labelled',
      isolation: 'auto',
      network: 'auto',
      allowedHosts: [],
      onViolation: 'fail',
      failOnDenied: false,
      allowedActors: [],
      resume: undefined,
      timeoutMinutes: 30,
      idleTimeoutMinutes: 10,
      retries: 2,
      effort: 'medium',
      maxStarts: undefined,
      runsPerDay: undefined,
      onLimit: 'fail',
      outputSchema: 'auto',
      summary: 'full',
      uploadReport: true,
      workingDirectory: '.',
      cliVersion: undefined,
      cliSha256: undefined,
      cliPath: undefined,
      cliDownloadUrl: undefined,
      extraArgs: [],
    });
  });

  it.each<[InputName, string, string, unknown]>([
    ['timeout-minutes', '0.5', 'timeoutMinutes', 0.5],
    ['timeout-minutes', '.5', 'timeoutMinutes', 0.5],
    ['retries', '0', 'retries', 0],
    ['fail-on-denied', 'TRUE', 'failOnDenied', true],
    ['pass-env', 'A, B_1\nC', 'passEnv', ['A', 'B_1', 'C']],
    ['extra-args', '-H\nX-A: 1, 2\n', 'extraArgs', ['-H', 'X-A: 1, 2']],
    ['cli-sha256', 'AB'.repeat(32), 'cliSha256', 'ab'.repeat(32)],
    [
      'allow',
      'Read(a,b)\r\n\n WebFetch(example.com) ',
      'allow',
      [
        { kind: 'Read', pattern: 'a,b' },
        { kind: 'WebFetch', domain: 'example.com' },
      ],
    ],
    [
      'cli-download-url',
      'https://m.example.com/{version}/{os}-{arch}.{ext}',
      'cliDownloadUrl',
      'https://m.example.com/{version}/{os}-{arch}.{ext}',
    ],
    ['cli-download-url', 'http://127.0.0.1:8080/x', 'cliDownloadUrl', 'http://127.0.0.1:8080/x'],
    ['context-paths', 'src/a b.ts\r\n\n"d\\ne.ts"', 'contextPaths', ['src/a b.ts', 'd\ne.ts']],
    ['exclude', '*.lock\r\n\n docs/{a,b}/** ', 'exclude', ['*.lock', 'docs/{a,b}/**']],
  ])('reads %s: %j', (name, text, key, value) => {
    expect(inputsOf({ [name]: text })).toHaveProperty(key, value);
  });

  it.each<[InputName, string, RegExp]>([
    ['agent', 'codex', /agent: "codex" given; use one of cursor, clido\./],
    ['mode', 'yolo', /mode: "yolo" given; use one of agent, ask, plan\./],
    ['summary', 'none', /summary: "none" given/],
    ['isolation', 'on', /isolation: "on" given/],
    ['on-violation', 'x', /on-violation: "x" given/],
    ['project-rules', 'x', /project-rules: "x" given/],
    ['context', 'diff, x', /context: "diff, x" given; use auto, none, or a list/],
    ['context', 'auto, diff', /context: "auto, diff" given/],
    [
      'context-paths',
      'a.ts\n"b',
      /context-paths: "\\"b" begins with a quotation mark and is not a JSON string\./,
    ],
    ['context-paths', 'a.ts\n../b', /context-paths: "\.\.\/b" is not the path of a file/],
    [
      'exclude',
      'a\n!b',
      /exclude: "!b" is not a pattern as in \.gitignore.*patterns with ! are not supported/,
    ],
    ['exclude', '../a', /exclude: "\.\.\/a" is not a pattern/],
    ['model', '--force', /model: "--force": is not a model id; write one per line/],
    ['model', 'a b', /model: "a b": is not a model id/],
    ['resume', '--yolo', /resume: "--yolo" given/],
    ['fail-on-denied', 'yes', /fail-on-denied: "yes" given; use true or false/],
    ['timeout-minutes', '1e3', /timeout-minutes: "1e3" given/],
    ['timeout-minutes', '-1', /timeout-minutes/],
    ['timeout-minutes', '7201', /timeout-minutes: "7201" given; .*at most 7200/],
    ['timeout-minutes', 'Infinity', /timeout-minutes/],
    ['idle-timeout-minutes', '0', /idle-timeout-minutes: "0" given/],
    ['retries', '1.5', /retries: "1.5" given; use a whole number/],
    ['retries', '11', /retries: "11" given/],
    ['cli-version', '../../evil', /cli-version: .*use an exact version/],
    ['cli-sha256', 'abc', /cli-sha256: "abc" given; use the 64/],
    ['cli-download-url', 'http://example.com/', /cli-download-url/],
    ['cli-download-url', 'file:///etc/passwd', /cli-download-url/],
    ['cli-download-url', 'nonsense', /cli-download-url/],
    ['pass-env', 'A B', /pass-env: "A B": is not the name/],
    ['pass-env', 'HOME', /pass-env: "HOME": is set by the action/],
    ['pass-env', 'ACTIONS_ID_TOKEN_REQUEST_TOKEN', /pass-env: .* never reaches the agent/],
    ['github-token', 'ghs_one\nghs_two', /^github-token: contains a line break, a blank or another/m],
    ['allowed-actors', '*', /allowed-actors: "\*": is not a GitHub login/],
    ['extra-args', '--yolo', /extra-args: "--yolo": is passed where the preset needs it/],
    ['extra-args', '--approve-mcps', /extra-args/],
    ['extra-args', '-f', /extra-args/],
  ])('refuses %s: %j', (name, text, words) => {
    expect(problemsOf({ [name]: text }).join('\n')).toMatch(words);
  });

  it('refuses an allow that could not take effect', () => {
    expect(problemsOf({ preset: 'docs', allow: 'Shell(git:log)' }).join()).toMatch(
      /allow: Shell\(git:log\) would have no effect, because the preset denies Shell\(git\) and deny wins; only/,
    );
  });

  it('takes a token that replaces a rule of the preset against everything', () => {
    expect(inputsOf({ preset: 'docs', allow: 'Shell(npm)' }).allow).toEqual([
      { kind: 'Shell', command: 'npm' },
    ]);
    expect(problemsOf({ preset: 'docs', allow: 'Shell(npm)', deny: 'Shell(*)' }).join()).toMatch(
      /because deny contains Shell\(\*\) and deny wins; remove it there/,
    );
  });

  it('refuses tokens that the mode or the preset cannot use, and says what can', () => {
    expect(problemsOf({ allow: 'Shell(npm)' })).toEqual([
      expect.stringMatching(
        /^allow: Shell\(npm\) .* in mode ask the agent runs no commands .* set mode: agent\.$/,
      ),
    ]);
    expect(inputsOf({ allow: 'Shell(npm)', mode: 'agent' }).mode).toBe('agent');
    expect(problemsOf({ preset: 'custom', mode: 'plan', allow: 'Write(src/**)' }).join()).toMatch(
      /mode plan/,
    );
    expect(problemsOf({ allow: 'Write(src/**)', mode: 'agent' }).join()).toMatch(
      /the preset review allows no change; use preset docs, edit, fix-ci or custom/,
    );
  });

  it('refuses for clido what only the hook of the action can hold', () => {
    const given = { agent: 'clido', preset: 'docs', allow: 'Shell(npm)' };
    expect(problemsOf(given)).toEqual([
      expect.stringMatching(/^allow: Shell\(npm\) cannot be enforced with clido/),
    ]);
    const custom = { agent: 'clido', preset: 'custom', prompt: 'x' };
    expect(problemsOf({ ...custom, allow: 'Read(src/**)\nShell(npm)' })).toEqual([
      expect.stringMatching(/^allow: Read\(src\/\*\*\) cannot.*write Read\(\*\*\)/),
      expect.stringMatching(/^allow: Shell\(npm\) cannot.*write Shell\(\*\)/),
    ]);
    expect(inputsOf({ ...custom, allow: 'Read(**)\nWrite(src/**)\nShell(*)' }).preset).toBe('custom');
  });

  it('refuses MCP servers that the preset custom does not allow to ask', () => {
    const given = { preset: 'custom', prompt: 'x', 'mcp-config': '{"mcpServers":{"db":{"command":"db"}}}' };
    expect(problemsOf(given)).toEqual([
      expect.stringMatching(/^mcp-config: would have no effect.*add Mcp\(\*:\*\)/),
    ]);
    expect(inputsOf({ ...given, allow: 'Mcp(db:query)' }).preset).toBe('custom');
  });

  it('refuses paths for a diff that is not gathered', () => {
    const given = { 'context-paths': 'a.ts', context: 'pull-request' };
    expect(problemsOf(given)).toEqual([expect.stringMatching(/^context-paths: would have no effect/)]);
    expect(inputsOf({ ...given, context: 'diff, pull-request' }).contextPaths).toEqual(['a.ts']);
    expect(problemsOf({ ...given, exclude: '*.md', context: 'none' })).toEqual([
      expect.stringMatching(/^context-paths: would have no effect, because context does not name diff/),
      expect.stringMatching(/^exclude: would have no effect, because context does not name diff/),
    ]);
    expect(inputsOf({ exclude: '*.md' }).exclude).toEqual(['*.md']);
  });

  it.each(['review', 'docs', 'edit', 'fix-ci'] as const)(
    'has a task of preset %s where none is given',
    (preset) => {
      expect(inputsOf({ prompt: '', preset }).prompt).toEqual({ kind: 'built-in', preset });
      expect(inputsOf({ prompt: 'Do it.', preset }).prompt).toEqual({ kind: 'inline', text: 'Do it.' });
      const file = { prompt: '', 'prompt-file': 'task.md', preset };
      expect(inputsOf(file).prompt).toEqual({ kind: 'file', path: 'task.md' });
    },
  );

  it.each([
    ['allow', '- Read(**)\n- Write(docs/**)'],
    ['deny', '- Shell(npm)'],
    ['allowed-hosts', '- example.com'],
    ['allowed-actors', '- mary'],
    ['exclude', '- dist/**'],
    ['context-paths', '- src/a.ts'],
    ['verify', '- npm test'],
  ] as const)('says that %s takes text where a YAML list is given', (input, text) => {
    expect(problemsOf({ [input]: text })[0]).toMatch(
      new RegExp(`^${input}: "- [^"]+": inputs take text, not a YAML list; write "\\|" .* remove the dash`),
    );
  });

  it.each(['CURSOR_API_KEY', 'secrets.CURSOR_API_KEY', '$CURSOR_API_KEY', '${CURSOR_API_KEY}'])(
    'takes %s for the name of a secret, and shows the line to write',
    (key) => {
      expect(problemsOf({ 'api-key': key })).toEqual([
        'api-key: this is the name of a secret, not its value; write api-key: ${{ secrets.CURSOR_API_KEY }}, and store the key itself in that secret.',
      ]);
    },
  );

  it('needs one task, and at most one', () => {
    expect(inputsOf({ prompt: '', preset: '' }).prompt).toEqual({ kind: 'built-in', preset: 'review' });
    expect(problemsOf({ prompt: '', preset: 'custom' })).toEqual([
      'prompt: preset custom has no task of its own; set prompt, or prompt-file to a file with the task.',
    ]);
    expect(problemsOf({ 'prompt-file': 'task.md', preset: 'review' })).toEqual([
      expect.stringMatching(/^prompt: both prompt and prompt-file are given/),
    ]);
  });

  it('refuses a gate for findings that are not asked for', () => {
    const given = { 'fail-on-severity': 'high' };
    const words = [expect.stringMatching(/^fail-on-severity: would have no effect.*remove output-schema/)];
    expect(problemsOf({ ...given, 'output-schema': 'none' })).toEqual(words);
    expect(inputsOf(given).failOnSeverity).toBe('high');
    expect(problemsOf({ ...given, 'output-schema': '{"type":"object"}' })).toEqual(words);
    expect(inputsOf({ ...given, 'output-schema': 'findings' }).failOnSeverity).toBe('high');
    expect(problemsOf({ 'fail-on-severity': 'urgent', 'output-schema': 'findings' })).toEqual([
      expect.stringMatching(
        /^fail-on-severity: "urgent" given; use one of critical, high, medium, low, info/,
      ),
    ]);
  });

  it('tells every problem, not only the first', () => {
    const problems = problemsOf({
      'prompt-file': 'x',
      'api-key': '',
      preset: 'x',
      'fail-on-denied': 'x',
      allow: 'x\ny',
    });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(
      expect.arrayContaining(['prompt', 'api-key', 'preset', 'fail-on-denied', 'allow', 'allow']),
    );
  });

  it('takes MCP servers for cursor only, rather than ignoring them', () => {
    expect(problemsOf({ agent: 'clido', 'mcp-config': '{"mcpServers":{}}' }).join()).toMatch(
      /mcp-config: is for cursor only/,
    );
  });

  it('needs no key for clido', () => {
    expect(problemsOf({ agent: 'clido', 'api-key': '' }).join()).not.toContain('api-key');
    expect(problemsOf({ agent: 'clido', credential: 'token' })).toEqual([
      'credential: token is for cursor only; leave it out, and name the variable with the key of clido’s provider in pass-env.',
    ]);
    expect(problemsOf({ agent: 'clido', credential: 'key' })).toEqual([]);
  });

  it('never shows a secret, whatever is wrong', () => {
    expect(problemsOf({ 'api-key': 'key_SECRET', preset: 'x', 'mcp-config': 'SECRET' }).join()).not.toContain(
      'SECRET',
    );
  });

  it('never throws, whatever is given', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.constantFrom('constructor', '__proto__', 'true', '1', 'Shell(x)'),
    );
    fc.assert(
      fc.property(fc.record(Object.fromEntries(INPUT_NAMES.map((name) => [name, anything]))), (given) => {
        parseInputs(given as RawInputs);
      }),
    );
  });
});
