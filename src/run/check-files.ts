import { parseJson } from '../text/json.js';
import { ignoreFinder } from '../text/patterns.js';

/**
 * Files that decide whether a check passes; docs/how-it-works.md links here. A repair that changes them may have changed the
 * question instead of the answer, so the commands also run with the original ones. The patterns are those of `.gitignore`.
 */
export const CHECK_FILES: Readonly<Record<string, readonly string[]>> = {
  tests: [
    ...[
      'test/',
      'tests/',
      '__tests__/',
      'spec/',
      'specs/',
      'e2e/',
      'testing/',
      '*.test.*',
      '*.spec.*',
      '*-test.*',
      '*-spec.*',
    ],
    ...[
      '*_test.*',
      '*_tests.*',
      '*_spec.*',
      'test_*.py',
      'conftest.py',
      'test.*',
      'tests.*',
      'Test/',
      'Tests/',
    ],
    ...[
      '*Test.java',
      '*Tests.java',
      '*IT.java',
      '*Test.kt',
      '*Tests.kt',
      '*Test.scala',
      '*Spec.scala',
      '*Spec.groovy',
    ],
    ...['*Test.php', '*Test.cs', '*Tests.cs', '*Tests.swift', 'benches/'],
  ],
  snapshots: ['__snapshots__/', '*.snap', '*.snap.*', 'snapshots/', '*.approved.*', '*.golden', 'golden/'],
  fixtures: [
    'fixtures/',
    '__fixtures__/',
    'fixture/',
    'testdata/',
    'test-data/',
    'test_data/',
    '__mocks__/',
    'mocks/',
    '*.mock.*',
  ],
  'test runners': [
    ...[
      'jest.config.*',
      'jest.setup.*',
      'vitest.config.*',
      'vitest.setup.*',
      'vitest.workspace.*',
      'vite.config.*',
      '.mocharc*',
      'ava.config.*',
    ],
    ...[
      'karma.conf*',
      'playwright.config.*',
      'cypress.config.*',
      'wdio.conf*',
      'babel.config.*',
      '.babelrc*',
      'pytest.ini',
      '.pytest.ini',
    ],
    ...[
      'tox.ini',
      'noxfile.py',
      'setup.cfg',
      'phpunit.xml*',
      '.rspec',
      'nextest.toml',
      '.runsettings',
      'surefire*.xml',
    ],
  ],
  lint: [
    ...[
      '.eslintrc*',
      'eslint.config.*',
      '.eslintignore',
      'biome.json*',
      'oxlint*',
      '.oxlintrc*',
      '.prettierrc*',
      'prettier.config.*',
      '.prettierignore',
    ],
    ...[
      '.stylelintrc*',
      'stylelint.config.*',
      'tsconfig*.json',
      'ruff.toml',
      '.ruff.toml',
      '.flake8',
      '.pylintrc',
      'pylintrc',
      'mypy.ini',
      '.mypy.ini',
    ],
    ...[
      'pyrightconfig.json',
      '.golangci.*',
      'clippy.toml',
      '.clippy.toml',
      'rustfmt.toml',
      '.rustfmt.toml',
      'checkstyle*.xml',
      'pmd*.xml',
    ],
    ...[
      'spotbugs*.xml',
      'detekt*.yml',
      '.rubocop*',
      'phpstan.neon*',
      'psalm.xml*',
      '.editorconfig',
      '.markdownlint*',
      '.yamllint*',
      '.swiftlint.yml',
    ],
  ],
  coverage: [
    '.coveragerc',
    '.nycrc*',
    'nyc.config.*',
    '.c8rc*',
    'codecov.yml',
    '.codecov.yml',
    'coverage.*',
    '.simplecov',
    'jacoco*',
    'tarpaulin.toml',
  ],
  CI: [
    ...[
      '.github/',
      '.gitlab-ci.yml',
      '.circleci/',
      'azure-pipelines*.yml',
      'Jenkinsfile*',
      '.travis.yml',
      '.buildkite/',
      'bitbucket-pipelines.yml',
    ],
    ...[
      '.pre-commit-config.yaml',
      'lefthook.yml',
      '.husky/',
      'Makefile',
      'makefile',
      'GNUmakefile',
      '*.mk',
      'justfile',
      'Taskfile.*',
      'Rakefile',
      'nx.json',
      'turbo.json',
    ],
  ],
};

const patterns = Object.values(CHECK_FILES).flat();
const findPattern = ignoreFinder(patterns);

/** Whether a file decides what a check says. */
export const isCheckFile = (path: string): boolean => findPattern(path) !== undefined;

/** Files that hold dependencies beside what checks run: only the latter is the original. */
const MANIFESTS: Readonly<Record<string, (original: string, changed: string) => string>> = {
  'package.json': mixPackage,
  'composer.json': mixPackage,
  'deno.json': mixPackage,
  'pyproject.toml': mixTables(
    /^tool\.(?:pytest|coverage|ruff|mypy|pylint|pyright|flake8|tox|nox|hatch\.envs|poe|taskipy|pdm\.scripts|black|isort|bandit)\b/,
  ),
  'cargo.toml': mixTables(/^(?:workspace\.)?lints\b|^(?:test|bench|example|lib|bin)$|^profile\b|^package$/),
};

/** Settings of programs that check, in a package.json and files like it. */
const CHECK_KEYS = [
  ...[
    'scripts',
    'tasks',
    'test',
    'lint',
    'fmt',
    'bench',
    'jest',
    'vitest',
    'mocha',
    'ava',
    'tap',
    'nyc',
    'c8',
  ],
  ...[
    'eslintConfig',
    'eslintIgnore',
    'prettier',
    'stylelint',
    'xo',
    'standard',
    'babel',
    'lint-staged',
    'husky',
    'wireit',
    'nx',
  ],
];

/**
 * A manifest as the change leaves it, with the original scripts and settings of checks. Undefined if the file is none. What
 * cannot be taken apart is the original.
 */
export const withOriginalScripts = (path: string, original: string, changed: string): string | undefined =>
  isManifest(path) ? MANIFESTS[nameOf(path)]?.(original, changed) : undefined;

export const isManifest = (path: string): boolean => Object.hasOwn(MANIFESTS, nameOf(path));

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase();

function mixPackage(original: string, changed: string): string {
  const [before, after] = [parseJson(original), parseJson(changed)];
  if (!isObject(before) || !isObject(after)) return original;
  const isCheck = ([name]: [string, unknown]) => CHECK_KEYS.includes(name);
  const kept = Object.entries(after).filter((entry) => !isCheck(entry));
  const checks = Object.entries(before).filter(isCheck);
  const scriptsOf = (value: Record<string, unknown>) =>
    JSON.stringify(Object.entries(value).filter(isCheck).sort());
  // Unchanged scripts leave the file as it is, byte by byte.
  if (scriptsOf(before) === scriptsOf(after)) return changed;
  return `${JSON.stringify(Object.fromEntries([...kept, ...checks]), undefined, 2)}\n`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Works on the lines of a TOML file. Where tables are not written as plain headings, nothing can be told apart. */
function mixTables(isCheck: RegExp): (original: string, changed: string) => string {
  return (original, changed) => {
    if (
      [original, changed].some((text) =>
        /"""|'''|^\s*\[\s*tool\s*\]|^\s*(?:tool|lints|profile)\b.*=/m.test(text),
      )
    )
      return original;
    const [before, after] = [original, changed].map((text) => {
      const tables = tablesOf(text);
      const of = (wanted: boolean) => tables.filter(({ name }) => isCheck.test(name) === wanted);
      return {
        checks: of(true)
          .map(({ text }) => text)
          .join(''),
        others: of(false)
          .map(({ text }) => text)
          .join(''),
      };
    });
    if (before?.checks === after?.checks) return changed;
    return `${after?.others.trimEnd() ?? ''}\n\n${before?.checks ?? ''}`;
  };
}

function tablesOf(text: string): { name: string; text: string }[] {
  const tables = [{ name: '', text: '' }];
  for (const line of text.split(/(?<=\n)/)) {
    const name = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}/.exec(line)?.[1];
    if (name !== undefined) tables.push({ name: name.replace(/["'\s]/g, ''), text: '' });
    const last = tables.at(-1);
    if (last) last.text += line.endsWith('\n') ? line : `${line}\n`;
  }
  return tables;
}

/** Lock files: what installs what they name, and from where. */
const LOCK_FILES: readonly { name: RegExp; install: string; hosts: readonly string[] }[] = [
  { name: /^(?:package-lock|npm-shrinkwrap)\.json$/, install: 'npm ci', hosts: ['registry.npmjs.org'] },
  { name: /^yarn\.lock$/, install: 'yarn install --frozen-lockfile', hosts: ['registry.yarnpkg.com'] },
  { name: /^pnpm-lock\.yaml$/, install: 'pnpm install --frozen-lockfile', hosts: ['registry.npmjs.org'] },
  { name: /^bun\.lockb?$/, install: 'bun install --frozen-lockfile', hosts: ['registry.npmjs.org'] },
  { name: /^uv\.lock$/, install: 'uv sync --locked', hosts: ['pypi.org', 'files.pythonhosted.org'] },
  { name: /^poetry\.lock$/, install: 'poetry sync', hosts: ['pypi.org', 'files.pythonhosted.org'] },
  { name: /^pipfile\.lock$/, install: 'pipenv sync', hosts: ['pypi.org', 'files.pythonhosted.org'] },
  {
    name: /^requirements.*\.txt$/,
    install: 'pip install -r requirements.txt',
    hosts: ['pypi.org', 'files.pythonhosted.org'],
  },
  { name: /^go\.sum$/, install: 'go mod download', hosts: ['proxy.golang.org', 'sum.golang.org'] },
  { name: /^cargo\.lock$/, install: 'cargo fetch --locked', hosts: ['index.crates.io', 'static.crates.io'] },
  { name: /^gemfile\.lock$/, install: 'bundle install', hosts: ['rubygems.org', 'index.rubygems.org'] },
  {
    name: /^composer\.lock$/,
    install: 'composer install',
    hosts: ['repo.packagist.org', 'codeload.github.com'],
  },
  { name: /^packages\.lock\.json$/, install: 'dotnet restore --locked-mode', hosts: ['api.nuget.org'] },
  {
    name: /^gradle\.lockfile$/,
    install: './gradlew dependencies',
    hosts: ['repo.maven.apache.org', 'plugins.gradle.org'],
  },
  // Maven has no lock file. It names what it needs here.
  { name: /^pom\.xml$/, install: 'mvn -B dependency:resolve', hosts: ['repo.maven.apache.org'] },
];

/** What a failed verification needs that follows a changed lock file; undefined if none was changed. */
export function installAdvice(paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const lock = LOCK_FILES.find(({ name }) => name.test(nameOf(path)));
    if (lock)
      return (
        `The change alters ${path}, and nothing installs what it names before the commands run. If the failure comes from that, ` +
        `make \`${lock.install}\` the first line of \`verify\`, and add ${lock.hosts.map((host) => `\`${host}\``).join(' and ')} to \`allowed-hosts\`.`
      );
  }
  return undefined;
}
