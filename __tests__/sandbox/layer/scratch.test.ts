import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { ALL_KINDS, openLayer } from './scratch-layer.js';
import { picture, put, scratchRepository } from './scratch-repository.js';

const CHANGES =
  'echo more >> README.md; rm docs/guide.md; rm -rf src/deep; mkdir src/deep; echo z > src/deep/z; echo new > new.txt';
const CHANGED = ['README.md', 'docs/guide.md', 'new.txt', 'src/deep/x', 'src/deep/y', 'src/deep/z'];

function changedLayer(kind: (typeof ALL_KINDS)[number]) {
  const root = scratchRepository();
  put(root, { 'src/deep/x': 'x\n', 'src/deep/y': 'y\n' });
  const layer = openLayer(kind, root);
  layer.act(CHANGES);
  return { root, layer };
}

describe.each(ALL_KINDS)('a throw-away version of a layer by %s', (kind) => {
  it('shows what the agent left, removed folders included', () => {
    const { layer } = changedLayer(kind);
    const { act } = layer.openScratch();
    expect(act('tail -n 1 README.md; cat new.txt; ls src/deep; ls docs').split('\n')).toEqual(
      expect.arrayContaining(['more', 'new', 'z']),
    );
    expect(act('ls docs src/deep')).not.toMatch(/guide|\b[xy]\b/);
  });

  it('keeps what a command writes for the next one, and puts nothing of it into the layer or the checkout', () => {
    const { root, layer } = changedLayer(kind);
    const before = picture(root);
    const scratch = layer.openScratch();
    scratch.act(
      'echo built > built.txt; echo evil > README.md; rm new.txt; rm -rf src; mkdir src; echo a > src/a',
    );
    expect(scratch.act('cat built.txt README.md src/a')).toBe('built\nevil\na\n');
    const found = layer.inspect();
    expect([found.paths, found.violations, scratch.intrusions()]).toEqual([CHANGED, [], []]);
    expect(picture(root)).toEqual(before);
    expect(layer.openScratch().act('cat new.txt; test ! -e built.txt && echo clean')).toBe('new\nclean\n');
    found.apply();
  });
});

it('says what was changed outside of it, where nothing prevents that', () => {
  const { root, layer } = changedLayer('copy');
  const scratch = layer.openScratch();
  writeFileSync(join(layer.opened.seen, 'new.txt'), 'another text\n');
  writeFileSync(join(root, 'src', 'main.ts'), 'in the checkout\n');
  expect(scratch.intrusions()).toEqual(['new.txt', 'src/main.ts']);
});
