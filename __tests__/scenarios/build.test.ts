import { beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hashSources, readBuiltFrom } from '../../scripts/sources.mjs';
import { makeFolder, writeTree } from './workspace.js';

const FILES = {
  'src/entries/greet.ts': "import { word } from '../word.js';\nconsole.log(word as string);\n",
  'src/entries/other.ts': "console.log('other');\n",
  'src/word.ts': "export const word: string = 'hello';\n",
  'package.json': '{"type":"module"}',
  'package-lock.json': '{}',
  'tsconfig.json': '{}',
};

/** A small project with the build script of this one. */
function makeProject(): string {
  const root = makeFolder('project');
  writeTree(root, FILES);
  cpSync('scripts', join(root, 'scripts'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  return root;
}

describe('the build', () => {
  const root = makeProject();
  const build = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/build.mjs', ...args], {
      cwd: root,
      encoding: 'utf8',
    });
    return { status, said: stdout + stderr };
  };
  const run = (bundle: string) =>
    spawnSync(process.execPath, [join(root, 'dist', bundle, 'index.js')], { encoding: 'utf8' }).stdout;
  const say = (word: string) => {
    writeFileSync(join(root, 'src/word.ts'), `export const word: string = '${word}';\n`);
  };

  beforeAll(() => {
    expect(build()).toEqual({ status: 0, said: '' });
  });

  it('gives a bundle for each entry and says what they were built from', () => {
    expect(run('greet')).toBe('hello\n');
    expect(run('other')).toBe('other\n');
    const hash = hashSources(root);
    expect([...readBuiltFrom(root)]).toEqual([
      ['greet', hash],
      ['other', hash],
    ]);
  });

  it('leaves dist/ as it was when it fails', () => {
    const committed = readBuiltFrom(root);
    writeFileSync(join(root, 'src/word.ts'), 'export const word = ;\n');
    expect(build().status).toBe(1);
    writeFileSync(join(root, 'src/word.ts'), "import 'a-package-that-is-not-there';\n");
    expect(build('other', 'greet').status).toBe(1);
    expect(run('greet')).toBe('hello\n');
    expect(readBuiltFrom(root)).toEqual(committed);
    expect(readdirSync(join(root, 'build'))).toEqual([]);
  });

  it('builds one bundle, and the others stay what they were', () => {
    const before = readBuiltFrom(root).get('other');
    say('goodbye');
    expect(build('greet')).toEqual({ status: 0, said: '' });
    expect(run('greet')).toBe('goodbye\n');
    expect(run('other')).toBe('other\n');
    expect(readBuiltFrom(root)).toEqual(
      new Map([
        ['greet', hashSources(root)],
        ['other', before],
      ]),
    );
    expect(build('gret').said).toBe('There is no entry gret. The entries are greet, other.\n');
  });

  it('checks dist/ and changes nothing', () => {
    const { status, said } = build('--check');
    expect(status).toBe(1);
    expect(said).toContain('run npm run build and commit it:\n  sources.sha256\n');
    expect(build().status).toBe(0);
    expect(build('--check')).toEqual({ status: 0, said: 'dist/ is what the sources build.\n' });
    const file = join(root, 'dist/greet/index.js');
    writeFileSync(file, `${readFileSync(file, 'utf8')}// by hand`);
    writeFileSync(join(root, 'dist/left-over.js'), '');
    expect(build('--check').said).toContain('commit it:\n  greet/index.js\n  left-over.js\n');
    expect(readFileSync(file, 'utf8')).toContain('// by hand');
  });

  it('finds bundles that were not added to git', () => {
    const git = (...args: string[]) => spawnSync('git', args, { cwd: root }).status;
    expect(build().status).toBe(0);
    expect(git('init', '--quiet')).toBe(0);
    expect(git('add', 'dist/greet', 'dist/sources.sha256')).toBe(0);
    const { status, said } = build('--check');
    expect(status).toBe(1);
    expect(said).toContain('run git add dist and commit it:\ndist/other/index.js\n');
    expect(git('add', 'dist')).toBe(0);
    expect(build('--check').status).toBe(0);
  });
});

describe('the hash of the sources', () => {
  it('changes with every file, its name and its content', () => {
    const root = makeProject();
    const seen = new Set([hashSources(root)]);
    const after = (change: () => void) => {
      change();
      const hash = hashSources(root);
      expect([...seen]).not.toContain(hash);
      seen.add(hash);
    };
    for (const path of [...Object.keys(FILES), 'scripts/build.mjs'].filter((name) => name !== 'package.json'))
      after(() => {
        writeFileSync(join(root, path), '// other content');
      });
    after(() => {
      renameSync(join(root, 'src/word.ts'), join(root, 'src/words.ts'));
    });
    after(() => {
      rmSync(join(root, 'src/words.ts'));
    });
  });

  it('is the same for the same files elsewhere', () => {
    expect(hashSources(makeProject())).toBe(hashSources(makeProject()));
  });
});
