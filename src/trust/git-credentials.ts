import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { attempt } from '../core/errors.js';
import { followDotGit } from '../git/repository.js';

interface GitCredential {
  file: string;
  setting: string;
  secrets: string[];
}

const MAX_BYTES = 1024 * 1024;
const MAX_INCLUDES = 20;

/** Returns undefined if the file is missing, not a regular file, or too large for a configuration. */
const readSmallFile = (path: string): string | undefined =>
  attempt(() => {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= MAX_BYTES ? readFileSync(path, 'utf8') : undefined;
  });

/**
 * Finds credentials that a checkout step left for git: in the configuration of each repository from the working
 * directory up to the workspace, and in the files that it includes. It only reads files and does not run git.
 */
export function findGitCredentials(
  places: { workspace: string; directory: string },
  home: string,
): GitCredential[] {
  const configs = foldersBetween(places.directory, places.workspace).flatMap((folder) =>
    configFiles(join(folder, '.git')),
  );
  const seen = new Set<string>();
  const found: GitCredential[] = [];
  const look = (file: string) => {
    const text = seen.has(file) || seen.size > MAX_INCLUDES ? undefined : readSmallFile(file);
    if (text === undefined) return;
    seen.add(file);
    for (const entry of parseConfig(text)) {
      const credential = credentialIn(entry);
      if (credential) found.push({ file, ...credential });
      if (/^include(if)?$/i.test(entry.section) && entry.key === 'path')
        look(included(entry.value, file, home));
    }
  };
  configs.forEach(look);
  return found;
}

/** A warning about the credentials, with the line that removes them. */
export function describeGitCredentials(
  found: readonly GitCredential[],
  workspace: string,
): string | undefined {
  if (found.length === 0) return undefined;
  const places = found.map(({ file, setting }) => {
    const below = relative(workspace, file);
    return `${setting} in ${below.startsWith('..') || isAbsolute(below) ? file : below}`;
  });
  return (
    `The checkout contains a git credential (${[...new Set(places)].join('; ')}) that commands of the agent can read. ` +
    'Add to the actions/checkout step: with: { persist-credentials: false }'
  );
}

function foldersBetween(inner: string, outer: string): string[] {
  const folders = [inner];
  for (let at = inner; at !== outer && at.startsWith(outer + sep);) {
    at = dirname(at);
    folders.push(at);
  }
  return folders;
}

/** `.git` is a folder, or a file that names one (worktrees, submodules). Worktrees share a configuration. */
function configFiles(dotGit: string): string[] {
  const found = followDotGit(dotGit, readSmallFile);
  const folders = found ? [...new Set([found.gitFolder, found.commonFolder])] : [];
  return folders.flatMap((place) => [join(place, 'config'), join(place, 'config.worktree')]);
}

const included = (path: string, from: string, home: string): string =>
  resolve(dirname(from), path.startsWith('~/') ? join(home, path.slice(2)) : path);

interface ConfigEntry {
  section: string;
  subsection: string;
  key: string;
  value: string;
}

/** Parses sections and settings of a git configuration, as far as needed to find credentials. */
function parseConfig(text: string): ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  let [section, subsection] = ['', ''];
  for (const line of text.replace(/\\\r?\n/g, '').split(/\r?\n/)) {
    const header = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line);
    if (header) [section, subsection] = [(header[1] ?? '').toLowerCase(), header[2] ?? ''];
    const setting = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*)$/.exec(header ? (header[3] ?? '') : line);
    if (setting) {
      const value = (setting[2] ?? '').trim().replace(/^"(.*)"$/, '$1');
      entries.push({ section, subsection, key: (setting[1] ?? '').toLowerCase(), value });
    }
  }
  return entries;
}

function credentialIn({
  section,
  subsection,
  key,
  value,
}: ConfigEntry): { setting: string; secrets: string[] } | undefined {
  const where = subsection === '' ? section : `${section}.${withoutPassword(subsection)}`;
  if (section === 'http' && key === 'extraheader' && /authorization\s*:/i.test(value))
    return { setting: `${where}.extraheader`, secrets: headerSecrets(value) };
  if (section === 'remote' && (key === 'url' || key === 'pushurl') && passwordsOf(value).length > 0)
    return { setting: `${where}.${key}`, secrets: passwordsOf(value) };
  if (section === 'url' && passwordsOf(subsection).length > 0)
    return { setting: `${where}.${key}`, secrets: passwordsOf(subsection) };
  if (section === 'credential' && key === 'helper' && /^!|\bstore\b/.test(value))
    return { setting: `${where}.helper`, secrets: [] };
  if (section === 'core' && key === 'sshcommand' && /\s-i\s/.test(value))
    return { setting: 'core.sshCommand', secrets: [] };
  return undefined;
}

/** `AUTHORIZATION: basic <base64 of user:token>`, or a bearer token: the encoded value and the token in it. */
function headerSecrets(header: string): string[] {
  const word = header.trim().split(/\s+/).at(-1) ?? '';
  const decoded = Buffer.from(word, 'base64').toString('utf8');
  const token = /^[\x20-\x7e]+:([\x21-\x7e]+)$/.exec(decoded)?.[1];
  return [word, ...(token === undefined ? [] : [token])];
}

function passwordsOf(address: string): string[] {
  const user = /^[a-z][a-z0-9+.-]*:\/\/([^/@\s]+)@/i.exec(address)?.[1];
  if (user === undefined || !/^https?:/i.test(address)) return [];
  const [name = '', password] = user.split(':', 2);
  return [password ?? name].filter((secret) => secret !== '' && secret !== 'git');
}

const withoutPassword = (address: string): string => address.replace(/\/\/[^/@]*@/, '//***@');
