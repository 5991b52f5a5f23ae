import { writePath } from '../git/path-line.js';
import { folderOf, weightOf, type Shard } from './shards.js';

/** One job of the matrix. Everything in it is text or a number, so that it means nothing to YAML or a shell. */
export interface MatrixEntry {
  /** From 1. */
  shard: number;
  total: number;
  /** What the shard is about, in letters that are harmless everywhere, for the name of a job. */
  name: string;
  /** The shard's files, one a line. */
  files: string;
}

/** GitHub takes 1 MB of outputs a job, counted in UTF-16; half of it is left to everything else. */
const MOST_CHARACTERS = 250_000;
const MOST_NAME = 50;

export type Matrix = { kind: 'fits'; json: string } | { kind: 'too-long'; characters: number };

export function writeMatrix(shards: readonly Shard[]): Matrix {
  const include = shards.map((files, index): MatrixEntry => ({
    shard: index + 1,
    total: shards.length,
    name: nameOf(files),
    files: files.map(({ path }) => writePath(path)).join('\n'),
  }));
  const json = JSON.stringify({ include });
  return json.length > MOST_CHARACTERS
    ? { kind: 'too-long', characters: json.length }
    : { kind: 'fits', json };
}

/** The folder with the most work in it, and whether there are others. */
function nameOf(files: Shard): string {
  const weights = new Map<string, Shard>();
  for (const file of files) {
    const folder = folderOf(file.path);
    weights.set(folder, [...(weights.get(folder) ?? []), file]);
  }
  const [first = ['', []], ...others] = [...weights].sort(([, a], [, b]) => weightOf(b) - weightOf(a));
  const folder = first[0] === '' ? 'top folder' : first[0].replace(/[^A-Za-z0-9._/-]/g, '-');
  const short = folder.length > MOST_NAME ? `...${folder.slice(-MOST_NAME)}` : folder;
  return others.length === 0 ? short : `${short} and ${others.length} more`;
}
