import { ArchiveProblem } from './archive-entry.js';
import { BLOCK, parseHeader, parseRecords, type TarHeader } from './tar-header.js';

/** What an archive asks to have made. */
export type TarEntry =
  | { kind: 'folder'; name: string }
  | { kind: 'file'; name: string; isExecutable: boolean; bytes: number; content: AsyncIterable<Buffer> }
  | { kind: 'link'; name: string; target: string }
  | { kind: 'hard-link'; name: string; target: string };

/** A long name is at most a few kilobytes. */
const MOST_HEADER_BYTES = 1024 * 1024;

/**
 * The entries of a tar archive, in order: ustar, GNU and pax. A file's content is to be read before the next
 * entry is asked for; what is left of it is skipped.
 */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = readBytes(chunks);
  let long = new Map<string, string>();
  for (;;) {
    const block = await bytes.exactly(BLOCK);
    const header = parseHeader(block);
    if (!header) break;
    const own = await readExtension(header, bytes);
    if (own) {
      long = new Map([...long, ...own]);
      continue;
    }
    const size = Number(long.get('size') ?? header.size);
    if (!Number.isSafeInteger(size) || size < 0) throw new ArchiveProblem('an entry has no valid size');
    const name = long.get('path') ?? header.name;
    const target = long.get('linkpath') ?? header.linkTarget;
    long = new Map();
    const content = bytes.pieces(size);
    yield toEntry({ ...header, name, size, linkTarget: target }, content);
    for await (const _ of content);
    await bytes.exactly(padding(size));
  }
  // To the very end, because the checksum of the compression stands there.
  await bytes.drain();
}

/** Headers that speak about the next entry, or about all of them. */
async function readExtension(
  { type, size }: TarHeader,
  bytes: ByteReader,
): Promise<Map<string, string> | undefined> {
  if (!['x', 'g', 'L', 'K'].includes(type)) return undefined;
  if (size > MOST_HEADER_BYTES) throw new ArchiveProblem('an extended header is too large');
  const data = await bytes.exactly(size);
  await bytes.exactly(padding(size));
  const text = data.toString('utf8').replace(/\0.*$/s, '');
  switch (type) {
    case 'L':
      return new Map([['path', text]]);
    case 'K':
      return new Map([['linkpath', text]]);
    case 'x':
      return parseRecords(data);
    default:
      // Global ones hold comments and dates in practice; a name for every entry would make no sense.
      return new Map();
  }
}

function toEntry(header: TarHeader, content: AsyncIterable<Buffer>): TarEntry {
  const { type, name, mode, size, linkTarget } = header;
  switch (type) {
    case '0':
    case '\0':
    case '7':
      // Before there was a type for folders, a slash at the end said so.
      if (name.endsWith('/')) return { kind: 'folder', name };
      return { kind: 'file', name, isExecutable: (mode & 0o111) !== 0, bytes: size, content };
    case '1':
      return { kind: 'hard-link', name, target: linkTarget };
    case '2':
      return { kind: 'link', name, target: linkTarget };
    case '5':
      return { kind: 'folder', name };
    default:
      throw new ArchiveProblem(`the entry ${JSON.stringify(name)} is neither a file, a folder nor a link`);
  }
}

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

interface ByteReader {
  exactly(length: number): Promise<Buffer>;
  /** So many bytes, in whatever pieces they come. */
  pieces(length: number): AsyncGenerator<Buffer>;
  drain(): Promise<void>;
}

function readBytes(chunks: AsyncIterable<Buffer>): ByteReader {
  const source = chunks[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const some = async (most: number): Promise<Buffer> => {
    while (rest.length === 0) {
      const next = await source.next();
      if (next.done) throw new ArchiveProblem('it ends in the middle');
      rest = next.value;
    }
    const piece = rest.subarray(0, most);
    rest = rest.subarray(piece.length);
    return piece;
  };
  return {
    async exactly(length) {
      const parts: Buffer[] = [];
      for (let missing = length; missing > 0; missing -= parts.at(-1)?.length ?? 0) {
        parts.push(await some(missing));
      }
      return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    },
    async *pieces(length) {
      for (let missing = length; missing > 0;) {
        const piece = await some(missing);
        missing -= piece.length;
        yield piece;
      }
    },
    async drain() {
      while (!(await source.next()).done);
    },
  };
}
