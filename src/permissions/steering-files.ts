import { foldHard } from '../text/paths.js';
import { denyPatternTest } from './permission-token.js';

/** What a file does to the CLI: it configures it or runs code in it, or it is text that the agent follows. */
export type ConfigKind = 'configuration' | 'rules';

/** Folders of agents that share their rules: each CLI also reads those of the others. */
const AGENT_FOLDERS = ['.cursor', '.claude', '.agents', '.codex'];
/** The agent may see nothing of this folder. */
const CLIDO_FOLDER = '.clido';
/** Hooks, MCP servers, permissions, sandbox, and future settings. A plugin can contain all of these. */
const AGENT_SETTINGS = AGENT_FOLDERS.flatMap((folder) =>
  ['*.json', '*.toml', 'hooks/**', 'plugins/**'].map((rest) => `${folder}/${rest}`),
);

/**
 * What configures an agent in a dot folder of any name, because a CLI also reads the folders of others, and the next
 * one is not known yet. Only these are set aside. The folder's other files stay.
 */
const IN_DOT_FOLDERS: Readonly<Record<ConfigKind, readonly string[]>> = {
  configuration: ['hooks', 'mcp', 'settings*', 'permissions', 'sandbox', 'plugin'].map(
    (name) => `${name}.json`,
  ),
  rules: ['skills/*/SKILL.md', 'agents/*.md', 'commands/*.md', 'rules/*.md*'],
};
/** Dot folders, and `node_modules`, in which such a file has another meaning or comes with a package. */
const NOT_OF_AGENTS = new Set([
  ...['.git', '.github', '.yarn', '.venv', '.pnpm', 'node_modules'],
  // Editors.
  ...['.vscode', '.idea', '.zed', '.vs', '.fleet', '.nova', '.settings', '.theia', '.devcontainer'],
]);

/**
 * The files that steer an agent, or the tools that run before and after it. The agent may write none of them. The
 * first two kinds are also set aside before the agent starts. The third kind stays, because the build needs it.
 *
 * The patterns are written like those of permission tokens and apply in every folder. In a token `*` also matches
 * slashes, so the table has `AGENTS.*.md`: `AGENTS*.md` would also forbid `agents/guide.md`.
 */
const STEERING: Readonly<Record<ConfigKind | 'trusted-by-tools', readonly string[]>> = {
  configuration: [
    ...AGENT_SETTINGS,
    `${CLIDO_FOLDER}/**`,
    '.mcp.json',
    // direnv runs it.
    '.envrc',
    // Which files Cursor's index contains. The action says: none.
    '.cursorindexingignore',
  ],
  rules: [
    // Rules, skills, agents and commands.
    ...AGENT_FOLDERS.map((folder) => `${folder}/**`),
    ...['AGENTS', 'CLAUDE', 'GEMINI'].flatMap((name) => [`${name}.md`, `${name}.*.md`]),
    ...['.cursorrules', 'REVIEW.md'],
    // Files the agent does not look at. A pull request must not decide about that either.
    '.cursorignore',
  ],
  'trusted-by-tools': [
    // Git, and who reviews.
    ...['.gitmodules', '.gitattributes', '.lfsconfig', 'CODEOWNERS'],
    // Git hooks.
    ...['.husky/**', '.pre-commit-config.yaml', '.lintstagedrc*', 'lint-staged.config.*'],
    ...['lefthook*.y*ml', '.lefthook*'],
    // CI systems.
    ...['.github/**', '.gitlab/**', '.gitlab-ci*', '.gitea/**', '.forgejo/**'],
    ...['.circleci/**', '.buildkite/**', '.woodpecker*', '.drone.yml', '.travis.yml'],
    ...['appveyor.yml', '.appveyor.yml', 'bitbucket-pipelines.yml', 'azure-pipelines*.y*ml', 'Jenkinsfile'],
    // Package managers: where packages come from, and what runs when they are installed.
    ...['.npmrc', '.pnpmrc', '.pnpmfile.*', '.yarnrc*', '.yarn/releases/**'],
    ...['.yarn/plugins/**', 'bunfig.toml', 'pip.conf', '.cargo/config*'],
    ...['.mvn/*.config', '.mvn/*.xml', '.mvn/*.properties'],
    // Tools that run what these say, also in other repositories.
    ...['.mise*', 'mise.toml', 'mise.*.toml', 'mise/config*.toml', '.config/mise*', 'action.y*ml'],
    // What GitHub shows to users who open an issue or a pull request.
    ...['ISSUE_TEMPLATE*', 'PULL_REQUEST_TEMPLATE*'],
    // Secrets and credentials.
    ...['.env*', '.netrc', '.pypirc', '.git-credentials', '.ssh/**', '.docker/config.json'],
    // Editors and their containers run tasks from these. Other agents follow the last ones.
    ...['.devcontainer*', '.vscode/**', '*.code-workspace', '.idea/**', '.zed/**'],
    ...['.gemini/**', '.windsurf/**', '.windsurfrules', '.clinerules*'],
  ],
};

const SET_ASIDE = [...STEERING.configuration, ...STEERING.rules];

/** What wider patterns of the table cover: `.cursor/**` and `.env*`, for example. */
const COVERED = [...AGENT_SETTINGS, '.envrc'];

/** Patterns for everything that may not be written. */
export const NOT_WRITABLE: readonly string[] = [
  ...[...SET_ASIDE, ...STEERING['trusted-by-tools']].filter((pattern) => !COVERED.includes(pattern)),
  ...[...IN_DOT_FOLDERS.configuration, ...IN_DOT_FOLDERS.rules].map((pattern) => `.*/${pattern}`),
].map((pattern) => `**/${pattern}`);

/** One spelling per name, because some file systems treat several spellings as the same name. */
const fold = (text: string): string => (/[^ -~]/.test(text) ? foldHard(text) : text.toLowerCase());

/** Made when the first path is judged, because most runs judge none. */
let forbidden: ((path: string) => boolean)[] | undefined;

/** Whether only a person may write a file, because it steers an agent or because tools trust it. */
export function isNeverWritable(path: string): boolean {
  const folded = fold(path);
  forbidden ??= NOT_WRITABLE.map((pattern) => denyPatternTest(fold(pattern)));
  return forbidden.some((test) => test(folded));
}

/** Whether a pattern means a folder and everything in it. */
const isWhole = (pattern: string): boolean => pattern.endsWith('/**');
const folderOf = (pattern: string): string => pattern.slice(0, -'/**'.length);

const IS_CONFIGURATION = anyOf(STEERING.configuration);
const IS_RULES = anyOf(STEERING.rules);
const IN_DOT_FOLDER = { configuration: inDotFolder('configuration'), rules: inDotFolder('rules') };

/** Here `*` matches slashes too, because skills and agents can be in folders of their own. */
function inDotFolder(kind: ConfigKind): RegExp {
  const sources = IN_DOT_FOLDERS[kind].map((pattern) =>
    fold(pattern).replaceAll('.', '\\.').replaceAll('*', '.*'),
  );
  return new RegExp(`(?:^|/)\\.[^/]+/(?:${sources.join('|')})$`, 's');
}

/** What a path does to the CLI, judged by its name alone. */
export function classify(path: string): ConfigKind | undefined {
  const folded = fold(path);
  if (IS_CONFIGURATION.test(folded)) return 'configuration';
  if (IS_RULES.test(folded)) return 'rules';
  if (!folded.includes('.') || folded.split('/').some((name) => NOT_OF_AGENTS.has(name))) return undefined;
  if (IN_DOT_FOLDER.configuration.test(folded)) return 'configuration';
  return IN_DOT_FOLDER.rules.test(folded) ? 'rules' : undefined;
}

/** The first names of what configures an agent in a dot folder. */
const MARKS = new RegExp(
  `^(?:${[...IN_DOT_FOLDERS.configuration, ...IN_DOT_FOLDERS.rules]
    .map((pattern) => fold(pattern.replace(/\/.*/, '')).replaceAll('.', '\\.').replaceAll('*', '.*'))
    .join('|')})$`,
  's',
);
const BELOW_MARK = /(?:^|\/)\.[^/]+\/(?:skills|agents|commands|rules)(?:\/|$)/;

/** Whether a link at this path can lead to what steers an agent. `names` are those in the folder that it leads to. */
export function mayLinkToSteering(path: string, names: readonly string[]): boolean {
  const folded = fold(path).split('/');
  if (folded.some((name) => NOT_OF_AGENTS.has(name))) return false;
  if (BELOW_MARK.test(folded.join('/'))) return true;
  return folded.at(-1)?.startsWith('.') === true && names.some((name) => MARKS.test(fold(name)));
}

/** Here `*` does not match slashes, so everything that is set aside is also not writable. */
function anyOf(patterns: readonly string[]): RegExp {
  const sources = patterns.map((pattern) => {
    const names = (text: string) => fold(text).replaceAll('.', '\\.').replaceAll('*', '[^/]*');
    return isWhole(pattern) ? `${names(folderOf(pattern))}(?:/|$)` : `${names(pattern)}$`;
  });
  return new RegExp(`(?:^|/)(?:${sources.join('|')})`);
}

/** The first name of each pattern. A path that contains none of them is not in the table. */
const HEADS = SET_ASIDE.map((pattern) => fold(pattern.replace(/\/.*/, '')));
const NAMES = new Set(HEADS.filter((head) => !head.includes('*')));
const BEGINNINGS = [
  ...new Set(HEADS.filter((head) => head.includes('*')).map((head) => head.replace(/\*.*/, ''))),
];
/** How every name in the table begins, in all its spellings, as bytes. Most names need no closer look. */
export const BEGINS_LIKE_STEERING = new RegExp(
  `^[${[...new Set(HEADS.map((head) => head.charAt(0)))].join('')}\\x80-\\xff]`,
  'i',
);
const FOLDERS = new Set([...AGENT_FOLDERS, CLIDO_FOLDER].map(fold));

/** A cheap first check of one name: whether `classify` can recognise it, or something below it. */
export function mayMatter(name: string): boolean {
  const folded = fold(name);
  if (folded.startsWith('.') && !NOT_OF_AGENTS.has(folded)) return true;
  return NAMES.has(folded) || BEGINNINGS.some((beginning) => folded.startsWith(beginning));
}

/** Whether everything in a folder of this name steers the agent. */
export const isSteeringFolder = (name: string): boolean => FOLDERS.has(fold(name));

/** The steering folder that a path is or is in, then each path below that folder, down to this one. */
export function steeringFolders(path: string): string[] {
  const names = path.split('/');
  const top = names.findIndex(isSteeringFolder);
  return top < 0 ? [] : names.slice(top).map((_, at) => names.slice(0, top + at + 1).join('/'));
}
