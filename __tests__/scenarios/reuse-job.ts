import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { keysFrom, openEntry, sealEntry, type ResultEntry } from '../../src/run/result-entry.js';
import { tarGz } from '../install/archive-builder.js';
import { serve, startServer } from '../install/file-server.js';
import { startCacheService } from '../github/cache-service.js';
import { runStepAs, type Account } from './accounts.js';
import { fakeAgent, type FakeAgent } from './fake-agent.js';
import { API_KEY, type Step, type StepResult } from './step.js';
import { git } from './workspace.js';

const VERSION = '2026.10.01-e373342';
/** Each start says something else, so that an answer tells which start it comes from. */
export const WRITES = `
  const fs = await import('node:fs');
  const { randomUUID } = await import('node:crypto');
  const id = randomUUID();
  init();
  call('call-1', 'readToolCall', { path: 'README.md' }, { success: { content: '# Project', totalLines: 1 } });
  fs.mkdirSync('docs', { recursive: true });
  fs.writeFileSync('docs/guide.md', 'Written by ' + id + '\\n');
  fs.writeFileSync('README.md', '# Project\\n\\nSee docs/guide.md.\\n');
  say('Done by ' + id);
  finish('Done by ' + id, { usage: { inputTokens: 10, outputTokens: 20, cacheReadTokens: 0, cacheWriteTokens: 0 } });
`;

export interface Job {
  agent: FakeAgent;
  inputs: Record<string, string>;
}

/** The checkout as it was before the first run, as a later job of the same commit finds it. */
export function reset(workspace: string): void {
  // A job of another user has made it its own, and git refuses what belongs to others.
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === 0 && gid !== undefined) execFileSync('chown', ['-R', '-h', `${uid}:${gid}`, workspace]);
  git(workspace, 'reset', '--quiet', '--hard');
  git(workspace, 'clean', '--quiet', '-fdx');
}

const SAME = [
  ...['status', 'failure-reason', 'result', 'result-full', 'model', 'cli-version', 'exit-code', 'turns'],
  ...['tool-calls', 'tool-calls-failed', 'tool-calls-denied', 'has-changes', 'changed-files'],
  ...['verification', 'structured-output'],
];
export const resultsOf = (outputs: Map<string, string>) =>
  Object.fromEntries(SAME.map((name) => [name, outputs.get(name)]));

const keys = keysFrom(API_KEY);

/** A cache, a server with the agent's archive, and jobs that use both. */
export async function startReuse() {
  const [cache, downloads] = await Promise.all([startCacheService(), startServer()]);

  /** The agent comes in an archive whose hash is known, as a pinned one does. */
  const jobWith = (body = WRITES, inputs: Record<string, string> = {}): Job => {
    const agent = fakeAgent(body);
    const archive = tarGz([
      { name: 'dist-package/', type: '5' },
      { name: 'dist-package/cursor-agent', content: readFileSync(agent.path), mode: 0o755 },
      { name: 'dist-package/package.json', content: '{"type":"module"}' },
    ]);
    downloads.answer(serve(archive));
    return {
      agent,
      inputs: {
        preset: 'docs',
        'reuse-result': 'true',
        'cli-path': '',
        'cli-version': VERSION,
        'cli-sha256': createHash('sha256').update(archive).digest('hex'),
        'cli-download-url': downloads.url,
        'cli-cache': 'false',
        isolation: 'off',
        ...inputs,
      },
    };
  };

  const runJob = async (
    { agent, inputs }: Job,
    { account = 'root', ...step }: Step & { account?: Account } = {},
  ): Promise<StepResult & { hasStarted: boolean }> => {
    const before = downloads.asked.length;
    const result = await runStepAs(account, agent, {
      ...step,
      inputs: { ...inputs, ...step.inputs },
      env: { ...cache.env, GITHUB_REPOSITORY: 'octo/repo', GITHUB_RUN_ID: '4711', ...step.env },
    });
    // A CLI is installed only to be started.
    return { ...result, hasStarted: downloads.asked.length > before };
  };

  /** Replaces what the cache holds by something that only who has the key of the workflow can write. */
  const poison = (change: (entry: ResultEntry) => Partial<ResultEntry>): void => {
    for (const [key, bytes] of cache.entries) {
      const opened = openEntry(bytes, key, keys);
      if (!('entry' in opened)) throw new Error(opened.problem);
      const sealed = sealEntry({ ...opened.entry, ...change(opened.entry) }, keys);
      if (!('bytes' in sealed)) throw new Error(sealed.problem);
      cache.entries.set(key, sealed.bytes);
    }
  };

  return { cache, jobWith, runJob, poison };
}

export const line = (record: object) => `${JSON.stringify(record)}\n`;
export const RESULT = { type: 'result', subtype: 'success', duration_ms: 1, is_error: false, result: 'x' };
export const SAYS = (text: string) => ({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text }] },
});
