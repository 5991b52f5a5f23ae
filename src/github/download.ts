import { unlessAborted } from '../core/abort.js';
import { followRedirect, showAddress } from '../core/address.js';

export interface Download {
  /** The address that redirected. */
  from: string;
  location: string;
  mostBytes: number;
  cancel: AbortSignal;
}

export interface Tail {
  text: string;
  /** Whether the beginning is missing. */
  isCut: boolean;
}

const DOWNLOAD_MS = 60_000;

/** Follows a redirect without any credential, and returns the end of the text there if it is long. */
export async function downloadTail(download: Download): Promise<Tail> {
  const { from, location, mostBytes, cancel } = download;
  const target = followRedirect(from, location);
  if ('problem' in target) throw new Error(target.problem);
  const { HttpClient } = await import('@actions/http-client');
  const client = new HttpClient('cursor-agent-action', [], {
    socketTimeout: DOWNLOAD_MS,
    allowRedirects: false,
  });
  const deadline = AbortSignal.any([cancel, AbortSignal.timeout(DOWNLOAD_MS)]);
  let stop = () => undefined;
  try {
    // Without this, a host that accepts a request and never answers would block.
    const { message } = await unlessAborted(deadline, client.get(target.url), () => new Error(STOPPED));
    stop = () => void message.destroy(new Error(STOPPED));
    deadline.addEventListener('abort', stop, { once: true });
    if (deadline.aborted) stop();
    if (message.statusCode !== 200) {
      message.resume();
      throw new Error(`${showAddress(target.url)} answered ${message.statusCode ?? 'nothing'}`);
    }
    return await readTail(message as AsyncIterable<Buffer>, mostBytes);
  } finally {
    deadline.removeEventListener('abort', stop);
    client.dispose();
  }
}

const STOPPED = 'it took too long, or was cancelled';

async function readTail(stream: AsyncIterable<Buffer>, most: number): Promise<Tail> {
  const chunks: Buffer[] = [];
  let [size, isCut] = [0, false];
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    for (let first = chunks[0]; first && size - first.length >= most; first = chunks[0]) {
      size -= first.length;
      chunks.shift();
      isCut = true;
    }
  }
  const text = Buffer.concat(chunks).toString('utf8');
  // The first line may be incomplete.
  return { text: isCut ? text.slice(text.indexOf('\n') + 1) : text, isCut };
}
