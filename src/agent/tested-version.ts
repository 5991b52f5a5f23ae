/** The newest build of Cursor's CLI that this action was tested with. */
export const TESTED_CLI_VERSION = '2026.10.01-e373342';

/** The date in a build's name: `2026.10.01-e373342`, or `2026.10.01-14-30-05-e373342`. */
interface BuildDate {
  day: string;
  time: string | undefined;
}

interface Defect {
  /** The day of the first build without it. */
  repaired: string;
  text: string;
}

/** What is wrong with older builds, the worst first. */
const DEFECTS: readonly Defect[] = [
  {
    repaired: '2026.08.11',
    text:
      'It is not safe for code of others: when it calls git itself, it runs programs that the repository’s git ' +
      'configuration names (fsmonitor, hooks, attributes, external diff), whatever the permissions say.',
  },
  {
    repaired: '2026.09.28',
    text: 'It may silently run another model than `model` names, if one name is the beginning of the other.',
  },
];

/** A warning if the CLI is a build with known defects; nothing if it is not, or if its name does not say. */
export function olderCliWarning(cliVersion: string): string | undefined {
  const theirs = buildDate(cliVersion);
  const defects = DEFECTS.filter(({ repaired }) => theirs && theirs.day < repaired);
  if (defects.length === 0) return undefined;
  return [
    `The CLI (${cliVersion.trim()}) is too old.`,
    ...defects.map(({ text }) => text),
    `Remove \`cli-version\` or \`cli-path\` to get the tested build, ${TESTED_CLI_VERSION}.`,
  ].join(' ');
}

/** A notice if the CLI is newer than the tested one; nothing if it is not, or if its name does not say. */
export function newerCliNotice(cliVersion: string, tested = TESTED_CLI_VERSION): string | undefined {
  const [theirs, ours] = [buildDate(cliVersion), buildDate(tested)];
  if (!theirs || !ours || !isLater(theirs, ours)) return undefined;
  return (
    `The CLI (${cliVersion.trim()}) is newer than the newest one this action was tested with (${tested}). ` +
    'Output that this action does not know yet is listed as not recognised; ' +
    'set `cli-version` to the tested build if anything looks wrong.'
  );
}

function buildDate(version: string): BuildDate | undefined {
  const parts = /^(\d{4}\.\d{2}\.\d{2})(?:-(\d{2}-\d{2}-\d{2}))?-[0-9a-f]+$/.exec(version.trim());
  return parts?.[1] === undefined ? undefined : { day: parts[1], time: parts[2] };
}

/** Fixed-width numbers can be compared as text. Two builds of one day can be compared only if both have a time. */
function isLater(theirs: BuildDate, ours: BuildDate): boolean {
  if (theirs.day !== ours.day) return theirs.day > ours.day;
  return theirs.time !== undefined && ours.time !== undefined && theirs.time > ours.time;
}
