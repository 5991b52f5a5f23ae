/**
 * Turns a transcript back into the stream it was written from: a transcript wraps lines that are no JSON object, and
 * here they are unwrapped. A recorded stream stays as it is.
 */
export function readRecording(bytes: Buffer): Buffer {
  const text = bytes.toString('utf8');
  if (!text.includes('"unparsed"')) return bytes;
  return Buffer.from(text.split('\n').map(unwrapped).join('\n'));
}

function unwrapped(line: string): string {
  if (!line.startsWith('{"type":"unparsed"')) return line;
  try {
    const record: unknown = JSON.parse(line);
    return isWrapped(record) ? record.text : line;
  } catch {
    return line;
  }
}

const isWrapped = (record: unknown): record is { text: string } =>
  typeof record === 'object' &&
  record !== null &&
  Object.keys(record).join() === 'type,line,text' &&
  'text' in record &&
  typeof record.text === 'string';
