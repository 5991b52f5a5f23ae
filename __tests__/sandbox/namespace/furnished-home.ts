import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CREDENTIAL, type Stand } from './stand.js';

/** Where programs and people keep credentials in a home folder. */
const SECRETS = [
  'secret.txt',
  '.netrc',
  '.ssh/id_ed25519',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.config/cursor/auth.json',
  '.config/gh/hosts.yml',
  // Beside folders of programs.
  '.cargo/credentials.toml',
  '.local/share/keyrings/login.keyring',
  '.local/share/tool/tool-secrets',
  '.local/secret',
  'bin/../.docker/config.json',
];

export interface FurnishedHome {
  /** Files with the credential, by what they are. */
  secrets: Record<string, string>;
  /** What a PATH of this home says; the home itself is on it. */
  path: string[];
  /** Runs every program on that PATH. Each says its name. */
  programs: string;
}

/** A home with secrets, and with programs that are on PATH and need files beside them. */
export function furnishHome({ userHome }: Pick<Stand, 'userHome'>): FurnishedHome {
  const at = (...names: string[]) => join(userHome, ...names);
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
  };
  const link = (target: string, path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  };
  for (const name of SECRETS) write(at(name), `${CREDENTIAL}\n`);
  write(at('.cargo', 'bin', 'cargo-tool'), '#!/bin/sh\necho cargo-tool\n', 0o755);
  write(at('bin', 'script'), '#!/bin/sh\necho script\n', 0o755);
  const needsLibrary = '#!/bin/sh\ncat "$(dirname "$(realpath "$0")")/../lib/part"\n';
  write(at('tools', 'venv', 'bin', 'tool'), needsLibrary, 0o755);
  write(at('tools', 'venv', 'lib', 'part'), 'tool\n');
  link(at('tools', 'venv', 'bin', 'tool'), at('.local', 'bin', 'tool'));
  // It lies directly in a folder that belongs to all programs, or in one of its own there.
  write(at('.local', 'share', 'single'), '#!/bin/sh\necho single\n', 0o755);
  link(at('.local', 'share', 'single'), at('.local', 'bin', 'single'));
  write(at('.local', 'share', 'own', 'own'), '#!/bin/sh\necho own\n', 0o755);
  link(at('.local', 'share', 'own', 'own'), at('.local', 'bin', 'own'));
  // Only a link to its folder is on PATH.
  write(at('real', 'bin', 'linked'), '#!/bin/sh\necho linked\n', 0o755);
  link(at('real', 'bin'), at('link-to-bin'));
  // No program, although it lies among them.
  link(at('.local', 'secret'), at('.local', 'bin', 'no-program'));
  return {
    secrets: Object.fromEntries(SECRETS.map((name) => [`~/${name}`, at(name)])),
    path: [at('.cargo', 'bin'), at('bin'), at('.local', 'bin'), at('link-to-bin'), userHome],
    programs: 'cargo-tool; script; tool; single; own; linked',
  };
}
