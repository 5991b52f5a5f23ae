import { afterEach, describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createRedaction } from '../../src/report/redact.js';
import { redactPatch } from '../../src/report/redact-patch.js';
import { git, makeFolder, makeWorkspace, removeFolders, writeTree } from '../scenarios/workspace.js';

afterEach(removeFolders);

const SECRET = 'the-secret-word-1';
const { redact } = createRedaction([SECRET]);

describe('redactPatch', () => {
  it('takes secrets out of what was added and of names, and the patch still applies', () => {
    const before = { 'a.txt': `one\n${SECRET} was here before\ntwo\n`, 'b.bin': 'x' };
    const workspace = makeWorkspace(before);
    writeTree(workspace, {
      'a.txt': `one\n${SECRET} was here before\n--- not a header ${SECRET}\n`,
      [`new-${SECRET}.txt`]: `++ ${SECRET}`,
    });
    writeFileSync(join(workspace, 'b.bin'), Buffer.from([0, 255, 254, 10, 13, 0]));
    git(workspace, 'add', '--all');
    const patch = execFileSync('git', ['diff', '--cached', '--binary', 'HEAD'], { cwd: workspace });
    const redacted = redactPatch(patch, redact);
    const added = redacted
      .toString('latin1')
      .split('\n')
      .filter((line) => !line.startsWith(' '));
    expect(added.join('\n')).not.toContain(SECRET);

    const other = makeWorkspace(before);
    const file = join(makeFolder(), 'change.patch');
    writeFileSync(file, redacted);
    git(other, 'apply', '--binary', file);
    expect(readFileSync(join(other, 'a.txt'), 'utf8')).toBe(
      `one\n${SECRET} was here before\n--- not a header ***\n`,
    );
    expect(readFileSync(join(other, 'new-***.txt'), 'utf8')).toBe('++ ***');
    expect(readFileSync(join(other, 'b.bin'))).toEqual(Buffer.from([0, 255, 254, 10, 13, 0]));
  });

  it('leaves a patch without secrets as it is, to the byte', () => {
    const bytes = Buffer.from(Array.from({ length: 2000 }, (_, index) => (index * 7) % 256));
    expect(redactPatch(bytes, redact)).toEqual(bytes);
  });
});
