// Adds a build of the Cursor CLI to the table of pins: `npm run pins -- <version>`, or `latest`. Every
// platform's archive is downloaded and hashed, but not unpacked or run. Prints the version if it was added, and nothing
// if it is in the table already.
//   --source <url>   download from here instead of from the vendor; the install script is at /install of that origin
//   --table <file>   change this table instead of src/install/pins.ts
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const PLATFORMS = ['linux/x64', 'linux/arm64', 'darwin/x64', 'darwin/arm64', 'windows/x64', 'windows/arm64'];
const SHAPE = /^\d{4}\.\d{2}\.\d{2}-[0-9A-Za-z]+(-[0-9A-Za-z]+)*$/;
const START = 'export const CURSOR_PINS: Readonly<Record<string, PinnedBuild>> = {\n';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { source: { type: 'string' }, table: { type: 'string' } },
});
const base = (values.source ?? 'https://downloads.cursor.com/lab').replace(/\/+$/, '');
const table = values.table ?? fileURLToPath(new URL('../src/install/pins.ts', import.meta.url));

const [asked = ''] = positionals;
const version = asked === 'latest' ? await findNewest() : asked;
if (!SHAPE.test(version))
  stop(`"${version}" is not a version. Use npm run pins -- 2026.10.01-e373342, or latest.`);
const text = readFileSync(table, 'utf8');
if (!text.includes(START)) stop(`${table} holds no table of pins.`);
if (text.includes(`\n  '${version}': {`)) {
  console.error(`${version} is in the table already.`);
} else {
  writeFileSync(table, text.replace(START, `${START}${await describe(version)}`));
  console.log(version);
}

async function findNewest() {
  const address = values.source ? new URL('/install', base).href : 'https://cursor.com/install';
  const script = await (await get(address)).text();
  const found = new Set([...script.matchAll(/\/lab\/([^/\s"']+)\//g)].map(([, name]) => name));
  if (found.size !== 1) stop(`${address} names ${found.size} versions instead of one.`);
  return [...found][0];
}

async function describe(name) {
  const lines = [];
  // One after another: six at once would only share the bandwidth.
  for (const platform of PLATFORMS) {
    const { sha256, bytes } = await measure(name, platform);
    console.error(`${platform} ${sha256} ${bytes}`);
    lines.push(`      '${platform}': pin('${sha256}', ${bytes}),`);
  }
  const day = new Date().toISOString().slice(0, 10);
  return [
    `  '${name}': {`,
    `    source: 'Downloaded from the vendor and hashed by this project on ${day}.',`,
    '    archives: {',
    ...lines,
    '    },',
    '  },',
    '',
  ].join('\n');
}

async function measure(name, platform) {
  const ending = platform.startsWith('windows/') ? 'zip' : 'tar.gz';
  const response = await get(`${base}/${name}/${platform}/agent-cli-package.${ending}`);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of response.body) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  const length = response.headers.get('content-length');
  if (length !== null && Number(length) !== bytes)
    stop(`${platform} broke off after ${bytes} of ${length} bytes.`);
  return { sha256: hash.digest('hex'), bytes };
}

async function get(address) {
  const response = await fetch(address);
  if (!response.ok) stop(`${address} answered ${response.status}.`);
  return response;
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
