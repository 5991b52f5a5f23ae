import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { ReportSchema, type ReportFile } from '../../src/report/model.js';

/**
 * The report in a file's text. Throws if the schema does not accept it, and also if the file has a field that the
 * schema does not know: parsing drops such a field, so that the result differs from the file.
 */
export function readStrictly(text: string): ReportFile {
  const data: unknown = JSON.parse(text);
  const report = ReportSchema.parse(data);
  if (!isDeepStrictEqual(plain(report), plain(data)))
    throw new Error(`The report has fields that its schema does not know: ${text.slice(0, 20_000)}`);
  return report;
}

export const readStrictFile = (path: string): ReportFile => readStrictly(readFileSync(path, 'utf8'));

/** Without prototypes, and without `__proto__`, which the schema never takes over from the names of a stream. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, part: unknown) => (name === '__proto__' ? undefined : part));
