import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brokenLinksText, isMarkdown, newBrokenLinks, type LinkTree } from '../documents/links.js';
import { readDocuments, readSmall } from '../documents/read-documents.js';
import { toBytes, type BytePath } from '../git/paths.js';
import type { CommandResult } from '../report/model.js';
import { isPlainPath } from '../text/paths.js';

/** What the check is called among the commands of the verification. */
const NAME = 'Links of the changed documents';

/** A longer document is not read: its links are not checked, and none to its headings. */
const MAX_BYTES = 512 * 1024;

interface LinkCheck {
  /** The top of the repository. */
  root: string;
  /** What the change leaves, by its path; undefined for a file that it removes. */
  left: ReadonlyMap<string, BytePath | undefined>;
}

/** Checks the links of changed Markdown, and those that lead there. Only what the change breaks counts. Undefined if there is none. */
export function checkLinks({ root, left }: LinkCheck): CommandResult | undefined {
  const changed = [...left.keys()];
  if (!changed.some(isMarkdown)) return undefined;
  const startedAt = performance.now();
  const before = treeAt(root);
  const after: LinkTree = {
    textOf: (path) => {
      const file = left.get(path);
      return left.has(path) ? file && readSmall(toBytes(file), MAX_BYTES) : before.textOf(path);
    },
    has: (path) =>
      left.has(path)
        ? left.get(path) !== undefined
        : before.has(path) ||
          changed.some((file) => left.get(file) !== undefined && file.startsWith(`${path}/`)),
  };
  const names = changed.map((path) => basename(path));
  const others = (readDocuments(root) ?? [])
    .filter(({ path, text }) => isMarkdown(path) && names.some((name) => text.includes(name)))
    .map(({ path }) => path);
  const broken = newBrokenLinks({ changed, others }, before, after);
  return {
    command: NAME,
    exit: { kind: 'exited', code: broken.length === 0 ? 0 : 1 },
    durationMs: performance.now() - startedAt,
    output: brokenLinksText(broken).slice(0, MAX_OUTPUT),
  };
}

const MAX_OUTPUT = 8000;

const treeAt = (root: string): LinkTree => ({
  textOf: (path) => (isPlainPath(path) ? readSmall(join(root, path), MAX_BYTES) : undefined),
  has: (path) => path === '' || (isPlainPath(path) && existsSync(join(root, path))),
});
