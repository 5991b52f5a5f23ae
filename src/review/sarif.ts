import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { SEVERITIES, type CheckedFinding, type Review, type Severity, hasPlace } from '../report/findings.js';
import { nameInvisible, truncate } from '../text/plain-text.js';
import { suggestedText } from './suggested-text.js';

/** GitHub takes 25,000 results a run and keeps 5,000 of them; what it would drop is not sent. */
const MOST_RESULTS = 5000;
/** GitHub takes 10 MB, compressed. */
const MOST_GZIP_BYTES = 10_000_000;
const MESSAGE_CHARACTERS = 1000;
const FIX_CHARACTERS = 10_000;

const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};

/** The text of a finding's lines, where it can be had. */
export type LinesOf = (path: string, range: { startLine: number; endLine: number }) => string | undefined;

/**
 * A review as SARIF 2.1.0, for code scanning. A review without findings is a run without results, so that alerts of
 * an earlier one are closed. Findings whose place does not exist are left out.
 */
export function buildSarif(review: Review, linesOf: LinesOf): { text: string; notes: string[] } {
  const placed = review.findings.filter(hasPlace);
  const lost = review.findings.length - placed.length;
  const fingerprints = fingerprintsOf(placed, linesOf);
  const results = placed.map((finding, index) => resultOf(finding, fingerprints[index] ?? ''));
  const { text, kept } = fitting(results);
  const left = results.length - kept;
  return {
    text,
    notes: [
      ...(lost > 0
        ? [
            `${lost} of ${review.findings.length} findings point at no line of the checkout; sarif-file leaves them out.`,
          ]
        : []),
      ...(left > 0 ? [`sarif-file has the worst ${kept} findings; ${left} more are in the report.`] : []),
    ],
  };
}

/** The worst come first, so what does not fit is cut from the end. */
function fitting(results: readonly object[]): { text: string; kept: number } {
  for (let kept = Math.min(results.length, MOST_RESULTS); ; kept = Math.floor(kept / 2)) {
    const text = `${JSON.stringify(logOf(results.slice(0, kept)), undefined, 1)}\n`;
    // Text never grows by being compressed, so only a large one is worth trying.
    if (kept === 0 || text.length < MOST_GZIP_BYTES / 4 || gzipSync(text).length <= MOST_GZIP_BYTES)
      return { text, kept };
  }
}

const logOf = (results: readonly object[]): object => ({
  $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      tool: { driver: { name: 'Cursor Agent Action', rules: SEVERITIES.map(ruleOf) } },
      invocations: [{ executionSuccessful: true }],
      originalUriBaseIds: { '%SRCROOT%': { description: { text: 'The top of the repository.' } } },
      columnKind: 'utf16CodeUnits',
      results,
    },
  ],
});

/** A model has no fixed rules; what stays the same from run to run is how bad it finds something. */
const ruleOf = (severity: Severity): object => ({
  id: ruleId(severity),
  name: `${severity[0]?.toUpperCase() ?? ''}${severity.slice(1)}Finding`,
  shortDescription: { text: `Finding of an AI review, severity ${severity}` },
  fullDescription: {
    text: `A language model reviewed the code and found this to be of severity ${severity}. It may be wrong: judge for yourself.`,
  },
  help: { text: 'Read the message, look at the lines, and fix them or dismiss the alert.' },
  defaultConfiguration: { level: LEVELS[severity] },
  properties: { tags: ['ai-review', severity] },
});

const ruleId = (severity: Severity): string => `ai-review/${severity}`;

function resultOf(finding: CheckedFinding, fingerprint: string): object {
  const { path, startLine, endLine, severity } = finding;
  const suggestion = suggestedText(finding.suggestion);
  const artifactLocation = { uri: encodePath(path), uriBaseId: '%SRCROOT%' };
  const region = { startLine, endLine };
  return {
    ruleId: ruleId(severity),
    ruleIndex: SEVERITIES.indexOf(severity),
    level: LEVELS[severity],
    message: { text: messageOf(finding) },
    locations: [{ physicalLocation: { artifactLocation, region } }],
    partialFingerprints: { primaryLocationLineHash: fingerprint },
    ...(suggestion === undefined || suggestion.length > FIX_CHARACTERS
      ? {}
      : {
          fixes: [
            {
              description: { text: 'What the reviewer suggests instead.' },
              artifactChanges: [
                {
                  artifactLocation,
                  replacements: [{ deletedRegion: region, insertedContent: { text: suggestion } }],
                },
              ],
            },
          ],
        }),
  };
}

/** Each part by itself: a slash stays, whatever would mean something in a URI does not, nor does half a character. */
export const encodePath = (path: string): string =>
  Buffer.from(path).toString().split('/').map(encodeURIComponent).join('/');

/** The first sentence is what GitHub shows in lists. */
function messageOf({ title, body, count }: CheckedFinding): string {
  const heading = nameInvisible(title.trim().replace(/\s+/g, ' '));
  const sentence = /[.!?]$/.test(heading) ? heading : `${heading}.`;
  const times = count > 1 ? ` (said ${count} times)` : '';
  return truncate(
    plainMessage(`${sentence}${times} ${nameInvisible(body.trim())}`.trim()),
    MESSAGE_CHARACTERS,
  );
}

/** SARIF gives `[text](target)` and `{0}` a meaning in messages; a model's text must not have it. */
const plainMessage = (text: string): string =>
  text.replace(/\[(?=[^[\]]{0,500}\]\()/g, '\\[').replace(/\{(\d+)\}/g, '{{$1}}');

/**
 * What makes an alert the same one in the next run: the text of the lines, blanks aside, and which one of those on
 * such lines it is. Neither their numbers, which shift, nor the words, which a model chooses anew each time.
 */
function fingerprintsOf(findings: readonly CheckedFinding[], linesOf: LinesOf): string[] {
  const seen = new Map<string, number>();
  return findings.map((finding) => {
    const text = linesOf(finding.path, finding)?.replace(/\s+/g, '') || finding.title;
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const key = JSON.stringify([finding.path, finding.severity, hash]);
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    return `${hash}:${nth}`;
  });
}
