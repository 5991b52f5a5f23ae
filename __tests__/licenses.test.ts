import { expect, it } from '@jest/globals';
import { buildSync } from 'esbuild';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string): string => readFileSync(path, 'utf8');
const packageOf = (file: string): string | undefined =>
  /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];

/** Every file that an entry could bundle, with the package that it is from. */
const { metafile } = buildSync({
  entryPoints: readdirSync('src/entries').map((name) => join('src', 'entries', name)),
  outdir: 'not-written',
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  metafile: true,
});

const reachable = Object.keys(metafile.inputs).map(packageOf);

/** Names and texts that are in the files of one package alone. The bundles keep both. */
const fingerprints = new Map<string, Set<string>>();
for (const path of Object.keys(metafile.inputs)) {
  const owner = packageOf(path) ?? '';
  for (const [, name, text] of read(path).matchAll(/(?:function |class )(\w{10,})|'([\w .:]{20,})'/g)) {
    const mark = name ?? text ?? '';
    fingerprints.set(mark, (fingerprints.get(mark) ?? new Set()).add(owner));
  }
}

it.each(readdirSync('src/entries'))('the bundle of %s has the licences of what is in it', (entry) => {
  const folder = join('dist', entry.replace(/\.ts$/, ''));
  const code = readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => read(join(folder, name)))
    .join('\n');
  const words = new Set(code.match(/\w+/g));
  const [all, present] = [new Map<string, number>(), new Map<string, number>()];
  const count = (counts: typeof all, owner: string) => counts.set(owner, (counts.get(owner) ?? 0) + 1);
  for (const [mark, [owner, ...others]] of fingerprints) {
    if (!owner || others.length > 0) continue;
    count(all, owner);
    if (mark.includes(' ') ? code.includes(mark) : words.has(mark)) count(present, owner);
  }
  // Fewer can be there by chance.
  const bundled = [...present].filter(([owner, marks]) => marks >= (all.get(owner) ?? 0) / 5);
  const file = join(folder, 'licenses.txt');
  const licences = existsSync(file) ? read(file) : '';
  const named = new Set(
    [...licences.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+)@\d[\w.-]* \([\w.-]+\)$/gm)].map(([, name = '']) => name),
  );
  expect(bundled.map(([owner]) => owner).filter((owner) => !named.has(owner))).toEqual([]);
  // Some packages have neither names nor texts of their own.
  expect(bundled.length).toBeGreaterThanOrEqual(named.size / 2);
  expect(reachable).toEqual(expect.arrayContaining([...named]));
  for (const part of licences.split(/^(?=\S+@\d\S* \()/m).slice(1))
    expect(part).toMatch(/without warranty|as is/i);
});
