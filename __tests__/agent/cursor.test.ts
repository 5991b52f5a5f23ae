import { describe, expect, it } from '@jest/globals';
import { cursor } from '../../src/agent/cursor.js';
import { permissions } from '../../src/permissions/permission-token.js';
import { buildPolicy, type PolicyRequest } from '../../src/permissions/policy.js';

/** What `.cursor/cli.json` allows. */
const allowed = (request: Omit<PolicyRequest, 'deny'>, workspace: string): unknown => {
  const files = cursor.projectFiles(buildPolicy({ deny: [], ...request }), workspace);
  return (JSON.parse(files['.cursor/cli.json'] ?? '') as { permissions: { allow: unknown } }).permissions
    .allow;
};

describe('the rules in cli.json', () => {
  it('name each path in every form the CLI may want', () => {
    const allow = permissions('Write(src/**)', 'Write(**/*.md)', 'Read(/etc/x)', 'Read(./a)');
    expect(allowed({ preset: 'custom', allow }, '/home/me/space/')).toEqual([
      ...['Write(src/**)', 'Write(**/src/**)', 'Write(/home/me/space/src/**)'],
      ...['Write(*.md)', 'Write(**/*.md)', 'Write(/home/me/space/*.md)', 'Write(/home/me/space/**/*.md)'],
      'Read(/etc/x)',
      ...['Read(a)', 'Read(**/a)', 'Read(/home/me/space/a)'],
    ]);
  });

  it('leave a pattern for everything as it is', () => {
    expect(allowed({ preset: 'review', allow: [] }, '/w')).toEqual(['Read(**)']);
  });
});
