/** One file of a change, as far as sharing out the work needs it. */
export interface ChangedFile {
  /** From the root of the repository, with forward slashes. */
  path: string;
  /** Lines added and removed. Nothing is known of a binary file. */
  lines: number;
  binary: boolean;
}

/** Reads what `git diff --numstat -z --no-renames` prints. */
export function readNumstat(text: string): ChangedFile[] {
  return text.split('\0').flatMap((record) => {
    const parts = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(record);
    if (!parts) return [];
    const [, added = '', removed = '', path = ''] = parts;
    const binary = added === '-';
    return [{ path, lines: binary ? 0 : Number(added) + Number(removed), binary }];
  });
}
