import { foldHard } from '../text/path-fold.js';
import { wildcard } from './wildcard.js';

/** What a file is to the CLI: something that configures it or runs code in it, or text that it obeys. */
export type ConfigKind = 'configuration' | 'rules';

/** Folders of agents that share their rules: the CLI reads those of the others too. */
const AGENT_FOLDERS = ['.cursor', '.claude', '.agents', '.codex'];
/** A folder of which nothing is left to the agent. */
const CLIDO_FOLDER = '.clido';

/**
 * The files that steer an agent, or the tools that run before and after it. None of them may be written. The
 * first two kinds are also set aside before the agent starts; the third stays, because the build needs it.
 *
 * The patterns are those of permission tokens and hold in every folder. In a token `*` stands for slashes too,
 * so it is `AGENTS.*.md` rather than `AGENTS*.md`, which would also forbid `agents/guide.md`.
 */
const STEERING: Readonly<Record<ConfigKind | 'trusted-by-tools', readonly string[]>> = {
  configuration: [
    // Hooks, MCP servers, permissions, sandbox, and whatever comes next; a plugin can hold all of these.
    ...AGENT_FOLDERS.flatMap((folder) =>
      ['*.json', '*.toml', 'hooks/**', 'plugins/**'].map((rest) => `${folder}/${rest}`),
    ),
    `${CLIDO_FOLDER}/**`,
    '.mcp.json',
    // direnv runs it.
    '.envrc',
  ],
  rules: [
    // Rules, skills, agents and commands.
    ...AGENT_FOLDERS.map((folder) => `${folder}/**`),
    ...['AGENTS', 'CLAUDE', 'GEMINI'].flatMap((name) => [`${name}.md`, `${name}.*.md`]),
    '.cursorrules',
    // What the agent does not look at. Of these, too, a pull request must not bring its own.
    '.cursorignore',
    '.cursorindexingignore',
  ],
  'trusted-by-tools': [
    // Git, and those who review.
    ...['.gitmodules', '.gitattributes', '.lfsconfig', 'CODEOWNERS'],
    // Hooks of git.
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
    // Secrets, and who is trusted with them.
    ...['.env*', '.netrc', '.pypirc', '.git-credentials', '.ssh/**', '.docker/config.json'],
    // Editors and their containers run tasks from these; other agents obey the last ones.
    ...['.devcontainer*', '.vscode/**', '*.code-workspace', '.idea/**', '.zed/**'],
    ...['.gemini/**', '.windsurf/**', '.windsurfrules', '.clinerules*'],
  ],
};

const SET_ASIDE = [...STEERING.configuration, ...STEERING.rules];

/** The patterns of everything that may not be written; one that another covers needs no rule of its own. */
export const NOT_WRITABLE: readonly string[] = [...SET_ASIDE, ...STEERING['trusted-by-tools']]
  .map((pattern) => `**/${pattern}`)
  .filter((pattern, _, all) => !all.some((other) => other !== pattern && wildcard(other)(pattern)));

/** Names as the guard compares them: some file systems take other spellings for the same name. */
const fold = (text: string): string => (/[^ -~]/.test(text) ? foldHard(text) : text.toLowerCase());

/** Whether a pattern is for a folder with all that is in it. */
const isWhole = (pattern: string): boolean => pattern.endsWith('/**');
const folderOf = (pattern: string): string => pattern.slice(0, -'/**'.length);

const IS_CONFIGURATION = anyOf(STEERING.configuration);
const IS_RULES = anyOf(STEERING.rules);

/** Tells what a path is to the CLI, by its name alone. */
export function classify(path: string): ConfigKind | undefined {
  const folded = fold(path);
  if (IS_CONFIGURATION.test(folded)) return 'configuration';
  return IS_RULES.test(folded) ? 'rules' : undefined;
}

/** Here `*` stays within a name, so what is set aside is never more than what may not be written. */
function anyOf(patterns: readonly string[]): RegExp {
  const sources = patterns.map((pattern) => {
    const names = (text: string) => fold(text).replaceAll('.', '\\.').replaceAll('*', '[^/]*');
    return isWhole(pattern) ? `${names(folderOf(pattern))}(?:/|$)` : `${names(pattern)}$`;
  });
  return new RegExp(`(?:^|/)(?:${sources.join('|')})`);
}

/** The first name of each pattern: a path without any of these is not in the table. */
const HEADS = SET_ASIDE.map((pattern) => fold(pattern.replace(/\/.*/, '')));
const NAMES = new Set(HEADS.filter((head) => !head.includes('*')));
const BEGINNINGS = [
  ...new Set(HEADS.filter((head) => head.includes('*')).map((head) => head.replace(/\*.*/, ''))),
];
const FOLDERS = new Set([...AGENT_FOLDERS, CLIDO_FOLDER].map(fold));

/** A cheap first look at one name: whether it, or what is below it, can be anything to `classify`. */
export function mayMatter(name: string): boolean {
  const folded = fold(name);
  return NAMES.has(folded) || BEGINNINGS.some((beginning) => folded.startsWith(beginning));
}

/** Whether everything in a folder of this name steers the agent. */
export const isSteeringFolder = (name: string): boolean => FOLDERS.has(fold(name));

/** The steering folder a path is in or stands for, then each path below it down to this one. */
export function steeringFolders(path: string): string[] {
  const names = path.split('/');
  const top = names.findIndex(isSteeringFolder);
  return top < 0 ? [] : names.slice(top).map((_, at) => names.slice(0, top + at + 1).join('/'));
}
