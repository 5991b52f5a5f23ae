import { describe, expect, it } from '@jest/globals';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createGrowingRedaction } from '../../../src/text/redact.js';
import { KINDS, openLayer } from './scratch-layer.js';
import { cleanClone, git, put, scratchRepository } from './scratch-repository.js';

const KEY = 'key_5f2d9c81b7e04a63d1c8f0a9e3b75246';
const PASSWORD = 'correct horse';
const PEM = [
  '-----BEGIN KEY-----',
  'MIIEvQIBADANBgkqhkiG9w0BAQEF4A7C',
  'type: service_account',
  'kP3Qx7Jm',
].join('\n');
const SHORT = 'seven77';
const redaction = createGrowingRedaction();
redaction.learn([KEY, PASSWORD, SHORT, PEM]);
const { findKnown, redact } = redaction;
const reason = 'it contains a secret that this run knows, in its content, its name or its link target';

const open = (kind: (typeof KINDS)[number], root: string) => openLayer(kind, root, { findKnown });
const base64 = Buffer.from(KEY).toString('base64');
const octal = (bytes: Buffer) =>
  Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

describe.each(KINDS)('a secret in a layer by %s', (kind) => {
  it('is a violation in every form, in content, name and link target', () => {
    const layer = open(kind, scratchRepository());
    layer.act(`echo 'a ${KEY} b' > plain.txt; echo ${base64} > base64.txt
      echo ${Buffer.from(KEY).toString('hex')} | fold -w 20 > hex.txt
      echo '${encodeURIComponent(PASSWORD)}' > url.txt; echo '${KEY.slice(4)}' > prefix.txt
      printf '${octal(Buffer.from(KEY, 'utf16le'))}' > wide.txt; printf '\\000\\377${KEY}\\000\\001' > binary.bin
      echo '${KEY.split('').reverse().join('')}' > reversed.txt; echo 'MIIEvQIBADANBgkqhkiG9w0BAQEF4A7C' > line.txt
      echo x > ${KEY}.txt; mkdir ${base64}; echo x > ${base64}/x; ln -s ${KEY} link; ln -s README.md src/${KEY}
      echo '${SHORT} ghp_0123456789abcdefghij0123456789abcdef type: service_account' > fine.txt`);
    const found = layer.inspect();
    const names = [
      ...['base64.txt', 'binary.bin', 'hex.txt', 'line.txt', 'link', 'plain.txt', 'prefix.txt'],
      ...['reversed.txt', 'url.txt', 'wide.txt', `${KEY}.txt`, `${base64}/x`, `src/${KEY}`],
    ];
    expect(found.violations).toEqual(names.map((name) => `${name}: ${reason}`).sort());
    expect(found.inspection.violations.every(({ isSecret }) => isSecret)).toBe(true);
    expect(found.inspection.allowed.map(({ path }) => path)).toEqual(['fine.txt']);
  });

  it('is found wherever it is in a large file, also where one part of it was read before the other', () => {
    const layer = open(kind, scratchRepository());
    const chunk = 4 * 2 ** 20;
    const at = [0, chunk - 10, chunk + 64 * 1024 - 10, 2 * chunk + 64 * 1024 - 20, 3 * chunk];
    layer.act(
      at
        .map(
          (place, index) =>
            `{ head -c ${place} /dev/zero; printf ${KEY}; head -c 5000000 /dev/zero; } > ${index}.bin`,
        )
        .concat('head -c 20000000 /dev/zero > none.bin')
        .join('\n'),
    );
    const found = layer.inspect();
    expect(found.violations).toEqual(at.map((_, index) => `${index}.bin: ${reason}`));
  });

  it('is no news where it was before: in the same file, under another name, or in the name itself', () => {
    const root = scratchRepository({
      'a.txt': `${KEY}\n`,
      'b.txt': `${KEY}\n${'line\n'.repeat(20)}`,
      'c.txt': `${KEY}\n`,
      'd.txt': 'd\n',
      'gone.txt': KEY,
      [`${KEY}.md`]: 'named\n',
    });
    symlinkSync(KEY, join(root, 'link'));
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'link');
    const layer = open(kind, root);
    layer.act(`echo more >> a.txt; mv b.txt moved.txt; echo more >> moved.txt; echo ${KEY} >> c.txt; echo ${KEY} > d.txt
      rm gone.txt; echo more >> ${KEY}.md; ln -sfn ./${KEY} link`);
    expect(layer.inspect().violations).toEqual([`c.txt: ${reason}`, `d.txt: ${reason}`]);
  });

  it('is found in the patch where git stores a file in another encoding', () => {
    const root = cleanClone(
      scratchRepository({ '.gitattributes': '*.txt working-tree-encoding=IBM037\n', 'README.md': 'x\n' }),
    );
    const layer = open(kind, root);
    layer.act(`printf '${KEY}\n' | iconv -f ASCII -t IBM037 > a.txt`);
    expect(layer.inspect().violations).toEqual([`a.txt: ${reason}`]);
  });

  it('is redacted in a patch that is only read, and its file is left out of one that is applied', () => {
    const root = scratchRepository({ 'a.txt': 'a\n', 'old.txt': `${KEY}\nb\n` });
    const layer = open(kind, root);
    layer.act(`echo "key: ${KEY}" >> a.txt; printf '\\000${KEY}' > b.bin; ln -s ${KEY} link; echo x > fine.txt
      echo more >> old.txt; printf '\\377 ${KEY}\n' > latin.txt`);
    const found = layer.inspect();
    const { allowed, refused } = found.inspection;
    const all = [...allowed, ...refused];
    const mayShow = (text: string) => redact(text) === text;
    const read = found.patch(all, mayShow, redact);
    expect(read.text).not.toContain(KEY.slice(4));
    expect(read.text).toContain('+key: ***\n');
    expect(read.text).toContain('diff --git a/link b/link');
    expect(read.text).toContain('+\xff ***\n');
    expect(read.omitted.map(({ path }) => path)).toEqual(['b.bin']);
    const applied = found.patch(allowed, mayShow);
    expect(applied.omitted.map(({ path }) => path)).toEqual(['old.txt']);
    expect(applied.text).toContain('fine.txt');
    expect(applied.text).not.toContain('***');
  });

  it('is found without git, too', () => {
    const root = scratchRepository();
    put(root, { 'x/y': 'y\n' });
    const layer = openLayer(kind, root, { findKnown, withoutGit: true });
    layer.act(`echo ${KEY} > x/y; echo fine > x/z`);
    expect(layer.inspect().violations).toEqual([`x/y: ${reason}`]);
  });
});
