import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, normalize, resolve } from 'node:path';
import { parse } from 'yaml';
import config, { MAY_IMPORT } from '../oxlint.config.js';
import { readRepository, readTextFiles, withRepository } from '../scripts/derived.mjs';
import { readFolderImports } from '../scripts/graph.mjs';

const imports = readFolderImports('src');
const folders = Object.keys(imports);

describe('the folders of the sources', () => {
  it('import what MAY_IMPORT allows, and all of that', () => {
    expect(imports).toEqual(MAY_IMPORT);
  });

  it('have no cycles', () => {
    // Removes, again and again, the folders that import none of the remaining ones. Only a cycle would remain.
    let left = folders;
    for (const _ of folders) {
      const current = left;
      left = current.filter((folder) => imports[folder]?.some((other) => current.includes(other)));
    }
    expect(left).toEqual([]);
  });

  it('have a code owner of their own where they decide about keys, tokens and permissions', () => {
    const owned = readFileSync('.github/CODEOWNERS', 'utf8').matchAll(
      /^\/src\/([a-z]+)\/ +@\S+\/security$/gm,
    );
    const guarded = ['agent', 'git', 'install', 'permissions', 'propose', 'publish', 'sandbox', 'trust'];
    expect([...owned].map(([, folder]) => folder)).toEqual(guarded);
    expect(guarded.filter((folder) => !folders.includes(folder))).toEqual([]);
  });
});

describe('the repository of this action', () => {
  const repository = readRepository('.');
  const read = (path: string) => readFileSync(path, 'utf8');

  it('stands in package.json, and every file that names the action repeats it (npm run docs)', () => {
    const files = readTextFiles('.');
    expect(files).toEqual(expect.arrayContaining(['README.md', '.github/CODEOWNERS', 'examples/fix-ci.yml']));
    expect(files.filter((path) => withRepository(read(path), repository) !== read(path))).toEqual([]);
    expect(files.filter((path) => read(path).includes(repository)).length).toBeGreaterThan(15);
  });

  it('has an owner that cannot be a login until it has a real one', () => {
    const [owner = ''] = repository.split('/');
    expect(owner).toMatch(/^<owner>$|^[A-Za-z\d](?:-?[A-Za-z\d])*$/);
  });

  it('replaces any owner before the name of the action, and nothing else', () => {
    const text = [
      ...['uses: OWNER/cursor-agent-action@v1', 'uses: <owner>/cursor-agent-action/publish@v1'],
      ...['https://github.com/a-b/cursor-agent-action/issues', '* @OWNER/security', '* @x/maintainers'],
      ...['["OWNER", "MEMBER"]', '/tmp/cursor-agent-action', '<!-- /cursor-agent-action -->', '@x/other'],
    ];
    expect(withRepository(text.join('\n'), 'me/cursor-agent-action').split('\n')).toEqual([
      ...['uses: me/cursor-agent-action@v1', 'uses: me/cursor-agent-action/publish@v1'],
      ...['https://github.com/me/cursor-agent-action/issues', '* @me/security', '* @me/maintainers'],
      ...text.slice(5),
    ]);
  });

  it.each([
    ['github:<owner>/cursor-agent-action', 1],
    ['github:stranger/cursor-agent-action', 1],
    ['github:me/cursor-agent-action', 0],
  ])('decides whether there can be a release: %s', (named, status) => {
    const { jobs } = parse(read('.github/workflows/release.yml')) as {
      jobs: { check: { steps: { name?: string; run?: string }[] } };
    };
    const step = jobs.check.steps.find(({ name }) => name?.includes('names this repository'));
    const root = mkdtempSync(join(tmpdir(), 'release-'));
    try {
      writeFileSync(join(root, 'package.json'), JSON.stringify({ repository: named }));
      const env = { ...process.env, GITHUB_REPOSITORY: 'me/cursor-agent-action' };
      const ended = spawnSync('bash', ['-euo', 'pipefail', '-c', step?.run ?? ''], {
        ...{ cwd: root, env, encoding: 'utf8' },
      });
      expect([ended.status, ended.stdout]).toEqual([
        status,
        status === 0
          ? ''
          : expect.stringMatching(/^::error::.* Set it to github:me\/cursor-agent-action, run npm run docs/),
      ]);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

it('has no link that leads nowhere: the runner could not unpack the action', () => {
  const { stdout } = spawnSync('git', ['ls-files', '-z'], { encoding: 'utf8' });
  const files = stdout.split('\0').filter(Boolean);
  expect(files).toContain('action.yml');
  const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  expect(files.filter((path) => isLink(path) && !existsSync(path))).toEqual([]);
});

describe('the names in the sources', () => {
  const DEFINITION = /^(?:export )?(?:interface|type) (\w+)|^export (?:async )?(?:const|function) (\w+)/gm;

  it('mean one thing each: no two files define a type, or export a value, of the same name', () => {
    const places = new Map<string, Set<string>>();
    for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    ))
      for (const [, type, value] of readFileSync(join('src', file), 'utf8').matchAll(DEFINITION)) {
        const name = type ?? value ?? '';
        places.set(name, (places.get(name) ?? new Set()).add(file));
      }
    expect(places.size).toBeGreaterThan(1000);
    expect([...places].filter(([, files]) => files.size > 1)).toEqual([]);
  });
});

describe('the lint rules', () => {
  it('let a folder import what MAY_IMPORT allows, and no other folder', () => {
    const all = folders.flatMap((folder) =>
      folders.map((other) => [`src/${folder}/any.ts`, `../${other}/index.js`] as const),
    );
    const allowed = folders.flatMap((folder) =>
      [folder, ...(imports[folder] ?? [])].map((other) => `src/${folder}/any.ts ../${other}/index.js`),
    );
    expect(refused(all)).toEqual(all.filter((pair) => !allowed.includes(pair.join(' '))));
  });

  it('know files in folders of folders, pages and packages', () => {
    const wrong = [
      ['src/stream/record.ts', '@actions/core'],
      ['src/stream/record.ts', '../report/fold.js'],
      ['src/stream/dialects/cursor.ts', '../../report/fold.js'],
      ['src/report/fold.ts', '../review/read-answer.js'],
      ['src/report/fold.ts', '../agent/cursor.js'],
      ['src/report/fold.ts', '@actions/core'],
      ['src/agent/cursor.ts', '../stream/read-stream.js'],
      ['src/agent/cursor.ts', '../sandbox/index.js'],
      ['src/agent/cursor.ts', '@actions/exec'],
      ['src/install/install.ts', '../report/fold.js'],
      ['src/core/failure.ts', '../report/fold.js'],
      ['src/text/markdown.ts', '../core/failure.js'],
      ['src/report/page/page.js', '../../run/run-agent.js'],
      ['src/context/gather.ts', '@actions/github'],
      ['src/context/gather.ts', '../trust/decide.js'],
      ['src/github/client.ts', '../context/gather.js'],
      ['src/plan/plan-change.ts', '../sandbox/index.js'],
      ['src/plan/plan-change.ts', '../run/gather-context.js'],
      ['src/publish/pull-request-api.ts', '../sandbox/index.js'],
      ['src/publish/publication-text.ts', '../stream/events.js'],
      ['src/propose/judge-patch.ts', '../publish/publication-text.js'],
      ['src/propose/judge-patch.ts', '../sandbox/index.js'],
      ['src/sandbox/namespace/survey.ts', '../../agent/environment.js'],
    ] as const;
    expect(refused(wrong)).toEqual(wrong);
    const right = [
      ['src/stream/record.ts', 'zod'],
      ['src/stream/dialects/cursor.ts', '../events.js'],
      ['src/report/fold.ts', '../stream/events.js'],
      ['src/install/download.ts', '@actions/http-client'],
      ['src/run/run-agent.ts', '@actions/core'],
      ['src/context/gather.ts', '../github/client.js'],
      ['src/github/client.ts', '@actions/github'],
      ['src/plan/plan-change.ts', '../github/event.js'],
      ['src/publish/publication-text.ts', '../report/findings.js'],
    ] as const;
    expect(refused(right)).toEqual([]);
  });

  it('let others into the sandbox through its door only, tests and benchmarks included', () => {
    const places = readdirSync('src/sandbox', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && name !== 'index.ts')
      .map((name) => `sandbox/${name.replace(/\.ts$/, '.js')}`);
    expect(places.length).toBeGreaterThan(25);
    const behind = [
      ...[...folders.filter((folder) => folder !== 'sandbox'), 'report/page'].map(
        (folder) => [`src/${folder}/any.ts`, '../'] as const,
      ),
      ...['__tests__/run/any.ts', '__tests__/any.test.ts'].map((file) => [file, '../../src/'] as const),
      ...['bench/any.ts', 'scripts/any.ts'].map((file) => [file, '../src/'] as const),
    ].flatMap(([file, way]) => places.map((place) => [file, `${way}${place}`] as const));
    expect(refused(behind)).toEqual(behind);
    const through = [
      ['src/run/any.ts', '../sandbox/index.js'],
      ['src/doctor/any.ts', '../sandbox/index.js'],
      ['src/sandbox/any.ts', './layer/layer.js'],
      ['src/sandbox/layer/any.ts', '../namespace/isolate.js'],
      ['__tests__/run/any.ts', '../../src/sandbox/index.js'],
      ['__tests__/run/any.ts', '../sandbox/layer/scratch-repository.js'],
      ['__tests__/sandbox/layer/any.ts', '../../../src/sandbox/layer/layer.js'],
      ['bench/any.ts', '../src/sandbox/index.js'],
    ] as const;
    expect(refused(through)).toEqual([]);
    // The rule does not see all ways to load a module. Tests have helpers in a folder of the same name.
    const behindDoor = (name: string) =>
      name.startsWith('__tests__')
        ? /\/src\/sandbox\/(?!index\.js')[\w/-]+\.[jt]s'/
        : /\/sandbox\/(?!index\.js')[\w/-]+\.[jt]s'/;
    const around = ['src', '__tests__', 'bench', 'scripts']
      .flatMap((top) =>
        readdirSync(top, { recursive: true, encoding: 'utf8' }).map((name) => join(top, name)),
      )
      .filter((name) => /\.(ts|js|mjs)$/.test(name) && !/^(src|__tests__)\/sandbox\//.test(name))
      .filter((name) => name !== '__tests__/project.test.ts')
      .filter((name) => behindDoor(name).test(ours(name)));
    expect(around).toEqual(['bench/network.ts']);
  });

  it('let only one file start programs', () => {
    const starters = ['node:child_process', 'child_process', 'node:cluster', '@actions/exec', '@actions/io'];
    const bare = [...folders, 'core/any', 'stream/dialects'].flatMap((folder) =>
      [...starters, '@actions/tool-cache', '@actions/exec/lib/exec.js'].map(
        (starter) => [`src/${folder}/any.ts`, starter] as const,
      ),
    );
    expect(refused(bare)).toEqual(bare);
    expect(lint([['src/core/programs.ts', "import 'node:child_process';"]], { keepNames: true })).toEqual([
      [],
    ]);
    // The rule does not see all ways to load a module.
    const starting = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
      (name) =>
        /\.[jt]s$/.test(name) &&
        /child_process['"`]|node:cluster|@actions\/(exec|io|tool-cache)['"`]|process\.binding/.test(
          readFileSync(join('src', name), 'utf8'),
        ),
    );
    expect(starting).toEqual([join('core', 'programs.ts')]);
  });

  it('have nothing against the agent of the demo, whose name does not say that it is JavaScript', () => {
    const agent = readFileSync('fixtures/demo/cursor-agent', 'utf8');
    expect(
      lint([
        ['demo.mjs', agent],
        ['demo.mjs', `${agent}\nnowhere();`],
      ]),
    ).toEqual([[], ['eslint(no-undef)']]);
  });
});

/** A file without its imports of what tests of the sandbox share with others. */
const ours = (path: string): string =>
  readFileSync(path, 'utf8').replace(/'(?:\.\.\/)+sandbox\/(?:layer|namespace)\/[\w-]+\.js'/g, (found) =>
    path.startsWith('__tests__/') ? '' : found,
  );

/** Those of the files that may not import what is named beside them. */
function refused(imports: readonly (readonly [file: string, imported: string])[]) {
  const found = lint(imports.map(([file, imported]) => [file, `import '${imported}';`]));
  return imports.filter((_, index) => found[index]?.includes('eslint(no-restricted-imports)'));
}

/** The rules that each of these files breaks, of those that need no types. */
function lint(files: [path: string, content: string][], { keepNames = false } = {}): string[][] {
  const root = mkdtempSync(join(tmpdir(), 'lint-'));
  try {
    writeFileSync(join(root, '.oxlintrc.json'), JSON.stringify({ ...config, options: {} }));
    const paths = files.map(([path], index) =>
      keepNames ? path : join(dirname(path), `${index}-${basename(path)}`),
    );
    for (const [index, path] of paths.entries()) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), files[index]![1]);
    }
    const oxlint = [resolve('node_modules/oxlint/bin/oxlint'), '--format', 'json'];
    const { stdout } = spawnSync(process.execPath, oxlint, { cwd: root, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
    return paths.map((path) =>
      diagnostics.filter(({ filename }) => normalize(filename) === path).map(({ code }) => code),
    );
  } finally {
    rmSync(root, { recursive: true });
  }
}
