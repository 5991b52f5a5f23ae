import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { User } from '../../../src/sandbox/namespace/isolate.js';
import { KINDS, openLayer, type LayerOptions, type Seen } from './scratch-layer.js';
import { picture, policyOf, put, scratchRepository } from './scratch-repository.js';

const USER: User = { uid: 12_345, gid: 12_345, groups: [12_345], umask: 0o022 };
const canBecome = process.platform === 'linux' && process.getuid?.() === 0;
const kinds = KINDS.filter((kind) => kind === 'copy' || spawnSync('sudo', ['-n', 'true']).status === 0);

/** Does something with the rights of an ordinary user only. */
function asUser<T>(work: () => T): T {
  process.setegid?.(USER.gid);
  process.seteuid?.(USER.uid);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

function play(kind: (typeof KINDS)[number], script: string, options: LayerOptions = {}) {
  const root = scratchRepository();
  put(root, { 'src/deep/x': 'x\n', 'src/deep/y': 'y\n' });
  const folder = dirname(root);
  spawnSync('chown', ['-R', `${USER.uid}:${USER.gid}`, folder]);
  const layer = asUser(() => openLayer(kind, root, { user: USER, ...options }));
  layer.act(script);
  return { root, layer, inspect: (): Seen => asUser(() => layer.inspect()) };
}

(canBecome ? describe : describe.skip).each(kinds)('what an ordinary user left in a layer by %s', (kind) => {
  it('is read although it was made unreadable, and applied with the mode of other files', () => {
    const { root, layer, inspect } = play(
      kind,
      `echo more >> README.md; chmod 000 README.md; echo new > new.txt; chmod 000 new.txt
      echo '#!/bin/sh' > run; chmod 100 run; chmod 000 docs/guide.md
      mkdir -p closed/in; echo x > closed/in/x; chmod 000 closed/in closed
      mkdir listed; echo x > listed/x; chmod 400 listed; mkdir found; echo x > found/x; chmod 100 found
      rm -rf src/deep; mkdir src/deep; echo z > src/deep/z; chmod 000 src/deep src`,
    );
    const found = inspect();
    expect(found.violations).toEqual([]);
    expect(found.paths).toEqual([
      ...['README.md', 'closed/in/x', 'found/x', 'listed/x', 'new.txt', 'run'],
      ...['src/deep/x', 'src/deep/y', 'src/deep/z'],
    ]);
    expect(asUser(() => found.patch()).omitted).toEqual([]);
    asUser(() => {
      found.apply();
    });
    expect(Object.keys(picture(join(root, 'src')))).toEqual(['deep/z', 'main.ts', 'tool.sh']);
    asUser(() => {
      layer.opened.close();
    });
    expect(existsSync(dirname(layer.opened.written))).toBe(false);
  });

  it('is read although the top of the layer was made unreadable', () => {
    const { layer, inspect } = play(kind, 'echo x > new.txt; rm -rf docs; chmod 000 .');
    expect(inspect().paths).toEqual(['docs/guide.md', 'new.txt']);
    asUser(() => {
      layer.opened.close();
    });
    expect(existsSync(dirname(layer.opened.written))).toBe(false);
  });

  it('is judged although it was made unreadable', () => {
    const { inspect } = play(
      kind,
      'mkdir -p .github/w; echo x > .github/w/x; chmod 000 .github/w .github; chmod 000 src/tool.sh',
      {
        policy: policyOf('fix-ci'),
      },
    );
    expect(inspect().violations).toEqual(['.github/w/x: the rule Write(**/.github/**) forbids it']);
  });
});
