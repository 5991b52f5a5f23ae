import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, writeTree } from './workspace.js';

/** In every file of the runner's home that a tool keeps passwords in. */
export const CANARY = 'password-of-a-registry';

/** One language: a project with a failing test, and a cache in the runner's home without which the test cannot run. */
export interface Language {
  name: string;
  /** Programs without which its tests cannot run. */
  needs: readonly string[];
  /** Its project, by paths in its folder of the checkout. */
  project: Readonly<Record<string, string>>;
  /** The file that says `hullo` and should say `hello`. */
  wrong: string;
  /** Runs the test, in the folder of the project, without network. */
  test: string;
  /** Fills the home of the runner. Returns files of the project that depend on it. */
  fill(home: string): Readonly<Record<string, string>>;
}

/** The programs of this machine. A runner has the same ones, however the tests were started. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What of this is not installed here. */
export const missing = (programs: readonly string[]): string[] =>
  programs.filter((name) => !SYSTEM_PATH.split(':').some((folder) => existsSync(join(folder, name))));

const run = (
  file: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) => execFileSync(file, args, { ...options, env: { PATH: SYSTEM_PATH, ...options.env }, stdio: 'pipe' });

const script = (path: string, text: string) => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
};

const GO_MODULE = 'module example.com/greet\n\ngo 1.19\n';
const GO_PROJECT = {
  'go.mod': 'module example.com/app\n\ngo 1.19\n\nrequire example.com/greet v1.0.0\n',
  'app.go': 'package app\n\nfunc Word() string { return "hullo" }\n',
  'app_test.go': `package app

import (
	"testing"

	"example.com/greet"
)

func TestWord(t *testing.T) {
	if Word() != greet.Word() {
		t.Fatal(Word())
	}
}
`,
};
const GO_OFFLINE = { GOPROXY: 'off', GOSUMDB: 'off', GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };

const go: Language = {
  name: 'go',
  needs: ['go'],
  project: GO_PROJECT,
  wrong: 'app.go',
  test: `${Object.entries(GO_OFFLINE)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')} go test -vet=off ./...`,
  fill(home) {
    const proxy = makeFolder('go-proxy');
    const version = join(proxy, 'example.com', 'greet', '@v');
    const content = {
      'go.mod': GO_MODULE,
      'greet.go': 'package greet\n\nfunc Word() string { return "hello" }\n',
    };
    writeTree(join(proxy, 'zip', 'example.com', 'greet@v1.0.0'), content);
    writeTree(version, {
      list: 'v1.0.0\n',
      'v1.0.0.mod': GO_MODULE,
      'v1.0.0.info': '{"Version":"v1.0.0"}',
    });
    // Go accepts no entries for folders, which other programs write.
    const zip = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as archive:
    for name in sys.argv[2:]: archive.write('example.com/greet@v1.0.0/' + name)`;
    run('python3', ['-c', zip, join(version, 'v1.0.0.zip'), ...Object.keys(content)], {
      cwd: join(proxy, 'zip'),
    });
    const project = makeFolder('go-project');
    writeTree(project, GO_PROJECT);
    const env = { HOME: home, ...GO_OFFLINE, GOPROXY: `file://${proxy}` };
    // Fails, because the word is wrong. The module and what was built from it are in the caches then.
    spawnSync('go', ['test', '-vet=off', './...'], { cwd: project, env: { PATH: SYSTEM_PATH, ...env } });
    return { 'go.sum': readFileSync(join(project, 'go.sum'), 'utf8') };
  },
};

const python: Language = {
  name: 'python',
  needs: ['python3', 'pytest-3'],
  project: {
    'app.py': 'def word():\n    return "hullo"\n',
    'test_app.py':
      'from app import word\nfrom greet import WORD\n\n\ndef test_word():\n    assert word() == WORD\n',
  },
  wrong: 'app.py',
  test: '[ -n "$VIRTUAL_ENV" ] && PYTHONDONTWRITEBYTECODE=1 python -m pytest -q -p no:cacheprovider',
  fill(home) {
    const venv = join(home, 'tools', 'venv');
    run('python3', ['-m', 'venv', '--system-site-packages', '--without-pip', venv]);
    const [packages = ''] = run(join(venv, 'bin', 'python'), [
      '-c',
      'import sysconfig; print(sysconfig.get_path("purelib"))',
    ])
      .toString()
      .trim()
      .split('\n');
    writeTree(packages, { 'greet.py': 'WORD = "hello"\n' });
    return {};
  },
};

const node: Language = {
  name: 'node',
  needs: ['npm'],
  project: {
    'package.json': '{"name":"app","version":"1.0.0","dependencies":{"greet":"1.0.0"}}\n',
    'app.js': 'module.exports = "hullo";\n',
    'test.js': 'require("assert").equal(require("./app.js"), require("greet"));\n',
  },
  wrong: 'app.js',
  test: 'npm ci --offline --no-audit --no-fund && node test.js',
  fill(home) {
    const folder = makeFolder('npm-package');
    writeTree(folder, {
      'package.json': '{"name":"greet","version":"1.0.0"}',
      'index.js': 'module.exports = "hello";\n',
    });
    const env = { HOME: home };
    const name = run('npm', ['pack', '--silent'], { cwd: folder, env }).toString().trim();
    run('npm', ['cache', 'add', join(folder, name)], { env });
    const hash = createHash('sha512')
      .update(readFileSync(join(folder, name)))
      .digest('base64');
    const greet = {
      version: '1.0.0',
      resolved: 'https://registry.example.com/greet/-/greet-1.0.0.tgz',
      integrity: `sha512-${hash}`,
    };
    const root = { name: 'app', version: '1.0.0', dependencies: { greet: '1.0.0' } };
    const packages = { '': root, 'node_modules/greet': greet };
    return { 'package-lock.json': JSON.stringify({ ...root, lockfileVersion: 3, packages }) };
  },
};

/** The machine code of a thorough compiler does not pay in a second, nor do threads that collect garbage. */
const QUICK_JVM = { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' };

const java: Language = {
  name: 'java',
  needs: ['mvn', 'javac', 'jar'],
  project: {
    'pom.xml': `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>com.example</groupId><artifactId>app</artifactId><version>1</version><packaging>pom</packaging>
<build><plugins><plugin><groupId>com.example</groupId><artifactId>greet-plugin</artifactId><version>1.0</version>
<executions><execution><phase>test</phase><goals><goal>check</goal></goals></execution></executions>
</plugin></plugins></build></project>`,
    'word.txt': 'hullo',
  },
  wrong: 'word.txt',
  test:
    `export JAVA_TOOL_OPTIONS='${QUICK_JVM.JAVA_TOOL_OPTIONS}' && "$JAVA_HOME/bin/javac" -version && ` +
    'mvn -o -q -B "-Dmaven.repo.local=$HOME/.m2/repository" test',
  fill(home) {
    const classes = makeFolder('maven-plugin');
    writeTree(classes, {
      'greet/CheckMojo.java': `package greet;
import org.apache.maven.plugin.*;
public class CheckMojo extends AbstractMojo {
  public void execute() throws MojoFailureException {
    try {
      String word = new String(java.nio.file.Files.readAllBytes(java.nio.file.Paths.get("word.txt")));
      if (!word.equals("hello")) throw new MojoFailureException(word);
    } catch (java.io.IOException error) { throw new MojoFailureException(error.toString()); }
  }
}`,
      'META-INF/maven/plugin.xml': `<plugin><groupId>com.example</groupId><artifactId>greet-plugin</artifactId>
<version>1.0</version><goalPrefix>greet</goalPrefix><mojos><mojo><goal>check</goal>
<implementation>greet.CheckMojo</implementation><language>java</language>
<instantiationStrategy>per-lookup</instantiationStrategy></mojo></mojos></plugin>`,
    });
    const maven = '/usr/share/maven/lib/*';
    // Maven cannot read classes of every newer Java.
    const source = join(classes, 'greet', 'CheckMojo.java');
    run('javac', ['--release', '8', '-cp', maven, '-d', classes, source], { env: QUICK_JVM });
    const install = (group: string, name: string, version: string) => {
      const place = join(home, '.m2', 'repository', ...group.split('.'), name, version);
      writeTree(place, {
        [`${name}-${version}.pom`]: `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>${group}</groupId><artifactId>${name}</artifactId>
<version>${version}</version></project>`,
      });
      return join(place, `${name}-${version}.jar`);
    };
    const jar = (file: string, content: string) =>
      run('jar', ['cf', file, '-C', classes, content], { env: QUICK_JVM });
    jar(install('com.example', 'greet-plugin', '1.0'), '.');
    // Maven gives this to every plugin that does not name a version of it.
    jar(install('org.codehaus.plexus', 'plexus-utils', '1.1'), 'greet/CheckMojo.java');
    return {};
  },
};

/** As rustup's proxies find a toolchain: by RUSTUP_HOME or HOME, and the default in its settings. */
const RUSTUP_PROXY = `#!/bin/sh
rustup=\${RUSTUP_HOME:-$HOME/.rustup}
toolchain=\${RUSTUP_TOOLCHAIN:-$(sed -n 's/^default_toolchain = "\\(.*\\)"$/\\1/p' "$rustup/settings.toml")}
exec "$rustup/toolchains/$toolchain/bin/$(basename "$0")" "$@"
`;
/** Needs a crate of the registry, and writes to Cargo's home as Cargo does: a lock, and the index. */
const CARGO = `#!/bin/sh
cargo=\${CARGO_HOME:-$HOME/.cargo}
: >"$cargo/.package-cache" && echo hit >"$cargo/registry/index/last-use" &&
  grep -q "$(cat "$cargo/registry/src/greet-1.0.0/word")" src/lib.rs
`;

const rust: Language = {
  name: 'rust',
  needs: [],
  project: { 'Cargo.toml': '[package]\nname = "app"\n', 'src/lib.rs': 'pub const WORD: &str = "hullo";\n' },
  wrong: 'src/lib.rs',
  test: 'cargo test --offline',
  fill(home) {
    const toolchain = 'stable-x86_64-unknown-linux-gnu';
    script(join(home, '.cargo', 'bin', 'cargo'), RUSTUP_PROXY);
    script(join(home, '.rustup', 'toolchains', toolchain, 'bin', 'cargo'), CARGO);
    writeTree(home, {
      '.rustup/settings.toml': `default_toolchain = "${toolchain}"\n`,
      '.cargo/registry/src/greet-1.0.0/word': 'hello',
      '.cargo/registry/index/last-use': 'never',
    });
    return {};
  },
};

export const LANGUAGES: readonly Language[] = [node, python, go, java, rust];

/** Files with passwords, where tools keep them: beside their caches, and in one by mistake. */
export const PASSWORDS = [
  '.cargo/credentials.toml',
  '.cargo/config.toml',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.m2/repository/settings.xml',
  '.npmrc',
  '.npm/_cacache/.npmrc',
  '.gradle/gradle.properties',
  '.gem/credentials',
  '.composer/auth.json',
  'go/pkg/mod/.netrc',
];
