import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fromText, joinBytes, type BytePath } from '../git/byte-path.js';
import type { Violation } from './changes.js';
import { entryAt, readFully, withFile } from './file-tree.js';
import type { LayerPlan } from './layer-plan.js';

/** Writes the files of a plan below a folder. */
export function plantFiles({ files }: LayerPlan, folder: string): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Those of the planted files that are not what was planted any more. */
export function findTampering({ files }: LayerPlan, written: BytePath): Violation[] {
  return [...files]
    .filter(([path, content]) => !holds(joinBytes(written, fromText(path)), content))
    .map(([path]) => ({ path, reason: 'the action put it there, and the agent changed or removed it' }));
}

function holds(path: BytePath, content: Buffer): boolean {
  const entry = entryAt(path);
  if (entry.kind !== 'file' || entry.bytes !== content.length) return false;
  const found = Buffer.alloc(content.length);
  return (
    withFile(path, 'force', (file) => readFully(file, found)) === content.length && found.equals(content)
  );
}
