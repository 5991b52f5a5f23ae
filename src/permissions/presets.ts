import { coversKind, permissions, type PermissionToken } from './permission-token.js';
import { NOT_WRITABLE } from './steering-files.js';

export type PresetName = 'review' | 'docs' | 'edit' | 'fix-ci' | 'custom';
export type Mode = 'agent' | 'ask' | 'plan';

interface Preset {
  allow: readonly PermissionToken[];
  deny: readonly PermissionToken[];
  mode: Mode;
  /**
   * With --force the CLI runs everything that is not denied, and without it it applies no edits. Without it, and without
   * its sandbox, it is meant to refuse commands that are not allowed. Others have seen it run them, so nothing else may
   * rely on that.
   */
  force: boolean | 'by-allow';
}

/** Denied by every preset: git and GitHub, privileges, network, secrets, and files that steer agents or tools. */
const COMMON_DENY = permissions(
  ...['git', 'gh', 'sudo', 'su', 'docker', 'ssh', 'curl', 'wget', 'nc', 'env', 'printenv'].map(
    (command) => `Shell(${command})`,
  ),
  ...['/proc/**', '/sys/**', '**/.git/**', '**/.env*'].map((pattern) => `Read(${pattern})`),
  ...['**/.git/**', ...NOT_WRITABLE].map((pattern) => `Write(${pattern})`),
  'WebFetch(*)',
  'Mcp(*:*)',
);

/** What every preset denies, without the rules against a whole kind. No message advises users to allow any of it. */
export const STAYS_DENIED: readonly PermissionToken[] = COMMON_DENY.filter(
  (rule) => !coversKind(rule, rule.kind),
);

/** Without `.mdx`, `.html` and `.svg`, because these can contain scripts that run when documentation is built or read. */
const DOCUMENTS = [
  ...['md', 'markdown'].map((type) => `Write(**/*.${type})`),
  ...['rst', 'txt', 'adoc', 'asciidoc', 'png', 'jpg', 'jpeg', 'gif', 'webp'].map(
    (type) => `Write(docs/**.${type})`,
  ),
];
/** These end in `.txt`, but pip installs what they list and CMake runs them. */
const NOT_DOCUMENTS = ['*requirements*.txt', '*constraints*.txt', 'CMakeLists.txt'].map(
  (name) => `Write(**/${name})`,
);

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  /** Reads, and reports. */
  review: preset({ allow: ['Read(**)'], deny: ['Shell(*)', 'Write(**)'], mode: 'ask', force: false }),
  /** Writes documentation and nothing that runs. */
  docs: preset({
    allow: ['Read(**)', ...DOCUMENTS],
    deny: ['Shell(*)', ...NOT_DOCUMENTS],
    mode: 'agent',
    force: true,
  }),
  /** Writes sources, and runs no commands. */
  edit: preset({ allow: ['Read(**)', 'Write(**)'], deny: ['Shell(*)'], mode: 'agent', force: true }),
  /** Writes sources and runs commands. */
  'fix-ci': preset({ allow: ['Read(**)', 'Write(**)', 'Shell(*)'], deny: [], mode: 'agent', force: true }),
  /** Only what the inputs allow. With --force if that is an edit or a command. */
  custom: preset({
    allow: [],
    deny: ['Read(**)', 'Shell(*)', 'Write(**)'],
    mode: 'agent',
    force: 'by-allow',
  }),
};

function preset(given: Pick<Preset, 'mode' | 'force'> & { allow: string[]; deny: string[] }): Preset {
  return {
    ...given,
    allow: permissions(...given.allow),
    deny: [...permissions(...given.deny), ...COMMON_DENY],
  };
}
