import { afterEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { placeFiles, restoreFromJournal } from '../../src/agent/quarantine.js';
import { makeFolder, removeFolders, writeTree } from '../scenarios/workspace.js';

afterEach(removeFolders);

const FILES = { '.cursor/cli.json': 'ours' };
const places = () => ({ workspace: makeFolder(), holding: join(makeFolder(), 'held') });
const inWorkspace = (workspace: string) => join(workspace, '.cursor', 'cli.json');

describe('placeFiles', () => {
  it('puts back content, mode and time', () => {
    const { workspace, holding } = places();
    writeTree(workspace, { '.cursor/cli.json': 'theirs' });
    chmodSync(inWorkspace(workspace), 0o640);
    const before = statSync(inWorkspace(workspace));
    const quarantine = placeFiles(FILES, workspace, holding);
    expect(readFileSync(inWorkspace(workspace), 'utf8')).toBe('ours');
    expect(quarantine.restore()).toEqual([]);
    const after = statSync(inWorkspace(workspace));
    expect(readFileSync(inWorkspace(workspace), 'utf8')).toBe('theirs');
    expect([after.mode, after.mtimeMs, after.ino]).toEqual([before.mode, before.mtimeMs, before.ino]);
  });

  it('does nothing the second time', () => {
    const { workspace, holding } = places();
    const quarantine = placeFiles(FILES, workspace, holding);
    quarantine.restore();
    writeTree(workspace, { '.cursor/cli.json': 'new' });
    expect(quarantine.restore()).toEqual([]);
    expect(readFileSync(inWorkspace(workspace), 'utf8')).toBe('new');
  });

  it('puts back a folder that stood in the place of our file', () => {
    const { workspace, holding } = places();
    writeTree(workspace, { '.cursor/cli.json/inner': 'theirs' });
    placeFiles(FILES, workspace, holding).restore();
    expect(readFileSync(join(inWorkspace(workspace), 'inner'), 'utf8')).toBe('theirs');
  });

  it('says what the agent did to our files, and leaves what it added', () => {
    const { workspace, holding } = places();
    const quarantine = placeFiles(FILES, workspace, holding);
    writeTree(workspace, { '.cursor/cli.json': 'changed', '.cursor/hooks.json': 'added' });
    expect(quarantine.restore()).toEqual([
      expect.stringMatching(/cli\.json.*changed or removed by the agent/),
      expect.stringMatching(/\.cursor was left in place/),
    ]);
    expect(existsSync(inWorkspace(workspace))).toBe(false);
    expect(existsSync(join(workspace, '.cursor', 'hooks.json'))).toBe(true);
  });

  it('does not follow a link the agent put in the place of our file', () => {
    const { workspace, holding } = places();
    const outside = join(makeFolder(), 'outside');
    writeFileSync(outside, 'ours');
    const quarantine = placeFiles(FILES, workspace, holding);
    rmSync(inWorkspace(workspace));
    symlinkSync(outside, inWorkspace(workspace));
    expect(quarantine.restore()).toHaveLength(1);
    expect(readFileSync(outside, 'utf8')).toBe('ours');
  });

  it('undoes what it did when it cannot go on', () => {
    const { workspace, holding } = places();
    writeTree(workspace, { '.cursor/cli.json': 'theirs' });
    mkdirSync(join(workspace, 'b'));
    expect(() =>
      placeFiles({ ...FILES, 'b/missing/file': 'x', '/\u0000': 'y' }, workspace, holding),
    ).toThrow();
    expect(readFileSync(inWorkspace(workspace), 'utf8')).toBe('theirs');
    expect(existsSync(join(workspace, 'b', 'missing'))).toBe(false);
  });
});

describe('restoreFromJournal', () => {
  it('puts back what a killed process left', () => {
    const { workspace, holding } = places();
    writeTree(workspace, { '.cursor/cli.json': 'theirs' });
    placeFiles(FILES, workspace, holding);
    expect(restoreFromJournal(holding)).toEqual({ wasNeeded: true, problems: [] });
    expect(readFileSync(inWorkspace(workspace), 'utf8')).toBe('theirs');
    expect(restoreFromJournal(holding)).toEqual({ wasNeeded: false, problems: [] });
  });

  it('does nothing where all was put back, or nothing was ever done', () => {
    const { workspace, holding } = places();
    placeFiles(FILES, workspace, holding).restore();
    expect(restoreFromJournal(holding).wasNeeded).toBe(false);
    expect(restoreFromJournal(makeFolder()).wasNeeded).toBe(false);
    expect(existsSync(join(workspace, '.cursor'))).toBe(false);
  });
});
