/**
 * The stream that a transcript was written from. In a transcript a line that was no JSON object is kept inside of
 * one; here it becomes that line again. A recording that never was a transcript comes out as it is.
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
