import fc from 'fast-check';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { git, put, scratchRepository } from './scratch-repository.js';

/** What is in each folder before. */
const FILES = { a: 'a\n', b: 'b\nb\n', 'd/a': 'da\n', 'd/d/a': 'dda\n', 'd/d/b': 'ddb\n', 'e/b': 'eb\n' };
const path = fc.constantFrom(
  'a',
  'b',
  'd',
  'e',
  'l',
  'd/a',
  'd/d',
  'd/l',
  'e/a',
  'e/d',
  'd/d/a',
  'e/d/b',
  'd/d/d/d',
);
const target = fc.constantFrom('a', 'd', 'e', '../a', '../e', 'l', 'nowhere', '../d/d', '.');
const step = fc.oneof(
  fc.tuple(path, fc.constantFrom('1', '2\\n', '', 'a\\n')).map(([at, text]) => `printf '${text}' > ${at}`),
  path.map((at) => `rm -rf ${at}`),
  path.map((at) => `rm -rf ${at} && mkdir ${at}`),
  path.map((at) => `mkdir -p ${at}`),
  fc.tuple(path, path).map(([from, to]) => `mv ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `mv -T ${from} ${to}`),
  // The result of copying a folder into itself depends on the file system.
  fc
    .tuple(path, path)
    .filter(([from, to]) => !to.startsWith(from))
    .map(([from, to]) => `rm -rf ${to}; cp -RP ${from} ${to}`),
  fc.tuple(target, path).map(([from, to]) => `ln -sfn ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `ln ${from} ${to}`),
  // No read-only mode: an isolated root cannot write to such a file, and root in the plain copy can.
  fc
    .tuple(path, fc.constantFrom('600', '664', '640'))
    .map(([at, mode]) => `test -f ${at} && chmod ${mode} ${at}`),
);
const FOLDERS = 12;
/** Some shell commands for each folder. Each of them may fail. */
export const anyChanges = fc.array(fc.array(step, { minLength: 2, maxLength: 10 }), {
  minLength: FOLDERS,
  maxLength: FOLDERS,
});

export const asScript = (folders: readonly (readonly string[])[]): string =>
  folders
    .map(
      (steps, index) =>
        `cd ${index}; ${steps.map((one) => `{ ${one}; } 2>/dev/null || :`).join('; ')}; cd ..`,
    )
    .join('\n');

/** A checkout with such folders. */
export function anyCheckout(): string {
  const template = scratchRepository({ 'README.md': 'x\n' });
  for (let index = 0; index < FOLDERS; index += 1) {
    const folder = join(template, String(index));
    put(folder, FILES);
    symlinkSync('a', join(folder, 'l'));
    symlinkSync('../e', join(folder, 'd/l'));
  }
  git(template, 'add', '-A');
  git(template, 'commit', '-qm', 'folders');
  for (let index = 0; index < FOLDERS; index += 1)
    mkdirSync(join(template, String(index), 'd/d/empty/er'), { recursive: true });
  // Some files are modified or untracked.
  for (let index = 0; index < FOLDERS; index += 3)
    put(join(template, String(index)), { b: 'dirty\n', 'd/b': 'untracked\n' });
  return template;
}
