// Builds one bundle for each entry into dist/, or for those that are named. With --check it builds elsewhere and fails
// if dist/ differs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const isCheck = process.argv.includes('--check');
const target = isCheck ? mkdtempSync(join(tmpdir(), 'dist-')) : join(root, 'dist');

const wanted = process.argv.slice(2).filter((name) => !name.startsWith('--'));
const entries = readdirSync(join(root, 'src', 'entries'))
  .map((name) => name.replace(/\.ts$/, ''))
  .filter((name) => wanted.length === 0 || wanted.includes(name));
if (!isCheck)
  rmSync(wanted.length === 1 ? join(target, wanted[0]) : target, { recursive: true, force: true });
for (const entry of entries) {
  const ncc = join(root, 'node_modules', '@vercel', 'ncc', 'dist', 'ncc', 'cli.js');
  const args = [
    ncc,
    'build',
    join(root, 'src', 'entries', `${entry}.ts`),
    '-o',
    join(target, entry),
    '--quiet',
    '--no-cache',
    '--license',
    'licenses.txt',
  ];
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
}
// Declarations and their like are by-products no one loads.
const built = filesBelow(target).filter((file) => entries.includes(file.split(sep)[0]));
for (const file of built) {
  if (!/\.(js|json)$|^licenses\.txt$/.test(basename(file))) rmSync(join(target, file));
}
for (const file of built.filter((name) => name.endsWith('.js'))) {
  const path = join(target, file);
  writeFileSync(path, quickToLoad(readFileSync(path, 'utf8')));
}

if (isCheck) {
  const differing = compare(target, join(root, 'dist'));
  rmSync(target, { recursive: true, force: true });
  if (differing.length > 0) {
    console.error(
      `dist/ is not what the sources build to; run "npm run build" and commit it:\n  ${differing.join('\n  ')}`,
    );
    process.exit(1);
  }
  console.log('dist/ is what the sources build to.');
}

/**
 * Every run loads the bundle, so it is made quick to load. Node reads the wrapper of each module twice, first to
 * skip it and then to compile it, unless it is a function expression in parentheses: those are compiled at once.
 * Blanks and comments go; names stay, so that a stack trace can be read.
 */
function quickToLoad(code) {
  const eager = code.replace(/^\/\*{3}\/ \(\(([^)]*)\) => \{$/gm, '/***/ (function($1) {');
  return transformSync(eager, {
    format: 'esm',
    target: 'node20',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
  }).code;
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

function compare(built, committed) {
  const read = (folder) => {
    try {
      return new Map(filesBelow(folder).map((name) => [name, readFileSync(join(folder, name))]));
    } catch {
      return new Map();
    }
  };
  const [a, b] = [read(built), read(committed)];
  return [...new Set([...a.keys(), ...b.keys()])].filter(
    (name) => !a.get(name)?.equals(b.get(name) ?? Buffer.alloc(0)),
  );
}
