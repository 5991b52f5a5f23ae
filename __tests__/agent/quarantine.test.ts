import { afterEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { arrangeWorkspace, restoreFromJournal } from '../../src/agent/quarantine.js';
import { makeFolder, removeFolders, writeTree } from '../scenarios/workspace.js';

afterEach(removeFolders);

const OURS = { setAside: [], files: { '.cursor/cli.json': 'ours' } };
const CLEAN = { tampered: [], failed: [] };
const places = () => ({ workspace: makeFolder(), holding: join(makeFolder(), 'held') });
const inWorkspace = (workspace: string) => join(workspace, '.cursor', 'cli.json');

describe('placeFiles', () => {
  it('puts back content, mode and time', () => {
    const { workspace, holding } = places();
    writeTree(workspace, { '.cursor/cli.json': 'theirs' });
    chmodSync(inWorkspace(workspace), 0o640);
    const before = statSync(inWorkspace(workspace));
    const quarantine = arrangeWorkspace(OURS, workspace, holding);
    expect(readFileSync(inWorkspace(workspace), 'utf8')).toBe('ours');
    expect(quarantine.restore()).toEqual(CLEAN);
    const after = statSync(inWorkspace(workspace));
    expect(readFileSync(inWorkspace(workspace), 'utf8')).toBe('theirs');
    expect([after.mode, after.mtimeMs, after.ino]).toEqual([before.mode, before.mtimeMs, before.ino]);
  });

  it('does nothing the second time', () => {
    const { workspace, holding } = places();
    const quarantine = arrangeWorkspace(OURS, workspace, holding);
    quarantine.restore();
    writeTree(workspace, { '.cursor/cli.json': 'new' });
    expect(quarantine.restore()).toEqual(CLEAN);
    expect(readFileSync(inWorkspace(workspace), 'utf8')).toBe('new');
  });

  it('puts back a folder that stood in the place of our file', () => {
    const { workspace, holding } = places();
    writeTree(workspace, { '.cursor/cli.json/inner': 'theirs' });
    arrangeWorkspace(OURS, workspace, holding).restore();
    expect(readFileSync(join(inWorkspace(workspace), 'inner'), 'utf8')).toBe('theirs');
  });

  it('says what the agent did to our files, and leaves what it added', () => {
    const { workspace, holding } = places();
    const quarantine = arrangeWorkspace(OURS, workspace, holding);
    writeTree(workspace, { '.cursor/cli.json': 'changed', '.cursor/hooks.json': 'added' });
    expect(quarantine.restore()).toEqual({
      tampered: [
        expect.stringMatching(/cli\.json.*changed or removed by the agent/),
        expect.stringMatching(/\.cursor was left in place/),
      ],
      failed: [],
    });
    expect(existsSync(inWorkspace(workspace))).toBe(false);
    expect(existsSync(join(workspace, '.cursor', 'hooks.json'))).toBe(true);
  });

  it('does not follow a link the agent put in the place of our file', () => {
    const { workspace, holding } = places();
    const outside = join(makeFolder(), 'outside');
    writeFileSync(outside, 'ours');
    const quarantine = arrangeWorkspace(OURS, workspace, holding);
    rmSync(inWorkspace(workspace));
    symlinkSync(outside, inWorkspace(workspace));
    expect(quarantine.restore().tampered).toHaveLength(1);
    expect(readFileSync(outside, 'utf8')).toBe('ours');
  });

  it('undoes what it did when it cannot go on', () => {
    const { workspace, holding } = places();
    writeTree(workspace, { '.cursor/cli.json': 'theirs' });
    mkdirSync(join(workspace, 'b'));
    expect(() =>
      arrangeWorkspace(
        { setAside: [], files: { ...OURS.files, 'b/missing/file': 'x', '/\u0000': 'y' } },
        workspace,
        holding,
      ),
    ).toThrow();
    expect(readFileSync(inWorkspace(workspace), 'utf8')).toBe('theirs');
    expect(existsSync(join(workspace, 'b', 'missing'))).toBe(false);
  });
});

describe('setting aside', () => {
  const config = {
    '.cursor/hooks.json': 'hooks',
    'sub/.cursor/cli.json': 'nested',
    'AGENTS.md': 'rules',
    'src/a.ts': 'code',
  };
  const arrangement = {
    setAside: ['.cursor/hooks.json', 'sub/.cursor/cli.json', 'AGENTS.md', 'absent'],
    files: { 'sub/AGENTS.md': 'base' },
  };

  it('takes files away, puts others in their place, and undoes both', () => {
    const { workspace, holding } = places();
    writeTree(workspace, config);
    const quarantine = arrangeWorkspace(arrangement, workspace, holding);
    for (const name of ['.cursor/hooks.json', 'sub/.cursor/cli.json', 'AGENTS.md'])
      expect(existsSync(join(workspace, name))).toBe(false);
    expect(readFileSync(join(workspace, 'sub/AGENTS.md'), 'utf8')).toBe('base');
    expect(quarantine.restore()).toEqual(CLEAN);
    for (const [name, content] of Object.entries(config))
      expect(readFileSync(join(workspace, name), 'utf8')).toBe(content);
    expect(existsSync(join(workspace, 'sub/AGENTS.md'))).toBe(false);
  });

  it('says when the agent wrote what had been set aside, and puts the old one back', () => {
    const { workspace, holding } = places();
    writeTree(workspace, config);
    const quarantine = arrangeWorkspace(arrangement, workspace, holding);
    writeTree(workspace, { '.cursor/hooks.json': 'planted' });
    expect(quarantine.restore().tampered).toEqual([
      expect.stringMatching(/hooks\.json, which was set aside, was written anew/),
    ]);
    expect(readFileSync(join(workspace, '.cursor/hooks.json'), 'utf8')).toBe('hooks');
  });

  it('puts links back as links', () => {
    const { workspace, holding } = places();
    symlinkSync('/nowhere', join(workspace, '.cursor'));
    const quarantine = arrangeWorkspace({ setAside: ['.cursor'], files: OURS.files }, workspace, holding);
    expect(quarantine.restore()).toEqual(CLEAN);
    expect(readlinkSync(join(workspace, '.cursor'))).toBe('/nowhere');
  });

  it('survives being killed in the middle of writing its journal', () => {
    const { workspace, holding } = places();
    writeTree(workspace, config);
    arrangeWorkspace(arrangement, workspace, holding);
    writeFileSync(join(holding, 'journal.ndjson'), '{"kind":"mov', { flag: 'a' });
    expect(restoreFromJournal(holding)).toEqual(CLEAN);
    expect(readFileSync(join(workspace, 'AGENTS.md'), 'utf8')).toBe('rules');
  });
});

describe('restoreFromJournal', () => {
  it('puts back what a killed process left', () => {
    const { workspace, holding } = places();
    writeTree(workspace, { '.cursor/cli.json': 'theirs' });
    arrangeWorkspace(OURS, workspace, holding);
    expect(restoreFromJournal(holding)).toEqual(CLEAN);
    expect(readFileSync(inWorkspace(workspace), 'utf8')).toBe('theirs');
    expect(restoreFromJournal(holding)).toBeUndefined();
  });

  it('does nothing where all was put back, or nothing was ever done', () => {
    const { workspace, holding } = places();
    arrangeWorkspace(OURS, workspace, holding).restore();
    expect(restoreFromJournal(holding)).toBeUndefined();
    expect(restoreFromJournal(makeFolder())).toBeUndefined();
    expect(existsSync(join(workspace, '.cursor'))).toBe(false);
  });
});
