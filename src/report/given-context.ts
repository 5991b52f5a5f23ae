/** What the items of a gathered text are. */
export const contextUnit = (kind: string): string => UNITS[kind] ?? 'changed file';

const UNITS: Readonly<Record<string, string>> = {
  'ci-logs': 'failed job',
  'earlier-review': 'finding',
  thread: 'comment',
  issue: 'issue',
};
