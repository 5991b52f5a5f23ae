// Which sources a bundle was built from: dist/sources.sha256 has a line for each bundle with a hash of the sources.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const FILES = ['package-lock.json', 'scripts/build.mjs', 'scripts/sources.mjs', 'tsconfig.json'];

/** The files below a folder as relative paths, sorted, with slashes on every system. */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
    .map((path) => path.split(sep).join('/'))
    .sort();
}

/**
 * A hash of everything that a bundle depends on. It is the same on every machine.
 * @param {string} root the path of the project
 */
export function hashSources(root) {
  const sources = filesBelow(join(root, 'src')).map((path) => `src/${path}`);
  const hash = createHash('sha256');
  for (const path of [...sources, ...FILES]) {
    const content = createHash('sha256').update(readFileSync(join(root, path)));
    hash.update(`${content.digest('hex')}  ${path}\n`);
  }
  return hash.digest('hex');
}

/**
 * The hash of the sources that each bundle in dist/ was built from.
 * @param {string} root the path of the project
 * @returns {Map<string, string>}
 */
export function readBuiltFrom(root) {
  const path = join(root, 'dist', 'sources.sha256');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return new Map(lines.filter(Boolean).map((line) => line.split('  ').reverse()));
}
