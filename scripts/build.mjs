// Builds a bundle for each entry of src/entries, or for the entries that are named. dist/ is replaced only when all of
// them are built, so that an interrupted build changes nothing. With --check nothing is replaced, and the build fails
// if dist/ differs.
import { spawnSync } from 'node:child_process';
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
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ncc from '@vercel/ncc';
import { build, transformSync } from 'esbuild';
import { filesBelow, hashSources, readBuiltFrom } from './sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const isCheck = process.argv.includes('--check');
const named = process.argv.slice(2).filter((name) => !name.startsWith('--'));

/** ncc would look every name of these packages up in an object each time it is used, which costs time in every run. */
const JOINED = ['zod'];

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
  await buildBundles(await joinModules());
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
 * other packages and writes CommonJS, which Node loads faster than ES modules. A module of its own for each file would
 * cost time in every run. `npm run typecheck` checks the types. Returns the files that were joined for each entry.
 */
async function joinModules() {
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const external = Object.keys(dependencies).filter((name) => !JOINED.includes(name));
  const joined = new Map();
  for (const entry of entries) {
    const { metafile } = await build({
      entryPoints: [join(root, 'src', 'entries', `${entry}.ts`)],
      outdir: join(stage, 'src', entry),
      bundle: true,
      splitting: true,
      external,
      format: 'esm',
      platform: 'node',
      target: 'es2022',
      metafile: true,
      logLevel: 'warning',
      logOverride: { 'import-is-undefined': 'error' },
    });
    joined.set(entry, Object.keys(metafile.inputs));
  }
  const paths = {
    '@actions/core/*': ['../../node_modules/@actions/core/lib/*'],
    // Its ES module has a `require` of its own, which ncc mixes up with the one of CommonJS.
    '@azure/storage-common': ['../../node_modules/@azure/storage-common/dist/commonjs/index.js'],
  };
  // The type of this project would make webpack read its CommonJS packages in another way.
  writeFileSync(join(stage, 'package.json'), '{}');
  writeFileSync(join(stage, 'tsconfig.json'), JSON.stringify({ compilerOptions: { paths } }));
  return joined;
}

/** All in this process, one after another: what ncc loads and compiles for the first bundle serves the others too. */
async function buildBundles(joined) {
  process.chdir(stage);
  try {
    for (const entry of entries) await buildBundle(entry, joined.get(entry));
  } finally {
    // The folder is removed at the end.
    process.chdir(root);
  }
}

async function buildBundle(entry, joined) {
  const folder = join(target, entry);
  const options = { cache: false, quiet: true };
  const { code, assets, stats } = await ncc(join(stage, 'src', entry, `${entry}.js`), options);
  const write = (name, content) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  };
  write('index.js', quickToLoad(code));
  // Nobody loads declarations and other by-products.
  for (const [name, { source }] of Object.entries(assets).filter(([name]) => name.endsWith('.js')))
    write(name, quickToLoad(String(source)));
  // Some modules of webpack consist of others.
  const added = [...stats.compilation.modules].flatMap((one) => [one, ...(one.modules ?? [])]);
  const packages = packagesOf([...joined, ...added.map(({ resource }) => resource ?? '')]);
  if (packages.length > 0) write('licenses.txt', packages.map(licenseOf).join('\n\n'));
  write('package.json', '{"type":"commonjs"}\n');
}

/** The folders of the packages that these files are from. */
function packagesOf(files) {
  const folders = files.map(
    (file) => /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1],
  );
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** The name of a package, its licence, and the text of it. */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const texts = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const licence = texts.map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
  return `${[`${name}@${version} (${license})`, ...licence].join('\n\n')}\n`;
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
  return small.replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
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
  // A build gives its chunks new names, and `git commit -a` leaves new files out.
  const untracked = spawnSync('git', ['ls-files', '--others', 'dist'], {
    cwd: root,
    encoding: 'utf8',
  }).stdout;
  if (differing.length > 0)
    console.error(
      `dist/ differs from what the sources build; run npm run build and commit it:\n  ${differing.join('\n  ')}`,
    );
  else if (untracked)
    console.error(`git does not know all of dist/; run git add dist and commit it:\n${untracked}`);
  else return console.log('dist/ is what the sources build.');
  process.exitCode = 1;
}

function replaceDist() {
  if (existsSync(dist)) renameSync(dist, join(stage, 'before'));
  renameSync(target, dist);
}
