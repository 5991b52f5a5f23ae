import { open } from 'node:fs/promises';
import { checkZipDirectory, END_SEARCH_BYTES, findDirectory, readEntries } from './zip-directory.js';

/**
 * Unpacks a zip into an empty folder with the system's own program, after every name in it was checked: the
 * names the directory at its end gives, and those before each file, which must be the same.
 */
export async function unpackZip(archive: string, folder: string): Promise<void> {
  await checkZip(archive);
  const { extractZip } = await import('@actions/tool-cache');
  await extractZip(archive, folder);
}

export async function checkZip(archive: string): Promise<void> {
  const file = await open(archive, 'r');
  const read = async (at: number, length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  };
  try {
    const { size } = await file.stat();
    const tail = Math.min(size, END_SEARCH_BYTES);
    const directory = findDirectory(await read(size - tail, tail), size);
    const entries = readEntries(await read(directory.offset, directory.bytes), directory.count);
    checkZipDirectory(
      await Promise.all(
        entries.map(async (entry) => ({ entry, local: await read(entry.offset, 30 + entry.rawName.length) })),
      ),
    );
  } finally {
    await file.close();
  }
}
