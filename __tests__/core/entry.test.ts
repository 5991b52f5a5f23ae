import { beforeAll, describe, expect, it } from '@jest/globals';
import { buildSync } from 'esbuild';
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describeError, unlessCancelled } from '../../src/core/entry.js';
import { ExplainedError } from '../../src/core/errors.js';
import { FAILURES, RunFailure } from '../../src/core/failure.js';
import { makeFolder } from '../scenarios/workspace.js';

let bundle = '';
beforeAll(() => {
  const outfile = join(makeFolder(), 'entry.mjs');
  buildSync({
    entryPoints: [resolve('src/core/entry.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
  });
  bundle = outfile;
});
/** Runs an entry in a process of its own. `work` is the body of its function; `kill` is sent when it prints "ready". */
const play = (work: string, { kill, more = '' }: { kill?: NodeJS.Signals; more?: string } = {}) =>
  new Promise<{ code: number | null; log: string; errors: string }>((done) => {
    const program =
      `const { runEntry } = await import(${JSON.stringify(bundle)});` +
      `void runEntry({ failed: 'It failed', run: async (env, cancel) => { ${work} }, ${more} });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
    let [log, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (kill && text.includes('ready')) child.kill(kill);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.on('close', (code) => {
      done({ code, log, errors });
    });
  });

describe('an entry', () => {
  it('ends with the exit code of its work', async () => {
    expect(await play('')).toMatchObject({ code: 0, log: '' });
    expect(await play('return 3')).toMatchObject({ code: 3, log: '' });
  });

  it('does not end as a success if its work waits for something that never comes', async () => {
    expect(await play('await new Promise(() => undefined)')).toMatchObject({ code: 1, log: '' });
  });

  it('shows an error once, as an annotation or as it is told to', async () => {
    const work = "throw Object.assign(new Error('no'), { stack: 'the stack' })";
    const { code, log, errors } = await play(work);
    expect([code, log.match(/^::error title=It failed::/gm)?.length, errors]).toEqual([1, 1, '']);
    expect(log).toContain('the stack');
    const more = 'show: (error) => console.error(error.message)';
    expect(await play(work, { more })).toEqual({ code: 1, log: '', errors: 'no\n' });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('is cancelled by %s, and not killed', async (kill) => {
    const work =
      'await new Promise((done) => { const timer = setInterval(() => {}, 1000);' +
      "cancel.addEventListener('abort', () => { clearInterval(timer); done(); }); console.log('ready'); });" +
      "console.log('tidied up'); return 5;";
    expect(await play(work, { kill })).toEqual({ code: 5, log: 'ready\ntidied up\n', errors: '' });
  });
});

describe('describeError', () => {
  it('says what happened and what to do', () => {
    const { what, remedy } = FAILURES['invalid-input'];
    expect(describeError(new RunFailure('invalid-input', 'base: wrong.'))).toBe(
      `${what} ${remedy}\nbase: wrong.`,
    );
    expect(describeError(new ExplainedError('It is so. Do this.'))).toBe('It is so. Do this.');
    expect(describeError('text')).toBe(`${FAILURES.internal.what} ${FAILURES.internal.remedy}\ntext`);
    const bug = new TypeError('x is undefined');
    expect(describeError(bug)).toContain(bug.stack);
  });
});

describe('unlessCancelled', () => {
  it('gives the result, or an error as soon as the job is cancelled', async () => {
    const cancel = new AbortController();
    expect(await unlessCancelled(Promise.resolve(1), cancel.signal)).toBe(1);
    const waiting = unlessCancelled(new Promise(() => undefined), cancel.signal);
    cancel.abort();
    await expect(waiting).rejects.toThrow('The job was cancelled.');
    await expect(unlessCancelled(new Promise(() => undefined), cancel.signal)).rejects.toThrow();
  });
});
