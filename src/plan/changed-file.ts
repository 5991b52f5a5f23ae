/** One file of a change, as far as sharing out the work needs it. */
export interface ChangedFile {
  /** From the root of the repository, with forward slashes. */
  path: string;
  /** Lines added and removed. Nothing is known of a binary file. */
  lines: number;
  binary: boolean;
}

/** Reads what `git diff --numstat -z -M` prints. Of a file that moved, both names follow as records of their own. */
export function readNumstat(text: string): ChangedFile[] {
  const records = text.split('\0');
  const files: ChangedFile[] = [];
  for (let index = 0; index < records.length; index += 1) {
    const parts = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(records[index] ?? '');
    if (!parts) continue;
    const [, added = '', removed = '', name = ''] = parts;
    const path = name === '' ? records[(index += 2)] : name;
    const binary = added === '-';
    if (path) files.push({ path, lines: binary ? 0 : Number(added) + Number(removed), binary });
  }
  return files;
}
