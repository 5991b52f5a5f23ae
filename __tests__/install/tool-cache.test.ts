import { beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyVerified } from '../../src/install/tool-cache.js';
import { createFixture, type Fixture } from './install-fixture.js';

const GOOD = Buffer.alloc(8 * 1024 * 1024, 'good');
const EVIL = Buffer.alloc(GOOD.length, 'evil');
const sha256 = createHash('sha256').update(GOOD).digest('hex');

let fixture: Fixture;
let source: string;
let target: string;
beforeEach(() => {
  fixture = createFixture();
  source = join(fixture.root, 'source');
  target = join(fixture.root, 'target');
});

describe('copyVerified', () => {
  it('copies the expected file', async () => {
    writeFileSync(source, GOOD);
    expect(await copyVerified(source, target, { sha256, bytes: GOOD.length })).toEqual({ kind: 'good' });
    expect(readFileSync(target).equals(GOOD)).toBe(true);
  });

  it('knows a file that is not there', async () => {
    expect(await copyVerified(source, target, { sha256 })).toEqual({ kind: 'absent' });
  });

  it('leaves no copy of another file, and says what its hash is', async () => {
    writeFileSync(source, EVIL);
    const copied = await copyVerified(source, target, { sha256 });
    expect(copied).toMatchObject({ kind: 'bad', why: expect.stringMatching(/its sha256 is [0-9a-f]{64}/) });
    expect(existsSync(target)).toBe(false);
  });

  it('does not read a file that is larger than expected', async () => {
    writeFileSync(source, Buffer.concat([GOOD, EVIL]));
    const copied = await copyVerified(source, target, { sha256, bytes: GOOD.length });
    expect(copied).toEqual({ kind: 'bad', why: `it is larger than ${GOOD.length} bytes` });
  });

  it.each<[string, () => void]>([
    [
      'a link',
      () => {
        symlinkSync('/dev/zero', source);
      },
    ],
    [
      'a folder',
      () => {
        mkdirSync(source);
      },
    ],
    ['a pipe', () => execFileSync('mkfifo', [source])],
  ])('does not read %s', async (_, plant) => {
    plant();
    const copied = await copyVerified(source, target, { sha256 });
    expect(copied).toEqual({ kind: 'bad', why: 'it is not a regular file' });
  });

  it('never passes another file as good, whenever the original is swapped', async () => {
    writeFileSync(source, GOOD);
    const started = performance.now();
    await copyVerified(source, target, { sha256 });
    const duration = performance.now() - started;
    const kinds = new Set<string>();
    for (let round = 0; round < 60; round += 1) {
      writeFileSync(source, GOOD);
      const copying = copyVerified(source, `${target}-${round}`, { sha256 });
      await sleep((duration * 2 * round) / 60);
      writeFileSync(source, EVIL);
      const { kind } = await copying;
      kinds.add(kind);
      if (kind === 'good') expect(readFileSync(`${target}-${round}`).equals(GOOD)).toBe(true);
      else expect(existsSync(`${target}-${round}`)).toBe(false);
      rmSync(`${target}-${round}`, { force: true });
    }
    // Some swaps came too early and some too late, so the moments in between were tested as well.
    expect([...kinds].sort()).toEqual(['bad', 'good']);
  });
});
