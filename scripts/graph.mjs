// Draws which folder of src/ imports which, between the two markers in docs/architecture.md.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folders of src/, each with the other folders that it imports from.
 * @param {string} sources the path of src/
 * @returns {Record<string, string[]>}
 */
export function readFolderImports(sources) {
  const folders = readdirSync(sources, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return Object.fromEntries(folders.map(({ name }) => [name, importsOf(join(sources, name), name)]));
}

function importsOf(folder, name) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const imported = files
    .filter((file) => /\.[jt]s$/.test(file))
    .flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/\b(?:from|import)[\s(]*'(\.\.\/[^']+)'/g)]
        .map(([, path]) => join(name, dirname(file), path).split(sep))
        .map(([other]) => other)
        .filter((other) => other !== '..'),
    );
  return [...new Set(imported)].filter((other) => other !== name).sort();
}

/**
 * The document with the picture of these imports between its markers.
 * @param {string} document
 * @param {Record<string, string[]>} imports
 */
export function withGraph(document, imports) {
  return document.replace(
    /(<!-- imports -->\n)[\s\S]*?(<!-- \/imports -->)/,
    (_, open, close) => `${open}\n${drawGraph(imports)}\n\n${close}`,
  );
}

/** An import is drawn only where no chain of other imports leads to the same folder: all of them would hide the shape. */
function drawGraph(imports) {
  const arrows = Object.entries(imports).flatMap(([folder, others]) =>
    others
      .filter((other) => !others.some((between) => between !== other && reaches(imports, between, other)))
      .map((other) => `  ${folder} --> ${other}`),
  );
  return ['```mermaid', 'flowchart TD', ...arrows, '```'].join('\n');
}

function reaches(imports, from, to) {
  const seen = new Set([from]);
  for (const folder of seen) for (const other of imports[folder] ?? []) seen.add(other);
  return seen.has(to);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const path = join(root, 'docs', 'architecture.md');
  const document = readFileSync(path, 'utf8');
  writeFileSync(path, withGraph(document, readFolderImports(join(root, 'src'))));
}
