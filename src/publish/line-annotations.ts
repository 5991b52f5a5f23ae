import { FAILURES } from '../core/failure.js';
import { type Severity, isPlainPath } from '../report/findings.js';
import type { Finding } from '../report/model.js';
import { logLine, splitIntoLines, truncate } from '../text/plain-text.js';
import { plural } from '../text/format.js';
import { failureOf, type Publication } from './publication.js';
import type { Shard } from '../report/read-reports.js';

interface LineAnnotation {
  level: 'error' | 'warning' | 'notice';
  title: string;
  text: string;
  place?: { file: string; startLine: number; endLine: number };
}

/** GitHub shows ten annotations per level and step, and cuts each after 4,096 characters. */
export const MOST_OF_A_LEVEL = 10;
const MOST_CHARACTERS = 3500;
export const LEVELS: Readonly<Record<Severity, LineAnnotation['level']>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'notice',
  info: 'notice',
};

/** Annotations for failed runs and the most severe findings. */
export function lineAnnotations({ shards, missing, findings }: Publication): LineAnnotation[] {
  const gap = `${plural(missing, 'report is', 'reports are')} missing.`;
  const all = [
    ...shards.flatMap(failed),
    ...(missing > 0 ? [note('error', 'Cursor Agent', gap)] : []),
    ...findings.map(found),
  ];
  const room = { error: MOST_OF_A_LEVEL, warning: MOST_OF_A_LEVEL, notice: MOST_OF_A_LEVEL };
  return all.filter(({ level }) => {
    room[level] -= 1;
    return room[level] >= 0;
  });
}

/** A text without characters that could change how it is shown. */
export const safeLines = (text: string): string =>
  splitIntoLines(text.trim())
    .map((line) => logLine(line))
    .join('\n');

/** The description of a finding, or its title if it has none. */
export const describe = ({ title, body }: Pick<Finding, 'title' | 'body'>): string =>
  body.trim() === '' ? title : body;

const note = (level: LineAnnotation['level'], title: string, text: string): LineAnnotation => ({
  level,
  title: logLine(title, 200),
  text: truncate(safeLines(text), MOST_CHARACTERS),
});

function failed(shard: Shard): LineAnnotation[] {
  if (shard.kind === 'silent') return [note('error', `Cursor Agent: no report of ${shard.name}`, shard.why)];
  const failure = failureOf(shard.run);
  if (!failure) return [];
  const { what, remedy } = FAILURES[failure.reason];
  return [note('error', `Cursor Agent: ${failure.reason}`, [what, failure.detail, remedy].join('\n'))];
}

function found({ path, startLine, endLine, severity, title, body }: Finding): LineAnnotation {
  const isNamed = isPlainPath(path);
  const where = isNamed ? '' : `${path}:${startLine}\n`;
  return {
    ...note(LEVELS[severity], `${severity}: ${title}`, `${where}${describe({ title, body })}`),
    ...(isNamed ? { place: { file: path, startLine, endLine } } : {}),
  };
}
