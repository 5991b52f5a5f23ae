import { describe, expect, it } from '@jest/globals';
import { permissions } from '../../src/permissions/permission-token.js';
import { findDangers, type Settings } from '../../src/trust/dangerous-settings.js';
import { githubEventOf } from './events.js';

const settings = (more: Partial<Settings>): Settings => ({
  preset: 'review',
  allow: permissions('Read(**)'),
  deny: permissions('Shell(*)'),
  secretNames: [],
  mcpFromCheckout: false,
  ...more,
});
const anything = { allow: permissions('Shell(*)'), deny: [] };
const found = (more: Partial<Settings>, event = 'issue_comment', fixture = 'comment-by-writer') =>
  findDangers(settings(more), githubEventOf(event, fixture)).map(({ level, text }) => `${level}: ${text}`);

describe('findDangers', () => {
  it('refuses custom with Shell(*) where strangers have a say', () => {
    expect(found({ preset: 'custom', ...anything })[0]).toMatch(
      /^refuse: Shell\(\*\) with preset custom on issue_comment/,
    );
  });

  it('takes Shell(*:*) for every command, too', () => {
    const allow = permissions('Shell(*:*)');
    expect(found({ preset: 'custom', allow, deny: [] })[0]).toMatch(/^refuse: /);
  });

  it('warns of fix-ci there, and of secrets passed to it', () => {
    const dangers = found({ preset: 'fix-ci', ...anything, secretNames: ['NPM_TOKEN'] });
    expect(dangers[0]).toMatch(/^warn: preset fix-ci lets the agent run any command/);
    expect(dangers[1]).toMatch(/^warn: pass-env passes NPM_TOKEN/);
  });

  it('has nothing against either where only writers have a say', () => {
    const given = { preset: 'custom', ...anything, secretNames: ['NPM_TOKEN'] };
    expect(found(given, 'push', 'push')).toEqual([]);
    expect(found(given, 'pull_request', 'pull-request-own')).toEqual([]);
  });

  it('has nothing against harmless settings anywhere', () => {
    expect(found({})).toEqual([]);
    expect(found({ preset: 'custom', allow: permissions('Shell(npm)'), deny: [] })).toEqual([]);
  });

  it('warns of MCP servers that a pull request can change', () => {
    expect(found({ mcpFromCheckout: true }, 'pull_request', 'pull-request-own')[0]).toMatch(
      /^warn: mcp-config/,
    );
    expect(found({ mcpFromCheckout: true }, 'push', 'push')).toEqual([]);
  });
});
