import { expect, it } from '@jest/globals';
import { join } from 'node:path';
import { findChanges } from '../../src/run/find-changes.js';
import type { RunFolder } from '../../src/run/run-folder.js';
import { git, put, scratchRepository } from '../sandbox/layer/scratch-repository.js';
import { openScratchSandbox } from '../sandbox/scratch-sandbox.js';

const LIMITS = { totalMs: 50_000, graceMs: 0, subagentMs: 0, cancel: new AbortController().signal };

it.each([
  ['the folder of the tests', 'mkdir t2; echo forged > t2/sum.js; rm -rf tests; ln -s t2 tests', 'tests'],
  ['a folder above them', 'mkdir -p a2/tests; echo forged > a2/tests/sum.js; rm -rf a; ln -s a2 a', 'a'],
  ['a manifest', 'echo "{}" > p2.json; ln -sf p2.json package.json', 'package.json'],
])('a link in the place of %s does not stand for the original', async (_, script, link) => {
  const root = scratchRepository();
  const original = 'original\n';
  put(root, { 'tests/sum.js': original, 'a/tests/sum.js': original, 'package.json': original });
  git(root, 'add', '.');
  git(root, 'commit', '-qm', 'tests');
  const { act, sandbox, folder } = openScratchSandbox('copy', root);
  await act(script);
  const found = findChanges({
    ...{ sandbox, inputs: { onViolation: 'fail' }, runFolder: {} as RunFolder },
    ...{ redact: (text: string) => text, findKnown: () => [] },
  });
  const originals = found.originals(join(folder, 'originals'));
  expect(originals?.paths).toContain(link);
  let stdout = '';
  await originals?.openTree().run(
    {
      ...{ file: '/bin/sh', env: {}, folder: '' },
      args: ['-c', 'cat tests/sum.js a/tests/sum.js package.json'],
    },
    {
      ...{ onStdout: (chunk: Buffer) => void (stdout += chunk.toString()), onStderr: () => undefined },
      ...{ hasResult: () => false, hasSubagent: () => false, patienceMs: () => Infinity },
    },
    LIMITS,
  );
  expect(stdout).toBe(original.repeat(3));
  found.close();
  sandbox.close();
});
