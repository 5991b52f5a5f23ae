import { describe, expect, it } from '@jest/globals';
import { cursor } from '../../src/agent/cursor.js';
import { isSetByAction } from '../../src/agent/environment.js';
import { cliRules } from '../../src/permissions/cli-rules.js';
import { permissions } from '../../src/permissions/permission-token.js';
import { buildPolicy } from '../../src/permissions/policy.js';

const policy = buildPolicy({ preset: 'custom', allow: permissions('Write(docs/**)'), deny: [] });
const parsed = (text: string | undefined): unknown => JSON.parse(text ?? '');

describe('the files of the Cursor CLI', () => {
  it('are a project file of exactly two lists, both in forms that the CLI matches', () => {
    const files = cursor.projectFiles(policy, '/w');
    expect(Object.keys(files)).toEqual(['.cursor/cli.json']);
    expect(parsed(files['.cursor/cli.json'])).toEqual({ permissions: cliRules(policy, '/w') });
    expect(cliRules(policy, '/w').allow).toEqual(['Write(/w/docs/**)']);
  });

  it('are a configuration in which nothing is approved, updated or advertised by itself', () => {
    const files = cursor.homeFiles(policy, '/w', {});
    expect(Object.keys(files)).toEqual(['.cursor/cli-config.json']);
    expect(parsed(files['.cursor/cli-config.json'])).toEqual({
      version: 1,
      editor: { vimMode: false },
      permissions: cliRules(policy, '/w'),
      approvalMode: 'allowlist',
      autoAcceptWebSearch: false,
      attribution: { attributeCommitsToAgent: false, attributePRsToAgent: false },
      channel: 'static',
    });
  });

  it('keep every file out of the index that Cursor makes of a repository, and hooks of the project out of the run', () => {
    expect(cursor.repositoryFiles['.cursorindexingignore']).toBe('*\n');
    expect(JSON.parse(cursor.repositoryFiles['.cursor/hooks.json'] ?? '')).toEqual({ version: 1, hooks: {} });
  });
});

describe('the variables of the Cursor CLI', () => {
  it('keep credentials off the disk and switch off debug logs and direnv; pass-env cannot change them', () => {
    const { CURSOR_API_KEY, ...others } = cursor.environment({ kind: 'key', key: 'key' });
    expect(CURSOR_API_KEY).toBe('key');
    expect(others).toEqual({
      AGENT_CLI_CREDENTIAL_STORE: 'memory',
      CURSOR_AGENT_DISABLE_DEBUG_LOG: '1',
      DIRENV_DISABLE: '1',
    });
    expect(Object.keys(others).filter((name) => !isSetByAction(name))).toEqual([]);
  });
});

describe('the command line of the Cursor CLI', () => {
  const args = (...extraArgs: string[]) => cursor.args({ model: 'auto', policy, extraArgs }).join(' ');

  it('switches its own sandbox off, unless extra-args says otherwise', () => {
    expect(args()).toContain(' --sandbox disabled ');
    expect(args('--sandbox', 'enabled')).toMatch(/ --sandbox disabled .* --sandbox enabled$/);
  });
});
