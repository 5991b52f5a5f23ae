import { describe, expect, it } from '@jest/globals';
import { isGivenSecrets } from './events.js';
import { worlds } from './play.js';
import { DEPENDABOT, fork, RENOVATE } from './world.js';

const start = worlds();
const FILES = { 'README.md': '# Project\n', 'src/a.ts': 'a\n' };

/** What GitHub does and the recipes rely on: if this is wrong, their tests prove nothing. */
describe('the GitHub of these tests', () => {
  it('gives secrets by event and by who caused it', async () => {
    const world = await start(FILES);
    world.commit({ branch: 'x', files: { 'src/a.ts': 'b\n' } });
    world.commit({ branch: 'y', files: { 'src/a.ts': 'c\n' }, repository: fork.repository });
    const [own, foreign] = [world.openPull({ branch: 'x' }), world.openPull({ branch: 'y', ...fork })];
    const { events } = world;
    const main = world.git('rev-parse', 'main');
    expect(
      [
        events.pullRequest(own),
        events.pullRequest(foreign),
        events.pullRequest(own, 'opened', { by: DEPENDABOT }),
        events.pullRequest(own, 'opened', { by: RENOVATE }),
        events.push(main, 'main', DEPENDABOT),
        events.comment(foreign, '/cursor hello'),
        events.workflowRun('x', { by: DEPENDABOT, actor: DEPENDABOT }),
        events.workflowRun('x', { repository: fork.repository }),
      ].map(isGivenSecrets),
    ).toEqual([true, false, false, true, false, true, true, true]);
  });

  it('refuses a call for which the token has no permission, and knows the permission of every call', async () => {
    const world = await start(FILES);
    const head = world.commit({ branch: 'x', files: { 'src/a.ts': 'b\n' } });
    const pull = world.openPull({ branch: 'x' });
    const ask = async (permissions: Record<string, string>, path: string, init: RequestInit = {}) => {
      const authorization = `token ${world.surroundings.mintToken(permissions)}`;
      const address = `${world.surroundings.apiUrl}/repos/${path}`;
      return (await fetch(address, { ...init, headers: { authorization } })).status;
    };
    const compare = `acme/project/compare/${world.git('rev-parse', 'main')}...${head}`;
    expect(await ask({ 'pull-requests': 'write' }, compare)).toBe(403);
    expect(await ask({ contents: 'read' }, compare)).toBe(200);
    const comments = `acme/project/issues/${pull.number}/comments`;
    const post = { method: 'POST', body: JSON.stringify({ body: 'Hello.' }) };
    expect(await ask({ 'pull-requests': 'read' }, comments, post)).toBe(403);
    expect(await ask({ 'pull-requests': 'write' }, comments, post)).toBe(201);
    const ref = { method: 'POST', body: JSON.stringify({ ref: 'refs/heads/new', sha: head }) };
    expect(await ask({ contents: 'read', 'pull-requests': 'write' }, 'acme/project/git/refs', ref)).toBe(403);
    // Of another repository a token reads what is public.
    expect(await ask({}, 'stranger/project/activity?ref=refs%2Fheads%2Fy')).toBe(200);
    expect(world.state.refused).toHaveLength(3);
  });
});
