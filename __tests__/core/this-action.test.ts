import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { ACTION_VERSION, documentsUrl, explanationUrl } from '../../src/core/this-action.js';

const { version, repository } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  repository: string;
};
const OWN = repository.replace('github:', '');
const isReleased = !OWN.includes('<');
const tagged = isReleased ? `https://github.com/${OWN}/blob/v${version}/docs` : undefined;

const called = (name: string, ref: string, server?: string) =>
  documentsUrl({
    GITHUB_ACTION_REPOSITORY: name,
    GITHUB_ACTION_REF: ref,
    ...(server === undefined ? {} : { GITHUB_SERVER_URL: server }),
  });

describe('the documents of the version that runs', () => {
  it('has the version of package.json', () => {
    expect(ACTION_VERSION).toBe(version);
  });

  it.each([
    ['a fork at a commit', 'me/cursor-agent-action', 'a'.repeat(40)],
    ['a fork at a branch', 'me/cursor-agent-action', 'fix/a-b'],
    ['a fork at its major tag, about whose releases this code knows nothing', 'me/cursor-agent-action', 'v1'],
  ])('%s', (_, name, ref) => {
    expect(called(name, ref)).toBe(`https://github.com/${name}/blob/${ref}/docs`);
  });

  it('a copy on another server', () => {
    expect(called('tools/agent', 'v1.2.3', 'https://git.example.com')).toBe(
      'https://git.example.com/tools/agent/blob/v1.2.3/docs',
    );
  });

  it.each([
    ['the major tag, which moves', OWN, 'v1'],
    ['a folder of the workspace (uses: ./)', '', ''],
    ['no runner', undefined, undefined],
    ['a reference that cannot be part of an address', 'me/cursor-agent-action', 'a b](x'],
    ['a repository that cannot be part of an address', 'me/x](y', 'v1'],
  ])('%s: the tag of this release, and nothing before the first one', (_, name, ref) => {
    expect(documentsUrl({ GITHUB_ACTION_REPOSITORY: name, GITHUB_ACTION_REF: ref })).toBe(tagged);
  });

  it('have a paragraph for each reason', () => {
    expect(explanationUrl('https://example.com/docs', 'idle-timeout')).toBe(
      'https://example.com/docs/troubleshooting.md#idle-timeout',
    );
  });
});
