import { afterAll } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { permissions } from '../../../src/permissions/permission-token.js';
import { buildPolicy, type Policy } from '../../../src/permissions/policy.js';
import type { PresetName } from '../../../src/permissions/presets.js';
import { findGit } from '../../../src/git/private-git.js';

const made: string[] = [];
afterAll(removeScratch);

/** A folder that is removed when all tests of the file are done. */
export function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'layer-test-')));
  made.push(folder);
  return folder;
}

export function removeScratch(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export const GIT = findGit({ path: process.env['PATH'], untrusted: [] }) ?? 'git';

/** These repositories need not survive a loss of power, nor a year of use. */
const SHORT_LIVED = {
  GIT_CONFIG_COUNT: '2',
  ...{ GIT_CONFIG_KEY_0: 'core.fsync', GIT_CONFIG_VALUE_0: 'none' },
  ...{ GIT_CONFIG_KEY_1: 'maintenance.auto', GIT_CONFIG_VALUE_1: 'false' },
};

/** Ordinary git, as an agent or a workflow would use it, without a global configuration. */
export const git = (folder: string, ...args: string[]): string => runIn(folder, GIT, args);

function runIn(folder: string, program: string, args: readonly string[]): string {
  return execFileSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: dirname(folder),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      ...SHORT_LIVED,
      GIT_AUTHOR_NAME: 'Test',
      GIT_AUTHOR_EMAIL: 'test@example.com',
      GIT_COMMITTER_NAME: 'Test',
      GIT_COMMITTER_EMAIL: 'test@example.com',
    },
  });
}

export function put(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

export const USUAL_FILES = {
  'README.md': '# Readme\n',
  'docs/guide.md': 'one\ntwo\nthree\n',
  'src/main.ts': 'export const a = 1;\nexport const b = 2;\n',
  'src/tool.sh': '#!/bin/sh\n',
  '.gitignore': 'build/\n*.log\n',
};

/** A repository with one commit. Tests can put other things into the folder around it. */
export function scratchRepository(files: Readonly<Record<string, string | Buffer>> = USUAL_FILES): string {
  const root = join(scratchFolder(), 'repository');
  mkdirSync(root);
  put(root, files);
  // One shell for all of it: this process is large, so that starting another one takes longer than git does.
  runIn(root, 'sh', ['-ec', '"$0" init -q -b main; "$0" add -A; "$0" commit -q -m start', GIT]);
  return root;
}

export function policyOf(preset: PresetName, allow: string[] = [], deny: string[] = []): Policy {
  return buildPolicy({ preset, allow: permissions(...allow), deny: permissions(...deny) });
}

/** Everything below a folder: content or link, and the mode; by paths with one character per byte. */
export function picture(
  folder: string,
  { skip, folders = false }: PictureOptions = {},
): Record<string, string> {
  const seen: Record<string, string> = {};
  const look = (path: string) => {
    for (const name of readdirSync(Buffer.from(`${folder}/${path}`, 'latin1'), { encoding: 'latin1' })) {
      const below = path === '' ? name : `${path}/${name}`;
      if (skip?.(below) === true) continue;
      const bytes = Buffer.from(`${folder}/${below}`, 'latin1');
      const stat = lstatSync(bytes);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isDirectory()) {
        if (folders) seen[below] = `folder ${mode}`;
        look(below);
      } else if (stat.isSymbolicLink()) seen[below] = `link ${readlinkSync(bytes, 'latin1')}`;
      else seen[below] = stat.isFile() ? `${mode} ${readFileSync(bytes, 'base64')}` : `special ${mode}`;
    }
  };
  look('');
  return seen;
}

export interface PictureOptions {
  skip?: (path: string) => boolean;
  /** Include folders, although git does not store them. */
  folders?: boolean;
}

export const withoutGit: PictureOptions = { skip: (path) => path === '.git' };

export function copyOf(root: string): string {
  const copy = join(scratchFolder(), 'copy');
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  return copy;
}

/** An ordinary clone, to apply a patch to. */
export function cleanClone(root: string, ...config: string[]): string {
  const clone = join(scratchFolder(), 'clone');
  git(root, 'clone', '-q', ...config.flatMap((line) => ['-c', line]), root, clone);
  return clone;
}
