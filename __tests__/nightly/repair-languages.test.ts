import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { logOf, repair, type Case } from '../scenarios/repair-run.js';
import { makeWorkspace, removeFolders } from '../scenarios/workspace.js';

interface Language {
  name: string;
  /** The program without which nothing of this can run. */
  tool: readonly string[];
  files: Readonly<Record<string, string>>;
  verify: string;
  /** The code of the agent for each way to end. Files are written from the folder of the project. */
  fixed: readonly [path: string, text: string];
  /** The test, so that it proves nothing. */
  weakened: readonly [path: string, text: string];
  /** A repair that needs a package which is not installed: its files, and the line that would install it. */
  needing: Readonly<Record<string, string>>;
  install: string;
  /** Ignored files that make the same commands pass, as long as they are there. */
  trick: string;
}

const python: Language = {
  name: 'Python',
  tool: ['python3', '--version'],
  files: {
    '.gitignore': '__pycache__/\n*.pyc\n',
    'total.py': 'def total(a, b):\n    return a - b\n',
    'test_total.py': `import unittest

from total import total


class TotalTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(total(1, 2), 3)
`,
  },
  verify: 'PYTHONDONTWRITEBYTECODE=1 python3 -m unittest',
  fixed: ['total.py', 'def total(a, b):\n    return a + b\n'],
  weakened: [
    'test_total.py',
    'import unittest\n\n\nclass TotalTest(unittest.TestCase):\n    def test_adds(self):\n        pass\n',
  ],
  needing: {
    'total.py': 'from adder_of_ci import add as total\n',
    'requirements.txt': 'adder-of-ci==1.0.0\n',
  },
  install: 'pip install -r requirements.txt',
  // Python believes such a file without looking at the source.
  trick: `
    writeFileSync('right.py', 'def total(a, b):\\n    return a + b\\n');
    spawnSync('python3', ['-c', 'import py_compile, importlib.util as u; py_compile.compile("right.py", ' +
      'cfile=u.cache_from_source("total.py"), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)']);
    rmSync('right.py');`,
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
  needing: {
    'total.go':
      'package total\n\nimport "example.com/adder"\n\nfunc Total(a, b int) int { return adder.Add(a, b) }\n',
    'go.mod': 'module example.com/total\n\ngo 1.19\n\nrequire example.com/adder v1.0.0\n',
    'go.sum': 'example.com/adder v1.0.0 h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n',
  },
  install: 'go mod download',
  trick: `writeFileSync('local_test.go',
    'package total\\n\\nimport (\\n\\t"os"\\n\\t"testing"\\n)\\n\\nfunc TestMain(m *testing.M) { os.Exit(0) }\\n');`,
};

const JAVA_TEST = `public class TotalTest {
  public static void main(String[] args) {
    if (Total.total(1, 2) != 3) throw new AssertionError("TotalTest.adds: expected 3");
  }
}
`;
const java: Language = {
  name: 'Java',
  tool: ['javac', '-version'],
  files: {
    '.gitignore': 'out/\n',
    'Total.java': 'public class Total {\n  static int total(int a, int b) { return a - b; }\n}\n',
    'TotalTest.java': JAVA_TEST,
  },
  // Compiles only what is newer than its class, as build tools do.
  verify:
    'mkdir -p out && { [ out/Total.class -nt Total.java ] || javac -d out Total.java; } && ' +
    'javac -cp out -d out TotalTest.java && java -cp out TotalTest',
  fixed: ['Total.java', 'public class Total {\n  static int total(int a, int b) { return a + b; }\n}\n'],
  weakened: ['TotalTest.java', 'public class TotalTest {\n  public static void main(String[] args) {}\n}\n'],
  needing: {
    'Total.java':
      'import com.example.adder.Adder;\n\npublic class Total {\n  static int total(int a, int b) { return Adder.add(a, b); }\n}\n',
    'pom.xml': '<project><dependencies/></project>\n',
  },
  install: 'mvn -B dependency:resolve',
  trick: `
    const source = read('Total.java', 'utf8');
    writeFileSync('Total.java', source.replace('-', '+'));
    spawnSync('sh', ['-c', 'mkdir -p out && javac -d out Total.java']);
    writeFileSync('Total.java', source);
    utimesSync('Total.java', 0, 0);`,
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
  needing: {
    'src/lib.rs': 'pub fn total(a: i32, b: i32) -> i32 {\n    adder_of_ci::add(a, b)\n}\n',
    'Cargo.toml': `${MANIFEST}\n[dependencies]\nadder-of-ci = "1.0.0"\n`,
    'Cargo.lock':
      `${LOCK}dependencies = [\n "adder-of-ci",\n]\n\n[[package]]\nname = "adder-of-ci"\nversion = "1.0.0"\n` +
      'source = "registry+https://github.com/rust-lang/crates.io-index"\n' +
      `checksum = "${'0'.repeat(64)}"\n`,
  },
  install: 'cargo fetch',
  trick: `
    mkdirSync('.cargo', { recursive: true });
    writeFileSync('.cargo/config.toml', '[target."cfg(all())"]\\nrunner = "true"\\n');`,
};

const writing = (files: Readonly<Record<string, string>>) =>
  Object.entries(files)
    .map(([path, text]) => `writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(text)});`)
    .join('\n');

afterAll(removeFolders);

describe.each([python, go, java, rust])('a repair in $name', (language) => {
  const { tool, verify, fixed, weakened } = language;
  const [program = '', ...args] = tool;
  const isThere = spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  const files = { ...language.files };
  const PATIENCE_MS = 300_000;
  const end = (body: string, more: Case = {}) =>
    repair(`const { spawnSync } = await import('node:child_process'); ${body}`, {
      files,
      log: (workspace) => logOf(workspace, verify),
      ...more,
      env: { HOME: process.env['HOME'] ?? '', PATH: process.env['PATH'] ?? '' },
      inputs: { verify, ...more.inputs },
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

  it(
    'that weakens the test is told apart, and named',
    async () => {
      const { step, report, verdict } = await end(writing({ [weakened[0]]: weakened[1] }));
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

  it(
    'that needs an installation says the line for it',
    async () => {
      const { step, verdict } = await end(writing(language.needing));
      expect(verdict).toEqual(['verification-failed', 'failed']);
      expect(step.errors.join()).toContain(language.install);
    },
    PATIENCE_MS,
  );

  it(
    'is none if only ignored files make the commands pass',
    async () => {
      const look = `const passes = () => spawnSync('sh', ['-c', ${JSON.stringify(verify)}]).status === 0;`;
      // The trick does work where the agent is.
      const { step, verdict } = await end(
        `${look} ${language.trick} writeFileSync('notes.txt', passes() + '\\n');`,
      );
      expect(verdict).toEqual(['verification-failed', 'failed']);
      expect(readFileSync(step.outputs.get('rejected-patch-file') ?? '', 'utf8')).toContain('\n+true\n');
    },
    PATIENCE_MS,
  );
});
