// Writes src/report/page-assets.ts: style and script of the HTML report, made from src/report/page. The script's
// modules are put one after the other without their imports and exports, because a page that is one file cannot
// import. With --check it only says whether the file is what the sources make.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../src/report/page/', import.meta.url);
const target = fileURLToPath(new URL('../src/report/page-assets.ts', import.meta.url));
/** In the order of who needs whom. */
const MODULES = ['model.js', 'call-list.js', 'call-details.js', 'timeline.js', 'main.js'];

const read = (name) => readFileSync(new URL(name, folder), 'utf8').replaceAll('\r\n', '\n');
const script = MODULES.map((name) =>
  read(name)
    .replace(/^import [^;]*;\n/gm, '')
    .replace(/^export /gm, '')
    .replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, ''),
).join('');

const text = [
  '// Written by `npm run page` from src/report/page; change it there.',
  `export const PAGE_STYLE = ${JSON.stringify(read('style.css'))};`,
  `export const PAGE_SCRIPT = ${JSON.stringify(`(() => {\n'use strict';\n${script}})();\n`)};`,
  '',
].join('\n');

if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('src/report/page-assets.ts is not what src/report/page makes; run "npm run page".');
  process.exit(1);
}
