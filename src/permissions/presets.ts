import { parsePermission, type Permission } from './permission-token.js';
import { NOT_WRITABLE } from './steering-files.js';

export type PresetName = 'review' | 'docs' | 'fix-ci' | 'custom';
export type Mode = 'agent' | 'ask' | 'plan';

export interface Preset {
  allow: readonly Permission[];
  deny: readonly Permission[];
  mode: Mode;
  /** With --force the CLI runs whatever is not denied; without it, only what is allowed. */
  force: boolean;
}

/** What no preset lets the agent do: git and GitHub, privilege, network, secrets, what steers it or other tools. */
const COMMON_DENY = [
  ...['git', 'gh', 'sudo', 'su', 'docker', 'ssh', 'curl', 'wget', 'nc', 'env', 'printenv'].map(
    (command) => `Shell(${command})`,
  ),
  ...['/proc/**', '/sys/**', '**/.git/**', '**/.env*'].map((pattern) => `Read(${pattern})`),
  ...['**/.git/**', ...NOT_WRITABLE].map((pattern) => `Write(${pattern})`),
  'WebFetch(*)',
  'Mcp(*:*)',
];

/** No `.mdx`, `.html` or `.svg`: these can hold scripts that run where the documentation is built or read. */
const DOCUMENTS = [
  ...['md', 'markdown'].map((type) => `Write(**/*.${type})`),
  ...['rst', 'txt', 'adoc', 'asciidoc', 'png', 'jpg', 'jpeg', 'gif', 'webp'].map(
    (type) => `Write(docs/**.${type})`,
  ),
];
/** Text by their names, but pip installs what they say and CMake runs it. */
const NO_DOCUMENTS = ['*requirements*.txt', '*constraints*.txt', 'CMakeLists.txt'].map(
  (name) => `Write(**/${name})`,
);

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  /** Read only: looks, and says what it sees. */
  review: preset({ allow: ['Read(**)'], deny: ['Shell(*)', 'Write(**)'], mode: 'ask', force: false }),
  /** Writes documentation and nothing that runs; --force so that edits are applied. */
  docs: preset({
    allow: ['Read(**)', ...DOCUMENTS],
    deny: ['Shell(*)', ...NO_DOCUMENTS],
    mode: 'agent',
    force: true,
  }),
  /** Writes sources and runs commands. */
  'fix-ci': preset({ allow: ['Read(**)', 'Write(**)', 'Shell(*)'], deny: [], mode: 'agent', force: true }),
  /** Only what the inputs allow; without --force, so that nothing else is. */
  custom: preset({ allow: [], deny: [], mode: 'agent', force: false }),
};

function preset(given: { allow: string[]; deny: string[]; mode: Mode; force: boolean }): Preset {
  return { ...given, allow: tokens(given.allow), deny: tokens([...given.deny, ...COMMON_DENY]) };
}

function tokens(texts: string[]): Permission[] {
  return texts.map((text) => {
    const result = parsePermission(text);
    if ('problem' in result) throw new Error(result.problem);
    return result.permission;
  });
}
