/**
 * Where tools are, and where they keep what they downloaded. Set-up actions and hosted runners say it with variables;
 * without one, a tool looks in the home folder. One table for both, because the agent has a home of its own.
 */

/** A folder that a tool keeps in the home, unless a variable names another place. */
export interface Store {
  /** Where it is below the home. Missing if only the variable says where it is. */
  home?: string;
  /** The variables that name the folder. The first is the one that the agent gets. */
  variables?: readonly string[];
  /** What the agent gets of it. Missing: all of it. The rest can be credentials, or is of no use to a build. */
  parts?: readonly string[];
  /**
   * The tool also writes beside these parts, so the agent's variable names a folder in its own home, with links to the
   * parts. Otherwise the variable names the folder itself.
   */
  isRebuilt?: true;
  /** Programs. They are given without isolation too, because tools only read them. */
  isInstalled?: true;
  /** The tool does not work if it cannot write here. */
  needsWriting?: true;
}

export interface Tool {
  name: string;
  /** Variables with the path of something that is installed. */
  places?: readonly (string | RegExp)[];
  /** Variables with a version, or the name of one. */
  versions?: readonly string[];
  /** Variables with flags, and the flags that may be in them. */
  flags?: ReadonlyMap<string, RegExp>;
  stores?: readonly Store[];
}

/** How Maven prints and how fast it works. Others name files, or hold passwords as properties. */
const MAVEN_FLAGS =
  /^(-B|--batch-mode|-ntp|--no-transfer-progress|-o|--offline|-q|--quiet|-e|--errors|-V|--show-version|-nsu|--no-snapshot-updates|-fae|--fail-at-end|-T[0-9.]+C?|--color=(always|never|auto)|-Dstyle\.color=(always|never|auto))$/;

/** Where Maven keeps what it downloads, below the home of the account. */
export const MAVEN_REPOSITORY = '.m2/repository';

/** Programs that are installed in the home. */
const installed = (home: string, ...variables: string[]): Store => ({ home, variables, isInstalled: true });
/** What was downloaded. A build works without writing to it. */
const cache = (home: string, ...variables: string[]): Store => ({ home, variables });
/** What was downloaded or built. A build fails where it cannot write to it. */
const written = (home: string, ...variables: string[]): Store => ({ home, variables, needsWriting: true });
/** Only these parts of a store. */
const partsOf = (store: Store, ...parts: string[]): Store => ({ ...store, parts });
const rebuilt = (store: Store, ...parts: string[]): Store => ({ ...store, parts, isRebuilt: true });

export const TOOLS: readonly Tool[] = [
  {
    name: 'Java',
    places: [
      ...['JAVA_HOME', /^JAVA_HOME_\d+_\w+$/, 'GRAALVM_HOME', 'M2_HOME', 'MAVEN_HOME', 'GRADLE_HOME'],
      ...['ANT_HOME', 'SBT_HOME', 'KOTLIN_HOME'],
    ],
    stores: [installed('.sdkman', 'SDKMAN_DIR')],
  },
  {
    name: 'Maven',
    flags: new Map([['MAVEN_ARGS', MAVEN_FLAGS]]),
    stores: [partsOf(written('.m2'), 'repository', 'wrapper')],
  },
  {
    name: 'Gradle',
    stores: [rebuilt(written('.gradle', 'GRADLE_USER_HOME'), 'caches', 'wrapper', 'jdks')],
  },
  {
    name: 'Scala',
    stores: [
      partsOf(written('.ivy2'), 'cache', 'local'),
      partsOf(written('.sbt'), 'boot'),
      written('.cache/coursier', 'COURSIER_CACHE'),
    ],
  },
  {
    name: 'Go',
    places: ['GOROOT', /^GOROOT_\d+_\d+_\w+$/],
    versions: ['GOTOOLCHAIN'],
    stores: [
      rebuilt(cache('go', 'GOPATH'), 'pkg'),
      cache('go/pkg/mod', 'GOMODCACHE'),
      written('.cache/go-build', 'GOCACHE'),
    ],
  },
  { name: 'Rust', versions: ['RUSTUP_TOOLCHAIN'], stores: [installed('.rustup', 'RUSTUP_HOME')] },
  {
    name: 'Cargo',
    stores: [
      rebuilt(cache('.cargo', 'CARGO_HOME'), 'bin', 'registry', 'git'),
      { variables: ['CARGO_TARGET_DIR'], needsWriting: true },
      written('.cache/sccache', 'SCCACHE_DIR'),
    ],
  },
  {
    name: 'Python',
    places: [
      ...['pythonLocation', 'Python_ROOT_DIR', 'Python2_ROOT_DIR', 'Python3_ROOT_DIR'],
      ...['CONDA', 'CONDA_PREFIX', 'CONDA_EXE', 'CONDA_PYTHON_EXE'],
    ],
    versions: ['PYENV_VERSION', 'CONDA_DEFAULT_ENV', 'CONDA_SHLVL'],
    stores: [
      { variables: ['VIRTUAL_ENV'], isInstalled: true },
      installed('.pyenv', 'PYENV_ROOT'),
      installed('.virtualenvs', 'WORKON_HOME'),
      installed('.local/share/virtualenvs'),
      installed('.local/share/uv'),
      cache('.local/lib'),
      cache('.cache/pip', 'PIP_CACHE_DIR'),
      written('.cache/uv', 'UV_CACHE_DIR'),
      rebuilt(cache('.cache/pypoetry', 'POETRY_CACHE_DIR'), 'artifacts', 'cache', 'virtualenvs'),
    ],
  },
  {
    name: 'Node',
    places: ['NVM_BIN', 'NVM_INC', 'CHROME_BIN', 'CHROMEWEBDRIVER', 'GECKOWEBDRIVER', 'EDGEWEBDRIVER'],
    stores: [
      installed('.nvm', 'NVM_DIR'),
      installed('.volta', 'VOLTA_HOME'),
      installed('.local/share/fnm', 'FNM_DIR'),
      rebuilt(written('.npm', 'npm_config_cache', 'NPM_CONFIG_CACHE'), '_cacache'),
      partsOf(written('.local/share/pnpm', 'PNPM_HOME'), 'store'),
      partsOf(written('.yarn/berry'), 'cache'),
      written('.cache/yarn', 'YARN_CACHE_FOLDER'),
      cache('.cache/node/corepack', 'COREPACK_HOME'),
      rebuilt(cache('.bun', 'BUN_INSTALL'), 'bin', 'install'),
      written('.cache/deno', 'DENO_DIR'),
      cache('.cache/ms-playwright', 'PLAYWRIGHT_BROWSERS_PATH'),
      cache('.cache/Cypress', 'CYPRESS_CACHE_FOLDER'),
      cache('.cache/puppeteer', 'PUPPETEER_CACHE_DIR'),
    ],
  },
  {
    name: '.NET',
    places: ['DOTNET_ROOT', 'DOTNET_ROOT_X64', 'DOTNET_ROOT_ARM64'],
    stores: [
      partsOf(installed('.dotnet'), 'sdk', 'shared', 'host', 'tools'),
      cache('.nuget/packages', 'NUGET_PACKAGES'),
    ],
  },
  {
    name: 'Ruby',
    versions: ['RBENV_VERSION'],
    stores: [
      installed('.rbenv', 'RBENV_ROOT'),
      { variables: ['GEM_HOME'], isInstalled: true },
      { variables: ['BUNDLE_PATH'] },
      partsOf(cache('.gem'), 'ruby'),
      partsOf(cache('.local/share/gem'), 'ruby'),
      partsOf(cache('.bundle'), 'cache'),
    ],
  },
  {
    name: 'PHP',
    stores: [
      rebuilt(cache('.composer', 'COMPOSER_HOME'), 'vendor', 'cache/files', 'cache/repo'),
      rebuilt(cache('.cache/composer', 'COMPOSER_CACHE_DIR'), 'files', 'repo'),
    ],
  },
  {
    name: 'Dart',
    places: ['FLUTTER_ROOT', 'FLUTTER_HOME'],
    stores: [
      rebuilt(
        cache('.pub-cache', 'PUB_CACHE'),
        ...['bin', 'global_packages', 'hosted', 'hosted-hashes', 'git'],
      ),
    ],
  },
  {
    name: 'Android',
    places: [
      ...['ANDROID_HOME', 'ANDROID_SDK_ROOT', 'ANDROID_NDK', 'ANDROID_NDK_HOME', 'ANDROID_NDK_ROOT'],
      'ANDROID_NDK_LATEST_HOME',
    ],
  },
  { name: 'Swift', places: ['SWIFT_PATH'] },
  {
    name: 'C and C++',
    places: ['VCPKG_ROOT', 'VCPKG_INSTALLATION_ROOT'],
    stores: [written('.cache/ccache', 'CCACHE_DIR'), rebuilt(written('.conan2', 'CONAN_HOME'), 'p')],
  },
  {
    name: 'Haskell',
    places: ['GHCUP_INSTALL_BASE_PREFIX'],
    stores: [
      partsOf(installed('.ghcup'), 'bin', 'ghc'),
      rebuilt(written('.cabal', 'CABAL_DIR'), 'packages', 'store'),
      rebuilt(written('.stack', 'STACK_ROOT'), 'programs', 'snapshots', 'pantry'),
    ],
  },
  {
    name: 'Elixir',
    stores: [installed('.mix', 'MIX_HOME'), rebuilt(cache('.hex', 'HEX_HOME'), 'packages')],
  },
  {
    name: 'Version managers',
    places: ['ASDF_DIR'],
    stores: [installed('.asdf', 'ASDF_DATA_DIR'), installed('.local/share/mise', 'MISE_DATA_DIR')],
  },
];

/**
 * Files in which tools keep passwords and tokens, directly in the folder of a tool. Also files that can contain them
 * among other settings, because a build can do without.
 */
const CREDENTIALS =
  /^(\.?npmrc|\.yarnrc(\.yml)?|[._]?netrc|\.pypirc|pip\.(conf|ini)|\.condarc|credentials(\.(toml|json|xml))?|config(\.(toml|json))?|settings(-security)?\.xml|gradle\.properties|init\.gradle(\.kts)?|init\.d|auth\.json|nuget\.config|hex\.config|pub-credentials\.json|\.git-credentials|\.env(\..*)?)$/i;

export const isCredentialFile = (name: string): boolean => CREDENTIALS.test(name);
