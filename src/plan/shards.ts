import type { ChangedFile } from './changed-file.js';
import { byPath } from './selection.js';

export interface ShardLimits {
  /** No more shards than this, whatever the other limits ask for. */
  maxShards: number;
  /** How many files and changed lines one shard should have at most, as long as maxShards allows it. */
  filesPerShard: number;
  linesPerShard: number;
}

/** Files that one run of the agent looks at, sorted by path. */
export type Shard = ChangedFile[];

/** Opening a file costs an agent something even if one line of it changed. */
const FILE_WEIGHT = 10;
/** Keeping folders together may make the heaviest shard this much heavier than it need be. */
const TOLERANCE = 1.15;
/** How much of a shard's fair part the pieces of a folder may weigh, tried from the largest. */
const PIECE_SIZES = [1, 1 / 2, 1 / 4, 1 / 8];

export const weightOf = (files: readonly ChangedFile[]): number =>
  files.reduce((sum, { lines }) => sum + lines + FILE_WEIGHT, 0);

/**
 * Shares files out: every one into exactly one shard, shards about equally heavy, files of one folder together
 * where that costs little. The heaviest pieces are placed first, each into the lightest shard with room for it.
 */
export function shareOut(files: readonly ChangedFile[], limits: ShardLimits): Shard[] {
  if (files.length === 0) return [];
  const count = shardCount(files, limits);
  const capacity = Math.max(limits.filesPerShard, Math.ceil(files.length / count));
  const room = { count, capacity };
  const singles = place(
    files.map((file) => [file]),
    room,
  );
  const fairPart = weightOf(files) / count;
  const most = heaviest(singles ?? []) * TOLERANCE;
  const together = PIECE_SIZES.map((size) => place(folderPieces(files, fairPart * size, capacity), room));
  const shards = together.find((found) => found !== undefined && heaviest(found) <= most) ?? singles ?? [];
  return shards
    .filter((shard) => shard.length > 0)
    .map((shard) => [...shard].sort(byPath))
    .sort(([a = NOWHERE], [b = NOWHERE]) => byPath(a, b));
}

const NOWHERE = { path: '' };

function shardCount(
  files: readonly ChangedFile[],
  { maxShards, filesPerShard, linesPerShard }: ShardLimits,
): number {
  const lines = files.reduce((sum, file) => sum + file.lines, 0);
  const wanted = Math.max(Math.ceil(files.length / filesPerShard), Math.ceil(lines / linesPerShard), 1);
  return Math.min(wanted, maxShards, files.length);
}

/** Each folder's files, cut into pieces that are neither heavier nor longer than said. */
function folderPieces(files: readonly ChangedFile[], mostWeight: number, mostFiles: number): ChangedFile[][] {
  const pieces: ChangedFile[][] = [];
  let folder: string | undefined;
  let piece: ChangedFile[] = [];
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

export const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0));

const byFolder = (a: ChangedFile, b: ChangedFile): number =>
  byPath({ path: folderOf(a.path) }, { path: folderOf(b.path) }) || byPath(a, b);

interface Room {
  count: number;
  capacity: number;
}

/** Nothing if a piece fits nowhere any more, which single files never suffer: there is room for all of them. */
function place(pieces: readonly ChangedFile[][], { count, capacity }: Room): Shard[] | undefined {
  const shards = Array.from({ length: count }, () => ({ files: [] as ChangedFile[], weight: 0 }));
  const heaviestFirst = pieces
    .map((files) => ({ files, weight: weightOf(files), path: files[0]?.path ?? '' }))
    .sort((a, b) => b.weight - a.weight || byPath(a, b));
  for (const { files, weight } of heaviestFirst) {
    const open = shards.filter((shard) => shard.files.length + files.length <= capacity);
    const lightest = open.reduce<(typeof open)[number] | undefined>(
      (best, shard) => (best === undefined || shard.weight < best.weight ? shard : best),
      undefined,
    );
    if (!lightest) return undefined;
    lightest.files.push(...files);
    lightest.weight += weight;
  }
  return shards.map(({ files }) => files);
}

const heaviest = (shards: readonly Shard[]): number => Math.max(...shards.map(weightOf), 0);
