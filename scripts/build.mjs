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
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ncc from '@vercel/ncc';
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

mkdirSync(join(root, 'build'), { recursive: true });
const stage = mkdtempSync(join(root, 'build', 'bundles-'));
const target = join(stage, 'dist');
try {
  const hash = hashSources(root);
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
 * One file for each entry. esbuild joins our modules, ncc adds the packages, and what nobody reads is removed. Names stay,
 * so that a stack trace can be read. Node loads CommonJS faster than ES modules, and a single character that is not ASCII
 * would make it keep the whole file with two bytes per character. `npm run typecheck` checks the types.
 */
async function buildBundles() {
  await joinModules();
  // ncc names modules by their paths from here.
  process.chdir(stage);
  try {
    for (const entry of entries) await buildBundle(entry);
  } finally {
    process.chdir(root);
  }
}

async function joinModules() {
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  await build({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => ({ in: `src/entries/${entry}.ts`, out: entry })),
    outdir: join(stage, 'src'),
    bundle: true,
    external: Object.keys(dependencies),
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    logOverride: { 'import-is-undefined': 'error' },
  });
  // The type of this project would make ncc read its CommonJS packages in another way.
  writeFileSync(join(stage, 'package.json'), '{}');
  const paths = { '@actions/core/*': ['../../node_modules/@actions/core/lib/*'] };
  writeFileSync(join(stage, 'tsconfig.json'), JSON.stringify({ compilerOptions: { paths } }));
}

async function buildBundle(entry) {
  const folder = join(target, entry);
  const file = join(stage, 'src', `${entry}.js`);
  // What is loaded only when it is needed would become a file of its own.
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replaceAll('import("', 'import(/* webpackMode: "eager" */ "'),
  );
  const { code, stats } = await ncc(file, { cache: false, quiet: true });
  mkdirSync(folder, { recursive: true });
  const { code: small } = transformSync(code, {
    charset: 'ascii',
    format: 'cjs',
    target: 'node20',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
  });
  writeFileSync(join(folder, 'index.js'), small);
  // Some modules of ncc consist of others.
  const modules = [...stats.compilation.modules].flatMap((one) => [one, ...(one.modules ?? [])]);
  const packages = packagesOf(modules.map(({ resource }) => resource ?? ''));
  if (packages.length > 0) writeFileSync(join(folder, 'licenses.txt'), packages.map(licenseOf).join('\n\n'));
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}\n');
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

function compareWithDist() {
  const read = (folder) =>
    new Map(
      existsSync(folder) ? filesBelow(folder).map((name) => [name, readFileSync(join(folder, name))]) : [],
    );
  const [built, committed] = [read(target), read(dist)];
  const differing = [...new Set([...built.keys(), ...committed.keys()])].filter(
    (name) => !committed.has(name) || !built.get(name)?.equals(committed.get(name)),
  );
  // `git commit -a` leaves new files out.
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
