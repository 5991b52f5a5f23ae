import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openAddress, watchStall } from './http.js';
import type { InstallIo } from './install-io.js';
import { MOST_ARCHIVE_BYTES } from './plan.js';
import { trackProgress } from './progress.js';
import { Refused, withRetries } from './retry.js';

/** What arrived. */
export interface Downloaded {
  sha256: string;
  bytes: number;
}

/** Large, so that there are few writes. */
const BUFFER_BYTES = 4 * 1024 * 1024;

type DownloadIo = Pick<InstallIo, 'info' | 'sleep' | 'now' | 'stallMs'>;

/**
 * Streams a file to disk and hashes it on the way, with further tries where they may help. The client of
 * @actions/tool-cache is used, but not its `downloadTool`, which can neither hash nor be told how to wait.
 */
export async function download(
  { url, target, expectedBytes }: { url: string; target: string; expectedBytes?: number | undefined },
  io: DownloadIo,
): Promise<Downloaded> {
  try {
    return await withRetries(io, async () => {
      const message = await openAddress(url, io.stallMs);
      const arrived = await receive(message, { target, expectedBytes }, io);
      // Where the server names no length, a connection that was cut looks like the end.
      const isCut = message.headers['content-length'] === undefined && arrived.bytes < (expectedBytes ?? 0);
      if (isCut) throw new Error(`the connection ended after ${arrived.bytes} of ${expectedBytes} bytes`);
      return arrived;
    });
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

async function receive(
  message: IncomingMessage,
  { target, expectedBytes }: { target: string; expectedBytes?: number | undefined },
  io: DownloadIo,
): Promise<Downloaded> {
  const total = Number(message.headers['content-length'] ?? expectedBytes ?? 0) || undefined;
  const progress = trackProgress(total, io.now());
  const hash = createHash('sha256');
  const stall = watchStall(message, io.stallMs);
  let bytes = 0;
  try {
    const meter = new Transform({
      highWaterMark: BUFFER_BYTES,
      transform(chunk: Buffer, _, pass) {
        stall.sign();
        hash.update(chunk);
        bytes += chunk.length;
        const line = progress.line(bytes, io.now());
        if (line !== undefined) io.info(line);
        if (bytes > MOST_ARCHIVE_BYTES) pass(new Refused(`it is larger than ${MOST_ARCHIVE_BYTES} bytes`));
        else pass(null, chunk);
      },
    });
    await pipeline(message, meter, createWriteStream(target, { highWaterMark: BUFFER_BYTES }));
  } finally {
    stall.stop();
  }
  io.info(progress.done(bytes, io.now()));
  return { sha256: hash.digest('hex'), bytes };
}
