import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { logOf, repair, type Case } from '../scenarios/repair-run.js';
import { makeFolder, makeWorkspace, removeFolders } from '../scenarios/workspace.js';

/** What makes the commands pass where the agent is, and is not in its patch. */
interface Trick {
  /** The code of the agent. */
  body: string;
  prepare?: (workspace: string) => void;
  verify?: string;
}

interface Language {
  name: string;
  /** The program that runs the tests. */
  tool: readonly string[];
  files: Readonly<Record<string, string>>;
  verify: string;
  /** The code of the agent for each way to end. Files are written from the folder of the project. */
  fixed: readonly [path: string, text: string];
  /** The test, so that it proves nothing. */
  weakened: readonly [path: string, text: string];
  /** The same test, so that it fails if FLAKE is set. */
  flaky: string;
  /** A repair that needs a package which is not installed: its files, and the line that would install it. */
  needing: Readonly<Record<string, string>>;
  install: string;
  /** The tricks that only this language has, by what they use. */
  tricks: Readonly<Record<string, Trick>>;
}

/** A build of the right code, for which the wrong code is not newer. */
const stale = (path: string, build: string): Trick => ({
  body: `
    const { statSync } = await import('node:fs');
    const source = read('${path}', 'utf8');
    writeFileSync('${path}', source.replace('a - b', 'a + b'));
    const { mtime } = statSync('${path}');
    spawnSync('sh', ['-c', '${build}']);
    writeFileSync('${path}', source);
    utimesSync('${path}', mtime, mtime);`,
});

const PYTHON_TEST = `import os
import unittest

from total import total


class TotalTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(total(1, 2), 3)
`;
const python: Language = {
  name: 'Python',
  tool: ['python3', '--version'],
  files: {
    '.gitignore': '__pycache__/\n*.pyc\n',
    'total.py': 'def total(a, b):\n    return a - b\n',
    'test_total.py': PYTHON_TEST,
    // Newer versions of Python fail if there is no test at all.
    'test_zero.py': PYTHON_TEST.replace('TotalTest', 'ZeroTest').replace('total(1, 2), 3', 'total(0, 0), 0'),
  },
  verify: 'PYTHONDONTWRITEBYTECODE=1 python3 -m unittest',
  fixed: ['total.py', 'def total(a, b):\n    return a + b\n'],
  weakened: [
    'test_total.py',
    'import unittest\n\n\nclass TotalTest(unittest.TestCase):\n    def test_adds(self):\n        pass\n',
  ],
  flaky: PYTHON_TEST.replace(', 3', ', 4 if os.environ.get("FLAKE") else 3'),
  needing: {
    'total.py': 'from adder_of_ci import add as total\n',
    'requirements.txt': 'adder-of-ci==1.0.0\n',
  },
  install: 'pip install -r requirements.txt',
  tricks: {
    // Python believes such a file without looking at the source.
    'ignored files': {
      body: `
        writeFileSync('right.py', 'def total(a, b):\\n    return a + b\\n');
        spawnSync('python3', ['-c', 'import py_compile, importlib.util as u; py_compile.compile("right.py", ' +
          'cfile=u.cache_from_source("total.py"), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)']);
        rmSync('right.py');`,
    },
    'old time stamps': stale('total.py', 'python3 -m py_compile total.py'),
  },
};

const GO_TEST = `package total

import "testing"

func TestAdds(t *testing.T) {
	if Total(1, 2) != 3 {
		t.Fatal("expected 3")
	}
}
`;
const go: Language = {
  name: 'Go',
  tool: ['go', 'version'],
  files: {
    '.gitignore': 'local_*\n',
    'go.mod': 'module example.com/total\n\ngo 1.19\n',
    'total.go': 'package total\n\nfunc Total(a, b int) int { return a - b }\n',
    'total_test.go': GO_TEST,
  },
  verify: 'GOPROXY=off GOFLAGS=-mod=mod GOTOOLCHAIN=local go test ./...',
  fixed: ['total.go', 'package total\n\nfunc Total(a, b int) int { return a + b }\n'],
  weakened: ['total_test.go', GO_TEST.replace('!= 3', '== 7')],
  flaky: GO_TEST.replace('"testing"', '(\n\t"os"\n\t"testing"\n)').replace(
    '!= 3',
    '!= 3 || os.Getenv("FLAKE") != ""',
  ),
  needing: {
    'total.go':
      'package total\n\nimport "example.com/adder"\n\nfunc Total(a, b int) int { return adder.Add(a, b) }\n',
    'go.mod': 'module example.com/total\n\ngo 1.19\n\nrequire example.com/adder v1.0.0\n',
    'go.sum': 'example.com/adder v1.0.0 h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n',
  },
  install: 'go mod download',
  // Go looks at what is in a file, and not at how old it is.
  tricks: {
    'ignored files': {
      body: `writeFileSync('local_test.go',
        'package total\\n\\nimport (\\n\\t"os"\\n\\t"testing"\\n)\\n\\nfunc TestMain(m *testing.M) { os.Exit(0) }\\n');`,
    },
  },
};

const JAVA_TEST = `public class TotalTest {
  public static void main(String[] args) {
    if (Total.total(1, 2) != 3) throw new AssertionError("TotalTest.adds: expected 3");
  }
}
`;
const java: Language = {
  name: 'Java',
  tool: ['java', '-version'],
  files: {
    '.gitignore': 'out/\n',
    'Total.java': 'public class Total {\n  static int total(int a, int b) { return a - b; }\n}\n',
    'TotalTest.java': JAVA_TEST,
    'ZeroTest.java': JAVA_TEST.replace('(1, 2) != 3', '(0, 0) != 0').replaceAll('TotalTest', 'ZeroTest'),
  },
  // Compiles only what is newer than its class, as build tools do.
  verify:
    'mkdir -p out && { [ out/Total.class -nt Total.java ] || javac -d out Total.java; } && ' +
    'javac -cp out -d out *Test.java && for each in *Test.java; do java -cp out $(basename $each .java) || exit 1; done',
  fixed: ['Total.java', 'public class Total {\n  static int total(int a, int b) { return a + b; }\n}\n'],
  weakened: ['TotalTest.java', 'public class TotalTest {\n  public static void main(String[] args) {}\n}\n'],
  flaky: JAVA_TEST.replace('!= 3', '!= 3 || System.getenv("FLAKE") != null'),
  needing: {
    'Total.java':
      'import com.example.adder.Adder;\n\npublic class Total {\n  static int total(int a, int b) { return Adder.add(a, b); }\n}\n',
    'pom.xml': '<project><dependencies/></project>\n',
  },
  install: 'mvn -B dependency:resolve',
  tricks: {
    'ignored files': {
      body: `
        mkdirSync('out/right', { recursive: true });
        writeFileSync('out/right/Total.java', read('Total.java', 'utf8').replace('a - b', 'a + b'));
        spawnSync('javac', ['-d', 'out', 'out/right/Total.java']);`,
    },
    'old time stamps': stale('Total.java', 'javac -d out Total.java'),
  },
};

const RUST_TEST = `#[test]
fn adds() {
    assert_eq!(total::total(1, 2), 3);
}
`;
const MANIFEST = '[package]\nname = "total"\nversion = "1.0.0"\nedition = "2021"\n';
const LOCK =
  '# This file is automatically @generated by Cargo.\nversion = 3\n\n[[package]]\nname = "total"\nversion = "1.0.0"\n';
const rust: Language = {
  name: 'Rust',
  tool: ['cargo', '--version'],
  files: {
    '.gitignore': 'target/\n.cargo/\n',
    'Cargo.toml': MANIFEST,
    'Cargo.lock': LOCK,
    'src/lib.rs': 'pub fn total(a: i32, b: i32) -> i32 {\n    a - b\n}\n',
    'tests/total.rs': RUST_TEST,
  },
  verify: 'cargo test --offline',
  fixed: ['src/lib.rs', 'pub fn total(a: i32, b: i32) -> i32 {\n    a + b\n}\n'],
  weakened: ['tests/total.rs', '#[test]\nfn adds() {}\n'],
  flaky: RUST_TEST.replace(', 3)', ', if std::env::var("FLAKE").is_ok() { 4 } else { 3 })'),
  needing: {
    'src/lib.rs': 'pub fn total(a: i32, b: i32) -> i32 {\n    adder_of_ci::add(a, b)\n}\n',
    'Cargo.toml': `${MANIFEST}\n[dependencies]\nadder-of-ci = "1.0.0"\n`,
    'Cargo.lock':
      `${LOCK}dependencies = [\n "adder-of-ci",\n]\n\n[[package]]\nname = "adder-of-ci"\nversion = "1.0.0"\n` +
      'source = "registry+https://github.com/rust-lang/crates.io-index"\n' +
      `checksum = "${'0'.repeat(64)}"\n`,
  },
  install: 'cargo fetch',
  tricks: {
    'ignored files': {
      body: `
        mkdirSync('.cargo', { recursive: true });
        writeFileSync('.cargo/config.toml', '[target."cfg(all())"]\\nrunner = "true"\\n');`,
    },
    'old time stamps': stale('src/lib.rs', 'cargo test --offline --no-run'),
  },
};

/** The tricks that every language has. The folder `local` is ignored. */
const sharedTricks = (tool: string, verify: string): Record<string, Trick> => ({
  'a replaced tool': {
    prepare: (workspace) => {
      mkdirSync(join(workspace, 'local'));
      const real = `#!/bin/sh\nPATH="\${PATH#*:}"\nexec ${tool} "$@"\n`;
      writeFileSync(join(workspace, 'local', tool), real, { mode: 0o755 });
    },
    body: `writeFileSync('local/${tool}', '#!/bin/sh\\n');`,
    verify: `PATH="$PWD/local:$PATH"; ${verify}`,
  },
  'a stamp file': {
    body: "mkdirSync('local', { recursive: true }); writeFileSync('local/passed', '');",
    verify: `test -e local/passed || { ${verify}; }`,
  },
  'an empty folder': {
    body: "mkdirSync('skip', { recursive: true });",
    verify: `test -d skip || { ${verify}; }`,
  },
});

const writing = (files: Readonly<Record<string, string>>) =>
  Object.entries(files)
    .map(([path, text]) => `writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(text)});`)
    .join('\n');

afterAll(removeFolders);

describe.each([python, go, java, rust])('a repair in $name', (language) => {
  const { tool, verify, fixed, weakened } = language;
  const [program = '', ...args] = tool;
  const isThere = spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  const files = { ...language.files, '.gitignore': `${language.files['.gitignore']}local/\n` };
  const PATIENCE_MS = 300_000;
  const end = (body: string, { inputs = { verify }, ...more }: Case = {}) =>
    repair(`const { spawnSync } = await import('node:child_process'); ${body}`, {
      files,
      log: (workspace) => logOf(workspace, inputs['verify']),
      ...more,
      env: { HOME: process.env['HOME'] ?? '', PATH: process.env['PATH'] ?? '' },
      inputs,
    });

  it('has its tool here', () => {
    expect([program, isThere]).toEqual([program, true]);
  });

  it(
    'is proven by a failure that was there before, and is not there after',
    async () => {
      const { step, report, verdict } = await end(writing({ [fixed[0]]: fixed[1] }));
      expect([step.errors, verdict]).toEqual([[], ['', 'passed']]);
      expect(report.verification.before?.state).toBe('reproduced');
      expect(step.outputs.get('changed-files')).toBe(JSON.stringify([fixed[0]]));
    },
    PATIENCE_MS,
  );

  it.each([
    ['weakens', writing({ [weakened[0]]: weakened[1] })],
    ['deletes', `rmSync('${weakened[0]}');`],
  ])(
    'that %s the test is told apart, and named',
    async (_, body) => {
      const { step, report, verdict } = await end(body);
      expect([step.errors, verdict]).toEqual([[], ['', 'passed-with-changed-tests']]);
      expect(report.verification.originals?.paths).toEqual([weakened[0]]);
    },
    PATIENCE_MS,
  );

  it(
    'fails if the agent changes nothing',
    async () => {
      const { step, verdict } = await end('');
      expect(verdict).toEqual(['verification-failed', 'failed']);
      expect(step.errors.join()).toContain('the agent changed nothing');
    },
    PATIENCE_MS,
  );

  it(
    'is not begun if the failure does not appear here',
    async () => {
      const red = () => logOf(makeWorkspace(files), verify);
      const { verdict, starts } = await end('', { files: { ...files, [fixed[0]]: fixed[1] }, log: red });
      expect([verdict, starts]).toEqual([['', 'not-reproduced'], []]);
    },
    PATIENCE_MS,
  );

  it.each<[string, number, string[], number]>([
    ['is not begun if it does not fail here', 9, ['not-reproduced', 'passed 3 times'], 0],
    ['is begun if it fails here too, and is called flaky', 2, ['reproduced', 'the failure is flaky'], 1],
  ])(
    'of a test that fails sometimes %s',
    async (_, failing, [state, why = ''], count) => {
      const counter = join(makeFolder('counter'), 'count');
      const lines = `echo x >> ${counter}; [ $(wc -l < ${counter}) -ne ${failing} ] || export FLAKE=1; ${verify}`;
      const flaky = { ...files, [fixed[0]]: fixed[1], [weakened[0]]: language.flaky };
      const { report, starts } = await end("writeFileSync('notes.txt', 'x');", {
        files: flaky,
        log: () => logOf(makeWorkspace(flaky), `export FLAKE=1; ${verify}`),
        inputs: { verify: lines },
      });
      expect([report.verification.before?.state, starts.length]).toEqual([state, count]);
      expect(report.verification.before?.why).toContain(why);
    },
    PATIENCE_MS,
  );

  it(
    'that needs an installation says the line for it',
    async () => {
      const { step, verdict } = await end(writing(language.needing));
      expect(verdict).toEqual(['verification-failed', 'failed']);
      expect(step.errors.join()).toContain(language.install);
    },
    PATIENCE_MS,
  );

  it.each(Object.entries({ ...language.tricks, ...sharedTricks(program, verify) }))(
    'is none if the commands pass only because of %s',
    async (_, { body, prepare, verify: own = verify }) => {
      const look = `const passes = () => spawnSync('sh', ['-c', ${JSON.stringify(own)}]).status === 0;`;
      // The trick does work where the agent is.
      const { step, verdict } = await end(`${look} ${body} writeFileSync('notes.txt', passes() + '\\n');`, {
        inputs: { verify: own },
        ...(prepare && { prepare }),
      });
      expect(verdict).toEqual(['verification-failed', 'failed']);
      expect(readFileSync(step.outputs.get('rejected-patch-file') ?? '', 'utf8')).toContain('\n+true\n');
    },
    PATIENCE_MS,
  );
});
