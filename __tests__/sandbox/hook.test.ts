import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { listenToHook, type HookReports } from '../../src/sandbox/hook.js';
import { makeFolder, removeFolders } from '../scenarios/workspace.js';

const open: HookReports[] = [];
afterEach(() => {
  for (const reports of open.splice(0)) reports.close();
  removeFolders();
});

async function listen(folder = makeFolder('hook')) {
  const reports = await listenToHook(folder);
  open.push(reports);
  return reports;
}

/** Sends bytes and waits until the other side is done with them. */
const send = ({ address }: HookReports, text: string, cwd?: string) =>
  new Promise<void>((done) => {
    const before = process.cwd();
    if (cwd !== undefined) process.chdir(cwd);
    connect(cwd === undefined ? (address ?? '') : 'reports')
      .on('error', () => undefined)
      .on('close', () => {
        done();
      })
      .resume()
      .end(text);
    process.chdir(before);
  });

const denied = (why: string) => JSON.stringify({ tool: 'Shell', permission: 'deny', why });

describe('reports of the hook', () => {
  it('are counted, with the reasons', async () => {
    const reports = await listen();
    await send(reports, '{"tool":"Read","permission":"allow"}\n');
    await send(reports, denied('cursor-agent-action: denied by Shell(git)'));
    await send(reports, denied('cursor-agent-action: denied by Shell(git)'));
    expect(reports.tally()).toEqual({
      judged: 3,
      denied: 2,
      denials: { 'cursor-agent-action: denied by Shell(git)': 2 },
    });
  });

  it('that are none count for nothing', async () => {
    const reports = await listen();
    for (const text of [
      '',
      'x',
      '{}',
      '[]',
      '{"tool":1,"permission":"allow"}',
      '{"tool":"x","permission":"ask"}',
    ])
      await send(reports, text);
    await send(reports, `{"tool":"x","permission":"allow","more":"${'x'.repeat(100_000)}"}`);
    await send(reports, denied('x'.repeat(501)));
    expect(reports.tally()).toEqual({ judged: 0, denied: 0, denials: {} });
    await send(reports, denied('::error::forged'));
    expect(reports.tally()).toEqual({ judged: 1, denied: 1, denials: {} });
  });

  it('fill no memory, however many reasons are forged', async () => {
    const reports = await listen();
    for (let index = 0; index < 100; index += 1)
      await send(reports, denied(`cursor-agent-action: denied by Shell(x${index})`));
    expect(reports.tally().denied).toBe(100);
    expect(Object.keys(reports.tally().denials)).toHaveLength(50);
  });

  (process.platform === 'linux' ? it : it.skip)('arrive in a folder with a path of any length', async () => {
    const folder = join(makeFolder('hook'), 'long'.repeat(30), 'folder'.repeat(20));
    mkdirSync(folder, { recursive: true });
    const reports = await listen(folder);
    await send(reports, '{"tool":"Read","permission":"allow"}', folder);
    expect(reports.tally().judged).toBe(1);
  });

  it('are not needed: without a folder there is no address', async () => {
    expect((await listen(join(makeFolder('hook'), 'missing'))).address).toBeUndefined();
  });
});
