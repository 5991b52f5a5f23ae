import { closeSync, fstatSync, lstatSync, mkdirSync, opendirSync, openSync, writeSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { attempt } from '../core/errors.js';
import { fromText } from '../git/paths.js';
import { readFully, withFile } from './layer/file-tree.js';

/** Far more than a chat has. Sparse files count with their whole length, because a copy has all of it. */
export const MAX_CHAT_BYTES = 128 * 1024 * 1024;
export const MAX_CHAT_ENTRIES = 2000;
const MAX_CHAT_DEPTH = 16;

const NOT_WHOLE =
  'The agent left more than chats where it keeps them. When it was started again, links, special files and what exceeds ' +
  `${MAX_CHAT_BYTES / 1024 / 1024} MB or ${MAX_CHAT_ENTRIES} files were not kept.`;

interface ChatMove {
  /** The folder of the run. What is below it can be a link that the agent made. */
  root: string;
  /** The agent's earlier home, and the one for its next start. */
  from: string;
  to: string;
  /** The folders with chats, by their path in a home. */
  folders: readonly string[];
}

/**
 * Copies the agent's chats into its next home, so that it can continue one. Copies only files and folders: a link could
 * lead to something that is not for the agent, so none is followed, neither to the chats nor in them, and none is copied.
 * Returns a note if something was left out.
 */
export function keepChats({ root, from, to, folders }: ChatMove): string[] {
  const left: Left = { bytes: MAX_CHAT_BYTES, entries: MAX_CHAT_ENTRIES, isWhole: true };
  for (const folder of folders) {
    const [source, target] = [join(from, folder), join(to, folder)];
    const state = wayTo(root, source);
    if (state === 'link' || wayTo(root, target) === 'link') left.isWhole = false;
    else if (state === 'folder') copyFolder({ source, target, depth: 0 }, left);
  }
  return left.isWhole ? [] : [NOT_WHOLE];
}

interface Left {
  bytes: number;
  entries: number;
  isWhole: boolean;
}

/** Whether a path leads to a folder without a link on the way. */
function wayTo(root: string, path: string): 'folder' | 'absent' | 'link' {
  let at = root;
  for (const name of relative(root, path).split(sep)) {
    at = join(at, name);
    const stat = attempt(() => lstatSync(at));
    if (!stat) return 'absent';
    if (!stat.isDirectory()) return 'link';
  }
  return 'folder';
}

/** Reads names one by one, because a folder can have millions. What cannot be read or copied is left out. */
function copyFolder(place: { source: string; target: string; depth: number }, left: Left): void {
  const { source, target, depth } = place;
  const folder = attempt(() => {
    mkdirSync(target, { recursive: true, mode: 0o700 });
    return opendirSync(source);
  });
  if (!folder || depth > MAX_CHAT_DEPTH) {
    left.isWhole = false;
    folder?.closeSync();
    return;
  }
  try {
    for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
      if (left.entries === 0) {
        left.isWhole = false;
        return;
      }
      left.entries -= 1;
      const inner = { source: join(source, entry.name), target: join(target, entry.name), depth: depth + 1 };
      const isFolder = attempt(() => lstatSync(inner.source).isDirectory()) === true;
      if (isFolder) copyFolder(inner, left);
      else if (attempt(() => copyFile(inner, left)) !== true) left.isWhole = false;
    }
  } finally {
    folder.closeSync();
  }
}

const CHUNK_BYTES = 1024 * 1024;

/** Whether it was copied. It is looked at after it was opened, so that it cannot be replaced in between. */
const copyFile = ({ source, target }: { source: string; target: string }, left: Left): boolean =>
  withFile(fromText(source), 'ask', (from) => {
    const stat = fstatSync(from);
    if (!stat.isFile() || stat.size > left.bytes) return false;
    left.bytes -= stat.size;
    const to = openSync(target, 'wx', stat.mode & 0o700);
    try {
      // Not more than was counted, even if it grows meanwhile.
      for (let at = 0, read = 1; read > 0 && at < stat.size; at += read) {
        const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, stat.size - at));
        read = readFully(from, chunk);
        writeSync(to, chunk, 0, read, at);
      }
      return true;
    } finally {
      closeSync(to);
    }
  });
