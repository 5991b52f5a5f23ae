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

export const TOOLS: readonly Tool[] = [
  {
    name: 'Java',
    places: [
      ...['JAVA_HOME', /^JAVA_HOME_\d+_\w+$/, 'GRAALVM_HOME', 'M2_HOME', 'MAVEN_HOME', 'GRADLE_HOME'],
      ...['ANT_HOME', 'SBT_HOME', 'KOTLIN_HOME'],
    ],
    stores: [{ home: '.sdkman', variables: ['SDKMAN_DIR'], isInstalled: true }],
  },
  {
    name: 'Maven',
    flags: new Map([['MAVEN_ARGS', MAVEN_FLAGS]]),
    stores: [{ home: '.m2', parts: ['repository', 'wrapper'], needsWriting: true }],
  },
  {
    name: 'Gradle',
    stores: [
      {
        home: '.gradle',
        variables: ['GRADLE_USER_HOME'],
        parts: ['caches', 'wrapper', 'jdks'],
        isRebuilt: true,
        needsWriting: true,
      },
    ],
  },
  {
    name: 'Scala',
    stores: [
      { home: '.ivy2', parts: ['cache', 'local'], needsWriting: true },
      { home: '.sbt', parts: ['boot'], needsWriting: true },
      { home: '.cache/coursier', variables: ['COURSIER_CACHE'], needsWriting: true },
    ],
  },
  {
    name: 'Go',
    places: ['GOROOT', /^GOROOT_\d+_\d+_\w+$/],
    versions: ['GOTOOLCHAIN'],
    stores: [
      { home: 'go', variables: ['GOPATH'], parts: ['pkg'], isRebuilt: true },
      { home: 'go/pkg/mod', variables: ['GOMODCACHE'] },
      { home: '.cache/go-build', variables: ['GOCACHE'], needsWriting: true },
    ],
  },
  {
    name: 'Rust',
    versions: ['RUSTUP_TOOLCHAIN'],
    stores: [{ home: '.rustup', variables: ['RUSTUP_HOME'], isInstalled: true }],
  },
  {
    name: 'Cargo',
    stores: [
      { home: '.cargo', variables: ['CARGO_HOME'], parts: ['bin', 'registry', 'git'], isRebuilt: true },
      { variables: ['CARGO_TARGET_DIR'], needsWriting: true },
      { home: '.cache/sccache', variables: ['SCCACHE_DIR'], needsWriting: true },
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
      { home: '.pyenv', variables: ['PYENV_ROOT'], isInstalled: true },
      { home: '.virtualenvs', variables: ['WORKON_HOME'], isInstalled: true },
      { home: '.local/share/virtualenvs', isInstalled: true },
      { home: '.local/share/uv', isInstalled: true },
      { home: '.local/lib' },
      { home: '.cache/pip', variables: ['PIP_CACHE_DIR'] },
      { home: '.cache/uv', variables: ['UV_CACHE_DIR'], needsWriting: true },
      {
        home: '.cache/pypoetry',
        variables: ['POETRY_CACHE_DIR'],
        parts: ['artifacts', 'cache', 'virtualenvs'],
        isRebuilt: true,
      },
    ],
  },
  {
    name: 'Node',
    places: ['NVM_BIN', 'NVM_INC', 'CHROME_BIN', 'CHROMEWEBDRIVER', 'GECKOWEBDRIVER', 'EDGEWEBDRIVER'],
    stores: [
      { home: '.nvm', variables: ['NVM_DIR'], isInstalled: true },
      { home: '.volta', variables: ['VOLTA_HOME'], isInstalled: true },
      { home: '.local/share/fnm', variables: ['FNM_DIR'], isInstalled: true },
      {
        home: '.npm',
        variables: ['npm_config_cache', 'NPM_CONFIG_CACHE'],
        parts: ['_cacache'],
        isRebuilt: true,
        needsWriting: true,
      },
      { home: '.local/share/pnpm', variables: ['PNPM_HOME'], parts: ['store'], needsWriting: true },
      { home: '.yarn/berry', parts: ['cache'], needsWriting: true },
      { home: '.cache/yarn', variables: ['YARN_CACHE_FOLDER'], needsWriting: true },
      { home: '.cache/node/corepack', variables: ['COREPACK_HOME'] },
      { home: '.bun', variables: ['BUN_INSTALL'], parts: ['bin', 'install'], isRebuilt: true },
      { home: '.cache/deno', variables: ['DENO_DIR'], needsWriting: true },
      { home: '.cache/ms-playwright', variables: ['PLAYWRIGHT_BROWSERS_PATH'] },
      { home: '.cache/Cypress', variables: ['CYPRESS_CACHE_FOLDER'] },
      { home: '.cache/puppeteer', variables: ['PUPPETEER_CACHE_DIR'] },
    ],
  },
  {
    name: '.NET',
    places: ['DOTNET_ROOT', 'DOTNET_ROOT_X64', 'DOTNET_ROOT_ARM64'],
    stores: [
      { home: '.dotnet', parts: ['sdk', 'shared', 'host', 'tools'], isInstalled: true },
      { home: '.nuget/packages', variables: ['NUGET_PACKAGES'] },
    ],
  },
  {
    name: 'Ruby',
    versions: ['RBENV_VERSION'],
    stores: [
      { home: '.rbenv', variables: ['RBENV_ROOT'], isInstalled: true },
      { variables: ['GEM_HOME'], isInstalled: true },
      { variables: ['BUNDLE_PATH'] },
      { home: '.gem', parts: ['ruby'] },
      { home: '.local/share/gem', parts: ['ruby'] },
      { home: '.bundle', parts: ['cache'] },
    ],
  },
  {
    name: 'PHP',
    stores: [
      {
        home: '.composer',
        variables: ['COMPOSER_HOME'],
        parts: ['vendor', 'cache/files', 'cache/repo'],
        isRebuilt: true,
      },
      {
        home: '.cache/composer',
        variables: ['COMPOSER_CACHE_DIR'],
        parts: ['files', 'repo'],
        isRebuilt: true,
      },
    ],
  },
  {
    name: 'Dart',
    places: ['FLUTTER_ROOT', 'FLUTTER_HOME'],
    stores: [
      {
        home: '.pub-cache',
        variables: ['PUB_CACHE'],
        parts: ['bin', 'global_packages', 'hosted', 'hosted-hashes', 'git'],
        isRebuilt: true,
      },
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
    stores: [
      { home: '.cache/ccache', variables: ['CCACHE_DIR'], needsWriting: true },
      { home: '.conan2', variables: ['CONAN_HOME'], parts: ['p'], isRebuilt: true, needsWriting: true },
    ],
  },
  {
    name: 'Haskell',
    places: ['GHCUP_INSTALL_BASE_PREFIX'],
    stores: [
      { home: '.ghcup', parts: ['bin', 'ghc'], isInstalled: true },
      {
        home: '.cabal',
        variables: ['CABAL_DIR'],
        parts: ['packages', 'store'],
        isRebuilt: true,
        needsWriting: true,
      },
      {
        home: '.stack',
        variables: ['STACK_ROOT'],
        parts: ['programs', 'snapshots', 'pantry'],
        isRebuilt: true,
        needsWriting: true,
      },
    ],
  },
  {
    name: 'Elixir',
    stores: [
      { home: '.mix', variables: ['MIX_HOME'], isInstalled: true },
      { home: '.hex', variables: ['HEX_HOME'], parts: ['packages'], isRebuilt: true },
    ],
  },
  {
    name: 'Version managers',
    places: ['ASDF_DIR'],
    stores: [
      { home: '.asdf', variables: ['ASDF_DATA_DIR'], isInstalled: true },
      { home: '.local/share/mise', variables: ['MISE_DATA_DIR'], isInstalled: true },
    ],
  },
];

/**
 * Files in which tools keep passwords and tokens, directly in the folder of a tool. Also files that can contain them
 * among other settings, because a build can do without.
 */
const CREDENTIALS =
  /^(\.?npmrc|\.yarnrc(\.yml)?|[._]?netrc|\.pypirc|pip\.(conf|ini)|\.condarc|credentials(\.(toml|json|xml))?|config(\.(toml|json))?|settings(-security)?\.xml|gradle\.properties|init\.gradle(\.kts)?|init\.d|auth\.json|nuget\.config|hex\.config|pub-credentials\.json|\.git-credentials|\.env(\..*)?)$/i;

export const isCredentialFile = (name: string): boolean => CREDENTIALS.test(name);
