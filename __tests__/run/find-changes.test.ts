import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Changes } from '../../src/report/model.js';
import { readPatches } from '../../src/run/find-changes.js';

const folder = mkdtempSync(join(tmpdir(), 'patches-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const known = (files: { patchFile?: string; rejectedPatchFile?: string }): Changes => ({
  ...{ kind: 'known', files: [], applied: 'all', paths: [], ignored: 0, omitted: [], violations: [] },
  ...files,
});
function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('readPatches', () => {
  it('reads both patches, and none if there are none', () => {
    const changes = known({
      patchFile: written('a', 'applied\n'),
      rejectedPatchFile: written('r', 'rejected\n'),
    });
    expect(readPatches(changes)).toEqual([
      { kind: 'applied', text: 'applied\n', isWhole: true },
      { kind: 'rejected', text: 'rejected\n', isWhole: true },
    ]);
    expect(readPatches(known({}))).toEqual([]);
    expect(readPatches(undefined)).toEqual([]);
    expect(readPatches({ kind: 'unknown', note: '', violations: [] })).toEqual([]);
  });

  it('reads whole lines from the beginning of a long patch', () => {
    const [patch] = readPatches(known({ patchFile: written('long', '+é line\n'.repeat(60_000)) }));
    expect(patch?.isWhole).toBe(false);
    expect(patch?.text.length).toBeGreaterThan(150_000);
    expect(patch?.text.length).toBeLessThanOrEqual(200_000);
    expect(patch?.text.replaceAll('+é line\n', '')).toBe('');
  });

  it('shows a patch that is gone as one that was cut off', () => {
    expect(readPatches(known({ patchFile: join(folder, 'gone') }))).toEqual([
      { kind: 'applied', text: '', isWhole: false },
    ]);
  });
});
