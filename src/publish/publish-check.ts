import { digest } from '../github/marker.js';
import { SEVERITIES, type Finding, isPlainPath } from '../report/findings.js';
import { logLine, truncate } from '../text/plain-text.js';
import type { CheckAnnotation, CheckRun, CheckRunApi, CheckUpdate, Conclusion } from './check-run-api.js';
import { heading } from './layout.js';
import { safeLines } from './line-annotations.js';
import { wentWell, type Publication } from './publication.js';

/** The verdict of the reports, as a check run of a commit. */
export interface CheckTask {
  commit: string;
  /** The input `key`. Each has a check run of its own. */
  key: string;
  publication: Publication;
  /** Why `fail-on-severity` fails; undefined if it does not, or is not set. */
  closed: string | undefined;
  hasGate: boolean;
  /** The text of the summary, as Markdown. */
  summary: string;
}

export interface CheckResult {
  url: string;
  annotations: number;
  /** Findings without an annotation. They are in the summary as far as it has room. */
  left: number;
  isUnchanged: boolean;
}

/** GitHub takes 50 annotations per request. */
const AT_ONCE = 50;
/** Nobody reads more, and GitHub limits how much is written per minute. */
export const MOST_ANNOTATIONS = 500;
const MOST_TITLE = 255;
/** GitHub allows 64 KB. A character has up to four bytes. */
const MOST_MESSAGE = 15_000;
/** GitHub allows 65,535 characters. */
const MOST_SUMMARY = 65_000;

/**
 * Writes one check run. GitHub adds the annotations of an update to those that are there, so a check run is never
 * written over: one that says the same stays as it is, one that a killed run left unfinished is finished, and in all
 * other cases a new one replaces it, because GitHub shows the newest of a name.
 */
export async function publishCheck(api: CheckRunApi, task: CheckTask): Promise<CheckResult> {
  const { commit } = task;
  const name = checkName(task.key);
  const annotations = annotationsOf(task.publication);
  const left = task.publication.findings.length - annotations.length;
  const update = {
    title: truncate(heading(task.publication).replace(/^#+ /, ''), MOST_TITLE),
    summary: truncate(summaryOf(task), MOST_SUMMARY),
  };
  const conclusion = conclude(task);
  const externalId = `${digest('key', task.key)}-${digest('check', update.title, conclusion, annotations)}`;
  const newest = async () => {
    const [first] = await api.checkRuns(commit, name);
    return first?.externalId === externalId ? first : undefined;
  };
  const there = await newest();
  const done = { annotations: annotations.length, left };
  if (there?.isCompleted === true) return { url: there.url, ...done, isUnchanged: true };
  let check: CheckRun | undefined = there;
  for (let sent = there?.annotations ?? 0; ;) {
    const some = annotations.slice(sent, sent + AT_ONCE);
    sent += some.length;
    const isLast = sent >= annotations.length;
    const part: CheckUpdate = { ...update, annotations: some, ...(isLast ? { conclusion } : {}) };
    const find = async () => {
      const now = await newest();
      return now && now.annotations >= sent && now.isCompleted === isLast ? now : undefined;
    };
    check = check
      ? await api.updateCheckRun(check.id, part, find)
      : await api.createCheckRun({ commit, name, externalId }, part, find);
    if (isLast) return { url: check.url, ...done, isUnchanged: false };
  }
}

export const checkName = (key: string): string => `Cursor Agent${key === 'default' ? '' : ` (${key})`}`;

/** Without `fail-on-severity` nothing was asked to fail, so findings and failed runs are only shown. */
function conclude({ publication, closed, hasGate }: CheckTask): Conclusion {
  if (closed !== undefined) return 'failure';
  if (hasGate) return 'success';
  const { shards, missing, findings } = publication;
  return shards.every(wentWell) && missing === 0 && findings.length === 0 ? 'success' : 'neutral';
}

const summaryOf = ({ closed, summary }: CheckTask): string =>
  closed === undefined ? summary : `${closed}\n\n${summary}`;

const LEVELS = ['failure', 'failure', 'warning', 'notice', 'notice'] as const;

/** The most severe findings that have a place in the repository. */
function annotationsOf({ findings }: Publication): CheckAnnotation[] {
  return findings
    .filter(({ path }) => isPlainPath(path))
    .slice(0, MOST_ANNOTATIONS)
    .map(({ path, startLine, endLine, severity, title, body }: Finding) => ({
      path,
      start_line: startLine,
      end_line: endLine,
      annotation_level: LEVELS[SEVERITIES.indexOf(severity)] ?? 'notice',
      title: logLine(`${severity}: ${title}`, MOST_TITLE - 5),
      message: truncate(safeLines(body.trim() === '' ? title : body), MOST_MESSAGE),
    }));
}
