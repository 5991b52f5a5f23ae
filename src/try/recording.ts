/**
 * Turns a transcript back into the stream it was written from: a transcript wraps lines that are no JSON object, and
 * here they are unwrapped. A recorded stream stays as it is.
 */
export function readRecording(bytes: Buffer): Buffer {
  const text = bytes.toString('utf8');
  if (!text.includes('"unparsed"')) return bytes;
  return Buffer.from(text.split('\n').map(unwrapped).join('\n'));
}

/** Whether a file has anything of a stream in it: a line that is a JSON object with a type, as every dialect has it. */
export const isRecording = (bytes: Buffer): boolean =>
  bytes
    .toString('utf8')
    .split('\n')
    .some((line) => typeof parsed(line)?.['type'] === 'string');

function parsed(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function unwrapped(line: string): string {
  const record = line.startsWith('{"type":"unparsed"') ? parsed(line) : undefined;
  const isWrapped = record !== undefined && Object.keys(record).join() === 'type,line,text';
  return isWrapped && typeof record['text'] === 'string' ? record['text'] : line;
}
