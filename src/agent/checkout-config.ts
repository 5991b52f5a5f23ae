import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What a file of the checkout is to the CLI: something that configures it or runs code, or something it obeys. */
export type ConfigKind = 'configuration' | 'rules';

export interface ConfigFile {
  /** Relative to the root, with forward slashes. */
  path: string;
  kind: ConfigKind;
}

/** Folders with nothing in them that the CLI looks for. */
const SKIPPED = new Set(['.git', 'node_modules']);
/** A checkout with more folders than this is looked at as far as that. */
const MOST_FOLDERS = 100_000;

/**
 * Tells what a path is to the CLI, by its name alone. Names are compared without regard to case, because some
 * file systems do so too.
 */
export function classify(path: string): ConfigKind | undefined {
  const name = path.toLowerCase();
  // Every JSON file directly in .cursor: hooks, MCP servers, permissions, sandbox, and whatever comes next.
  if (/(^|\/)\.cursor\/[^/]*\.json$/.test(name)) return 'configuration';
  if (/(^|\/)\.claude\/settings[^/]*\.json$/.test(name)) return 'configuration';
  if (/(^|\/)\.clido(\/|$)/.test(name)) return 'configuration';
  if (/(^|\/)(agents|claude)(\.[\w-]+)?\.md$/.test(name)) return 'rules';
  if (/(^|\/)\.cursorrules$/.test(name)) return 'rules';
  // Rules, commands, agents, skills: all of it is text the agent obeys.
  return /(^|\/)\.(cursor|claude)(\/|$)/.test(name) ? 'rules' : undefined;
}

/**
 * Every such file below the root. Links are never followed; a link in the place of a folder of configuration is
 * itself configuration, because the CLI would follow it.
 */
export function findConfig(root: string): { config: ConfigFile[]; gitEntries: string[] } {
  const found: ConfigFile[] = [];
  const gitEntries: string[] = [];
  const folders = [''];
  for (let looked = 0; folders.length > 0 && looked < MOST_FOLDERS; looked += 1) {
    const folder = folders.pop() ?? '';
    for (const entry of entriesOf(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name === '.git') gitEntries.push(path);
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) folders.push(path);
        continue;
      }
      const isLinkedFolder = entry.isSymbolicLink() && /^\.(cursor|claude)$/i.test(entry.name);
      const kind = isLinkedFolder ? 'configuration' : classify(path);
      if (kind) found.push({ path, kind });
    }
  }
  return { config: found.sort((a, b) => (a.path < b.path ? -1 : 1)), gitEntries };
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone, or not ours to read: then it is not the CLI's either.
    return [];
  }
}
