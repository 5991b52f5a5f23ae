import { writePath } from '../git/paths.js';
import { byPath } from '../text/paths.js';
import { ignoreFinder } from '../text/patterns.js';

/** A file of the change, as far as the plan needs it. */
export interface SizedFile {
  /** From the root of the repository, with forward slashes. */
  path: string;
  /** How much there is to read: lines added and removed, for a plan of jobs; 0 for a binary file. */
  size: number;
  binary: boolean;
}

/** Reads the output of `git diff --numstat -z -M`. For a moved file both names follow as separate records. */
export function readNumstat(text: string): SizedFile[] {
  const records = text.split('\0');
  const files: SizedFile[] = [];
  for (let index = 0; index < records.length; index += 1) {
    const parts = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(records[index] ?? '');
    if (!parts) continue;
    const [, added = '', removed = '', name = ''] = parts;
    const path = name === '' ? records[(index += 2)] : name;
    const binary = added === '-';
    if (path) files.push({ path, size: binary ? 0 : Number(added) + Number(removed), binary });
  }
  return files;
}

export interface Selection {
  files: SizedFile[];
  /** The files that were left out, with the reason. */
  skipped: { path: string; why: string }[];
}

/** The files that are worth a review, sorted by path. */
export function selectFiles(changed: readonly SizedFile[], excludes: readonly string[]): Selection {
  const excludedBy = ignoreFinder(excludes);
  const selection: Selection = { files: [], skipped: [] };
  for (const file of [...changed].sort(byPath)) {
    const pattern = excludedBy(file.path);
    if (pattern !== undefined) selection.skipped.push({ path: file.path, why: `matches ${pattern}` });
    else if (file.binary) selection.skipped.push({ path: file.path, why: 'is binary' });
    else selection.files.push(file);
  }
  return selection;
}

interface ShardLimits {
  /** Never more shards than this, even if the other limits would need more. */
  maxShards: number;
  /** How many files and how much to read a shard should have at most, if maxShards allows it. */
  filesPerShard: number;
  sizePerShard: number;
}

/** Files that one run of the agent looks at, sorted by path. */
export type Shard = SizedFile[];

/** The cost of opening a file, in changed lines. Of characters it is next to nothing, because a diff has its context. */
const FILE_WEIGHT = 10;
/** Keeping folders together may make the heaviest shard heavier by this factor. */
const TOLERANCE = 1.15;
/** The sizes of the pieces into which a folder is cut, as a fraction of an average shard. The largest is tried first. */
const PIECE_SIZES = [1, 1 / 2, 1 / 4, 1 / 8];

/** How much work files are. */
export const weightOf = (files: readonly SizedFile[]): number =>
  files.reduce((sum, { size }) => sum + size + FILE_WEIGHT, 0);

/**
 * Splits files into shards. Each file is in exactly one shard, the shards have about the same weight, and files of a
 * folder stay together if that costs little. The heaviest pieces are placed first, each into the lightest shard that
 * has room for it.
 */
export function splitIntoShards(files: readonly SizedFile[], limits: ShardLimits): Shard[] {
  if (files.length === 0) return [];
  const count = shardCount(files, limits);
  const capacity = Math.max(limits.filesPerShard, Math.ceil(files.length / count));
  const room = { count, capacity };
  const singles = place(
    files.map((file) => [file]),
    room,
  );
  const average = weightOf(files) / count;
  const most = heaviest(singles ?? []) * TOLERANCE;
  const together = PIECE_SIZES.map((size) => place(folderPieces(files, average * size, capacity), room));
  const shards = together.find((found) => found !== undefined && heaviest(found) <= most) ?? singles ?? [];
  return shards
    .filter((shard) => shard.length > 0)
    .map((shard) => [...shard].sort(byPath))
    .sort(([a = NOWHERE], [b = NOWHERE]) => byPath(a, b));
}

const NOWHERE = { path: '' };

function shardCount(
  files: readonly SizedFile[],
  { maxShards, filesPerShard, sizePerShard }: ShardLimits,
): number {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const wanted = Math.max(Math.ceil(files.length / filesPerShard), Math.ceil(size / sizePerShard), 1);
  return Math.min(wanted, maxShards, files.length);
}

/** The files of each folder, cut into pieces of at most this weight and this many files. */
function folderPieces(files: readonly SizedFile[], mostWeight: number, mostFiles: number): SizedFile[][] {
  const pieces: SizedFile[][] = [];
  let folder: string | undefined;
  let piece: SizedFile[] = [];
  for (const file of [...files].sort(byFolder)) {
    const isFull = piece.length >= mostFiles || weightOf([...piece, file]) > mostWeight;
    if (folderOf(file.path) !== folder || isFull) {
      piece = [];
      pieces.push(piece);
      folder = folderOf(file.path);
    }
    piece.push(file);
  }
  return pieces;
}

const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0));

const byFolder = (a: SizedFile, b: SizedFile): number =>
  byPath({ path: folderOf(a.path) }, { path: folderOf(b.path) }) || byPath(a, b);

interface Room {
  count: number;
  capacity: number;
}

/** Undefined if a piece fits nowhere. Single files always fit, because there is room for all of them. */
function place(pieces: readonly SizedFile[][], { count, capacity }: Room): Shard[] | undefined {
  const shards = Array.from({ length: count }, () => ({ files: [] as SizedFile[], weight: 0 }));
  const heaviestFirst = pieces
    .map((files) => ({ files, weight: weightOf(files), path: files[0]?.path ?? '' }))
    .sort((a, b) => b.weight - a.weight || byPath(a, b));
  for (const { files, weight } of heaviestFirst) {
    const open = shards.filter((shard) => shard.files.length + files.length <= capacity);
    const [lightest] = open.sort((a, b) => a.weight - b.weight);
    if (!lightest) return undefined;
    lightest.files.push(...files);
    lightest.weight += weight;
  }
  return shards.map(({ files }) => files);
}

const heaviest = (shards: readonly Shard[]): number => Math.max(...shards.map(weightOf), 0);

/** One job of the matrix. */
export interface MatrixEntry {
  /** From 1. */
  shard: number;
  total: number;
  /** For the name of the job. Contains only characters that are harmless in YAML and in a shell. */
  name: string;
  /** The files of the shard, one per line. */
  files: string;
}

/** GitHub allows 1 MB of outputs per job, in UTF-16. Half of it is left for other outputs. */
const MAX_CHARACTERS = 250_000;
const MAX_NAME = 50;

export type Matrix = { kind: 'fits'; json: string } | { kind: 'too-long'; characters: number };

export function writeMatrix(shards: readonly Shard[]): Matrix {
  const include = shards.map((files, index): MatrixEntry => ({
    shard: index + 1,
    total: shards.length,
    name: nameOf(files),
    files: files.map(({ path }) => writePath(path)).join('\n'),
  }));
  const json = JSON.stringify({ include });
  return json.length > MAX_CHARACTERS
    ? { kind: 'too-long', characters: json.length }
    : { kind: 'fits', json };
}

/** The folder with the most work, and how many other folders there are. */
function nameOf(files: Shard): string {
  const folders = new Map<string, Shard>();
  for (const file of files) {
    const folder = folderOf(file.path);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  const [[folder] = [''], ...others] = [...folders].sort(([, a], [, b]) => weightOf(b) - weightOf(a));
  const name = folder === '' ? 'top folder' : folder.replace(/[^A-Za-z0-9._/-]/g, '-');
  const short = name.length > MAX_NAME ? `...${name.slice(-MAX_NAME)}` : name;
  return others.length === 0 ? short : `${short} and ${others.length} more`;
}
