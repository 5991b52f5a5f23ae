// Builds a bundle for each entry of src/entries, or for the entries that are named. dist/ is replaced only when all of
// them are built, so that an interrupted build changes nothing. With --check nothing is replaced, and the build fails
// if dist/ differs.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transformSync } from 'esbuild';
import { filesBelow, hashSources, readBuiltFrom } from './sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const isCheck = process.argv.includes('--check');
const named = process.argv.slice(2).filter((name) => !name.startsWith('--'));

const all = readdirSync(join(root, 'src', 'entries')).map((name) => name.replace(/\.ts$/, ''));
const entries = all.filter((name) => named.length === 0 || named.includes(name));
const unknown = named.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no entry ${unknown.join(', ')}. The entries are ${all.join(', ')}.`);
  process.exit(1);
}

// The identifiers of modules depend on how deep this folder is below the root, but not on its name.
mkdirSync(join(root, 'build'), { recursive: true });
const stage = mkdtempSync(join(root, 'build', 'bundles-'));
const target = join(stage, 'dist');
try {
  const hash = hashSources(root);
  await joinModules();
  await buildBundles();
  const kept = named.length > 0 && existsSync(dist) ? readdirSync(dist, { withFileTypes: true }) : [];
  for (const { name } of kept.filter((entry) => entry.isDirectory() && !entries.includes(entry.name)))
    cpSync(join(dist, name), join(target, name), { recursive: true });
  const before = readBuiltFrom(root);
  const lines = readdirSync(target).map(
    (name) => `${entries.includes(name) ? hash : (before.get(name) ?? 'unknown')}  ${name}\n`,
  );
  writeFileSync(join(target, 'sources.sha256'), lines.join(''));
  if (isCheck) compareWithDist();
  else replaceDist();
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/**
 * Joins the modules of each entry into a few, one for each part that is loaded when it is needed. ncc then adds the
 * packages and writes CommonJS, which Node loads faster than ES modules. A module of its own for each file would cost
 * time in every run. `npm run typecheck` checks the types.
 */
async function joinModules() {
  for (const entry of entries)
    await build({
      entryPoints: [join(root, 'src', 'entries', `${entry}.ts`)],
      outdir: join(stage, 'src', entry),
      bundle: true,
      splitting: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'es2022',
      logLevel: 'warning',
      logOverride: { 'import-is-undefined': 'error' },
    });
  const paths = { '@actions/core/*': ['../../node_modules/@actions/core/lib/*'] };
  // The name keeps this project itself out of the licenses of the packages in a bundle.
  writeFileSync(join(stage, 'package.json'), JSON.stringify({ name: 'bundles' }));
  writeFileSync(join(stage, 'tsconfig.json'), JSON.stringify({ compilerOptions: { paths } }));
}

/**
 * Two at a time: more do not help on the two cores that a small machine has. If one fails, the other one is waited for, because it
 * would still write into the folder that is removed at the end.
 */
async function buildBundles() {
  const waiting = [...entries];
  const work = async () => {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) await buildBundle(entry);
  };
  const ended = await Promise.allSettled([work(), work()]);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

async function buildBundle(entry) {
  const folder = join(target, entry);
  const ncc = join(root, 'node_modules', '@vercel', 'ncc', 'dist', 'ncc', 'cli.js');
  const options = ['-o', folder, '--quiet', '--no-cache', '--license', 'licenses.txt'];
  const args = [ncc, 'build', join(stage, 'src', entry, `${entry}.js`), ...options];
  await new Promise((done, failed) => {
    spawn(process.execPath, args, { cwd: stage, stdio: 'inherit' })
      .on('error', failed)
      .on('close', (code) => (code === 0 ? done() : failed(new Error(`The bundle ${entry} was not built.`))));
  });
  for (const file of filesBelow(folder)) {
    const path = join(folder, file);
    if (file.endsWith('.js')) writeFileSync(path, quickToLoad(readFileSync(path, 'utf8')));
    // Nobody loads declarations and other by-products.
    else if (basename(file) !== 'licenses.txt') rmSync(path);
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}\n');
}

/**
 * Every run loads the bundle, so it has to load fast. Node parses the wrapper of each module twice, first to skip it and
 * then to compile it, unless it is a function expression in parentheses: that is compiled at once. Whitespace and
 * comments are removed. Names stay, so that a stack trace can be read. One character that is not ASCII, in a regular
 * expression, would make Node keep the whole file with two bytes per character.
 */
function quickToLoad(code) {
  const eager = code.replace(/^\/\*{3}\/ \(\(([^)]*)\) => \{$/gm, '/***/ (function($1) {');
  const { code: small } = transformSync(eager, {
    format: 'cjs',
    target: 'node20',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
  });
  return small.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function compareWithDist() {
  const read = (folder) =>
    new Map(
      existsSync(folder) ? filesBelow(folder).map((name) => [name, readFileSync(join(folder, name))]) : [],
    );
  const [built, committed] = [read(target), read(dist)];
  const differing = [...new Set([...built.keys(), ...committed.keys()])].filter(
    (name) => !committed.has(name) || !built.get(name)?.equals(committed.get(name)),
  );
  if (differing.length === 0) return console.log('dist/ is what the sources build.');
  console.error(
    `dist/ differs from what the sources build; run npm run build and commit it:\n  ${differing.join('\n  ')}`,
  );
  process.exitCode = 1;
}

function replaceDist() {
  if (existsSync(dist)) renameSync(dist, join(stage, 'before'));
  renameSync(target, dist);
}
