import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative } from 'node:path';

const USUAL: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  win32: ['C:\\Program Files\\Git\\cmd\\git.exe', 'C:\\Program Files\\Git\\bin\\git.exe'],
};
const USUAL_ELSEWHERE = ['/usr/bin/git', '/usr/local/bin/git', '/opt/homebrew/bin/git'];

export interface GitSearch {
  platform: NodeJS.Platform;
  /** The PATH variable. */
  path: string | undefined;
  /** Folders whose programs are not trusted: the workspace, temporary folders. */
  untrusted: readonly string[];
}

/**
 * The git to ask, found once before the agent runs: where systems keep it, else on PATH, but never in a folder
 * that a checkout or an earlier step can fill.
 */
export function findGit({ platform, path, untrusted }: GitSearch): string | undefined {
  const name = platform === 'win32' ? 'git.exe' : 'git';
  const onPath = (path ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
  return [...(USUAL[platform] ?? USUAL_ELSEWHERE), ...onPath].find((candidate) => {
    const real = realProgram(candidate);
    return real !== undefined && ![candidate, real].some((place) => untrusted.some(holds(place)));
  });
}

function realProgram(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    accessSync(real, constants.X_OK);
    return statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

const holds = (place: string) => (folder: string) => {
  const way = relative(realFolder(folder), place);
  return !way.startsWith('..') && !isAbsolute(way);
};

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
