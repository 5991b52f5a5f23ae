import { describe, expect, it } from '@jest/globals';
import {
  cursor,
  newerCliNotice,
  olderCliWarning,
  otherModelNotice,
  TESTED_CLI_VERSION,
} from '../../src/agent/cursor.js';
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

describe('a CLI newer than the tested one', () => {
  it.each(['2026.10.02-0a1b2c3', '2026.11.01-e373342', '2027.01.01-12-00-00-abc', '2026.10.02-abc\n'])(
    '%j is told',
    (version) => {
      const notice = newerCliNotice(version);
      expect(notice).toContain(version.trim());
      expect(notice).toContain(TESTED_CLI_VERSION);
    },
  );

  it.each([
    TESTED_CLI_VERSION,
    '2026.10.01-ffffff',
    '2026.10.01-23-59-59-e373342',
    '2025.12.31-abc',
    '',
    'latest',
    '1.0.15',
  ])('%j is not', (version) => {
    expect(newerCliNotice(version)).toBeUndefined();
  });

  it('of the same day is told where both name their time', () => {
    expect(newerCliNotice('2026.10.01-12-00-01-a', '2026.10.01-12-00-00-b')).toBeDefined();
    expect(newerCliNotice('2026.10.01-12-00-00-a', '2026.10.01-12-00-00-b')).toBeUndefined();
  });
});

describe('a CLI with known defects', () => {
  const WRONG_MODEL = /silently run another model/;
  const GIT_PROGRAMS = /not safe.*runs programs.*\(fsmonitor, hooks, attributes, external diff\)/;

  it.each(['2026.09.27-abc', '2026.08.11-abc', '2026.09.10-fd3934a', '2026.08.11-00-00-00-abc'])(
    '%j may run the wrong model',
    (version) => {
      expect(olderCliWarning(version)).toMatch(WRONG_MODEL);
      expect(olderCliWarning(version)).not.toMatch(GIT_PROGRAMS);
    },
  );

  it.each(['2026.08.10-abc', '2025.12.31-23-59-59-abc', '2026.08.10-abc\n'])(
    '%j also runs programs that the repository names, and that comes first',
    (version) => {
      const warning = olderCliWarning(version) ?? '';
      expect(warning.search(GIT_PROGRAMS)).toBeGreaterThan(0);
      expect(warning.search(WRONG_MODEL)).toBeGreaterThan(warning.search(GIT_PROGRAMS));
      expect(warning).toContain(TESTED_CLI_VERSION);
      // The summary cuts a longer note.
      expect(warning.length).toBeLessThan(500);
    },
  );

  it.each([TESTED_CLI_VERSION, '2026.09.28-abc', '2026.10.01-14929f9', '2027.01.01-abc', '', '1.0.15'])(
    '%j is none',
    (version) => {
      expect(olderCliWarning(version)).toBeUndefined();
    },
  );
});

describe('otherModelNotice', () => {
  it.each([
    ['auto', 'Claude 4.5 Sonnet'],
    ['sonnet-4.5', 'Claude 4.5 Sonnet'],
    ['sonnet-4.5-thinking', 'Claude 4.5 Sonnet (Thinking)'],
    ['gpt-5.1-codex-max-xhigh', 'GPT-5.1 Codex Max Extra High'],
    ['composer-1', 'Composer 1'],
    ['opus-4.1', undefined],
  ])('has nothing to say of %s that reports %s', (asked, reported) => {
    expect(otherModelNotice(asked, reported)).toBeUndefined();
  });

  it.each([
    ['opus-4.1', 'Claude 4 Sonnet'],
    ['gpt-5', 'GPT-4.1'],
    ['composer-1', 'Auto'],
  ])('tells of %s that reports %s', (asked, reported) => {
    expect(otherModelNotice(asked, reported)).toBe(
      `The model ${asked} was asked for, and ${reported} answered.`,
    );
  });
});
