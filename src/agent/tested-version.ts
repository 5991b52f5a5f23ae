/** The newest build of Cursor's CLI that this action was tested with. */
export const TESTED_CLI_VERSION = '2026.10.01-e373342';

/** The date in a build's name: `2026.10.01-e373342`, or `2026.10.01-14-30-05-e373342`. */
interface BuildDate {
  day: string;
  time: string | undefined;
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
