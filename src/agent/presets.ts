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

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  /** Read only: looks, and says what it sees. */
  review: preset({ allow: ['Read(**)'], deny: ['Shell(*)', 'Write(**)'], mode: 'ask', force: false }),
  /** Writes documentation; --force so that edits are applied. */
  docs: preset({
    allow: ['Read(**)', 'Write(docs/**)', 'Write(**/*.md)'],
    deny: ['Shell(*)'],
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
