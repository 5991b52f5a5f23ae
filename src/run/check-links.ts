import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brokenLinksText, isMarkdown, newBrokenLinks, type LinkTree } from '../documents/links.js';
import { readDocuments, readSmall } from '../documents/read-documents.js';
import { toBytes, type BytePath } from '../git/paths.js';
import type { CommandResult } from '../report/model.js';
import { isPlainPath } from '../text/paths.js';

/** What the check is called among the commands of the verification. */
const NAME = 'Links of the changed documents';

/** A longer document is not read, so neither its links nor links to its headings are checked. */
const MAX_BYTES = 512 * 1024;

interface LinkCheck {
  /** The top of the repository. */
  root: string;
  /** For each path of the change, the file with its new content; undefined if the change removes it. */
  filesAfter: ReadonlyMap<string, BytePath | undefined>;
}

/**
 * Checks the links in changed Markdown, and the links of other documents to changed files. Only those count that the change
 * breaks. Undefined if it changes no Markdown.
 */
export function checkLinks({ root, filesAfter }: LinkCheck): CommandResult | undefined {
  const changed = [...filesAfter.keys()];
  if (!changed.some(isMarkdown)) return undefined;
  const startedAt = performance.now();
  const before = treeAt(root);
  const after: LinkTree = {
    textOf: (path) => {
      const file = filesAfter.get(path);
      return filesAfter.has(path) ? file && readSmall(toBytes(file), MAX_BYTES) : before.textOf(path);
    },
    has: (path) =>
      filesAfter.has(path)
        ? filesAfter.get(path) !== undefined
        : before.has(path) ||
          changed.some((file) => filesAfter.get(file) !== undefined && file.startsWith(`${path}/`)),
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
