import { realpathSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { Script } from 'node:vm';
import { attempt } from '../core/errors.js';
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
  leftMs(): number;
}

/** Text can be written so that reading it as Markdown takes hours. */
const MAX_MS = 120_000;

/**
 * Checks the links in changed Markdown, and the links of other documents to changed files. Only those count that the change
 * breaks. Undefined if it changes no Markdown.
 */
export function checkLinks({ root, filesAfter, leftMs }: LinkCheck): CommandResult | undefined {
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
  const read = () => {
    const others = (readDocuments(root) ?? [])
      .filter(({ path, text }) => isMarkdown(path) && names.some((name) => text.includes(name)))
      .map(({ path }) => path);
    return newBrokenLinks({ changed, others }, before, after);
  };
  const broken = inTime(read, Math.max(1, Math.min(leftMs(), MAX_MS)));
  return {
    command: NAME,
    exit: broken ? { kind: 'exited', code: broken.length === 0 ? 0 : 1 } : { kind: 'ended', why: 'timeout' },
    durationMs: performance.now() - startedAt,
    output: broken ? brokenLinksText(broken).slice(0, MAX_OUTPUT) : TOO_SLOW,
  };
}

/** Ends work that nothing else could interrupt. Undefined if its time was over. */
function inTime<T>(work: () => T, timeout: number): T | undefined {
  try {
    return new Script('work()').runInNewContext({ work }, { timeout: Math.ceil(timeout) }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}

const MAX_OUTPUT = 8000;
const TOO_SLOW =
  'Reading the links took too long. Shorten the changed Markdown, or switch the check off with `verify: none`.';

function treeAt(root: string): LinkTree {
  const top = realpathSync(root);
  // A link of the repository can lead out of it.
  const real = (path: string): string | undefined => {
    const found = isPlainPath(path) ? attempt(() => realpathSync(join(top, path))) : undefined;
    return found?.startsWith(top + sep) === true ? found : undefined;
  };
  return {
    textOf: (path) => {
      const file = real(path);
      return file === undefined ? undefined : readSmall(file, MAX_BYTES);
    },
    has: (path) => path === '' || real(path) !== undefined,
  };
}
