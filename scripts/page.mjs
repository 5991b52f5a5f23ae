// Writes src/report/page-assets.ts: the style and the script of the HTML report, bundled and minified from
// src/report/page, because the page is one file. With --check it only says whether that file is up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const source = (name) => fileURLToPath(new URL(`../src/report/page/${name}`, import.meta.url));
const target = fileURLToPath(new URL('../src/report/page-assets.ts', import.meta.url));

function bundle(name) {
  const { outputFiles } = buildSync({
    entryPoints: [source(name)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    // Characters stay as they are: the page is UTF-8.
    charset: 'utf8',
    legalComments: 'none',
    tsconfigRaw: {},
    target: ['chrome109', 'firefox115', 'safari16.4'],
  });
  return outputFiles[0].text;
}

const text = [
  '// Written by `npm run page` from src/report/page. Make changes there.',
  `export const PAGE_STYLE = ${JSON.stringify(bundle('style.css'))};`,
  `export const PAGE_SCRIPT = ${JSON.stringify(bundle('main.js'))};`,
  '',
].join('\n');

if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('src/report/page-assets.ts is not up to date with src/report/page; run "npm run page".');
  process.exit(1);
}
