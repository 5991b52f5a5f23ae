import { countSeverities, type Severity } from '../report/findings.js';
import { plural } from '../text/format.js';
import { isAtLeast, wentWell, type Publication } from './publication.js';
import type { Shard } from '../report/read-reports.js';

/**
 * Why the step fails with `fail-on-severity`, and what to do; undefined if it does not. It makes a review usable as a
 * required check, so a review that did not run fails as well. It does not matter where a finding is shown, or whether
 * it is shown at all: findings below `minimum-severity` count too.
 */
export function closedGate(publication: Publication, severity: Severity | undefined): string | undefined {
  if (severity === undefined) return undefined;
  const gaps = gapsIn(publication);
  const standing = publication.all.filter((finding) => isAtLeast(finding, severity));
  const texts = [
    standing.length === 0
      ? ''
      : `${plural(standing.length, 'finding is', 'findings are')} of severity ${severity} or above: ${countSeverities(standing)}. Fix them and run it again. If you disagree, dismiss them in the threads of the review (as: review), or raise fail-on-severity.`,
    gaps.length === 0
      ? ''
      : `There is no complete review: ${gaps.join('; ')}. fail-on-severity requires one. Look at the log of the agent step, fix what it names and run it again.`,
  ];
  const closed = texts.filter((text) => text !== '').join('\n');
  return closed === '' ? undefined : closed;
}

const MOST_NAMED = 5;

function gapsIn({ shards, missing }: Publication): string[] {
  const gaps = shards.flatMap(gapOf);
  return [
    ...gaps.slice(0, MOST_NAMED),
    ...(gaps.length > MOST_NAMED ? [`${plural(gaps.length - MOST_NAMED, 'more run')} without a review`] : []),
    ...(missing > 0 ? [`${plural(missing, 'expected report is', 'expected reports are')} missing`] : []),
  ];
}

function gapOf(shard: Shard): string[] {
  if (shard.kind === 'silent') return [`${shard.name} could not be read`];
  const { verdict, review } = shard.run;
  if (!wentWell(shard)) {
    const reason = verdict.status === 'failure' ? verdict.reason : '';
    return [`the run of ${shard.name} failed (${reason})`];
  }
  return review
    ? []
    : [`${shard.name} has no findings, because its step did not set output-schema: findings`];
}
