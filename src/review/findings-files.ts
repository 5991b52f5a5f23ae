import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { ACTION_URL, ACTION_VERSION } from '../core/this-action.js';
import type { LineRange } from '../git/diff.js';
import { doesCount, SEVERITIES, type Severity } from '../report/findings.js';
import type { CheckedFinding, Review } from '../report/model.js';
import { safeMarkdown } from '../report/safe-markdown.js';
import { nameInvisible, truncate } from '../text/plain-text.js';
import { redactAll, type Redaction } from '../text/redact.js';
import { openCheckout } from './check-findings.js';

/** The files that code scanning and reviewdog read. `root` is the top of the repository. */
export function findingsFiles(
  review: Review,
  root: string,
  redaction?: Redaction,
): { sarif: string; rdjson: string; notes: string[] } {
  const { text, notes } = buildSarif(review, openCheckout(root).lines);
  const rdjson = buildRdjson(review, redaction);
  return { sarif: redactJson(text, redaction), rdjson: redactJson(rdjson, redaction), notes };
}

/** Removes secrets from a finished file, one text at a time, so that it stays valid JSON. */
const redactJson = (text: string, redaction: Redaction | undefined): string =>
  redaction
    ? `${JSON.stringify(redactAll<unknown>(JSON.parse(text), redaction.redact), undefined, 1)}\n`
    : text;

/** GitHub accepts 25,000 results per run but keeps only 5,000, so no more are written. */
const MAX_RESULTS = 5000;
/** GitHub accepts 10 MB, compressed. */
const MAX_GZIP_BYTES = 10_000_000;
const SARIF_CHARACTERS = 1000;
const FIX_CHARACTERS = 10_000;

const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};

/** The text of a finding's lines, if it is available. */
type LinesOf = (path: string, range: LineRange) => string | undefined;

/**
 * A review as SARIF 2.1.0, for code scanning. A review without findings becomes a run without results, which closes
 * the alerts of earlier runs. Findings that are set aside are left out.
 */
export function buildSarif(review: Review, linesOf: LinesOf): { text: string; notes: string[] } {
  const placed = review.findings.filter(doesCount);
  const lost = review.findings.length - placed.length;
  const fingerprints = fingerprintsOf(placed, linesOf);
  const results = placed.map((finding, index) => resultOf(finding, fingerprints[index] ?? ''));
  const { text, kept } = fitting(results);
  const left = results.length - kept;
  return {
    text,
    notes: [
      ...(lost > 0
        ? [`${lost} of ${review.findings.length} findings are set aside; sarif-file leaves them out.`]
        : []),
      ...(left > 0 ? [`sarif-file has the worst ${kept} findings; ${left} more are in the report.`] : []),
    ],
  };
}

/** The worst findings come first, so that the end can be cut if not all fit. */
function fitting(results: readonly object[]): { text: string; kept: number } {
  for (let kept = Math.min(results.length, MAX_RESULTS); ; kept = Math.floor(kept / 2)) {
    const text = `${JSON.stringify(logOf(results.slice(0, kept)), undefined, 1)}\n`;
    // Compression does not make text longer, so only a large text has to be tried.
    if (kept === 0 || text.length < MAX_GZIP_BYTES / 4 || gzipSync(text).length <= MAX_GZIP_BYTES)
      return { text, kept };
  }
}

const logOf = (results: readonly object[]): object => ({
  $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'Cursor Agent Action',
          version: ACTION_VERSION,
          informationUri: ACTION_URL,
          rules: SEVERITIES.map(ruleOf),
        },
      },
      invocations: [{ executionSuccessful: true }],
      originalUriBaseIds: { '%SRCROOT%': { description: { text: 'The top of the repository.' } } },
      columnKind: 'utf16CodeUnits',
      results,
    },
  ],
});

/** A model has no fixed rules. What stays the same from run to run is the severity, so that is the rule. */
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

/** Lines that the change removed have no place in the files as they are now, so such a finding is about its file. */
const hasLinesNow = ({ place }: CheckedFinding): boolean => place !== 'removed' && place !== 'whole-file';

const ruleId = (severity: Severity): string => `ai-review/${severity}`;

function resultOf(finding: CheckedFinding, fingerprint: string): object {
  const { path, startLine, endLine, severity } = finding;
  const suggestion = suggestedText(finding.suggestion);
  const artifactLocation = { uri: encodePath(path), uriBaseId: '%SRCROOT%' };
  const region = hasLinesNow(finding) ? { startLine, endLine } : undefined;
  return {
    ruleId: ruleId(severity),
    ruleIndex: SEVERITIES.indexOf(severity),
    level: LEVELS[severity],
    message: { text: sarifMessage(finding) },
    locations: [{ physicalLocation: { artifactLocation, ...(region ? { region } : {}) } }],
    partialFingerprints: { primaryLocationLineHash: fingerprint },
    ...(!region || suggestion === undefined || suggestion.length > FIX_CHARACTERS
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

/** Encodes each part of a path for a URI. Half characters are replaced. */
export const encodePath = (path: string): string =>
  Buffer.from(path).toString().split('/').map(encodeURIComponent).join('/');

/** GitHub shows the first sentence in lists. */
function sarifMessage({ title, body, count }: CheckedFinding): string {
  const heading = nameInvisible(title.trim().replace(/\s+/g, ' '));
  const sentence = /[.!?]$/.test(heading) ? heading : `${heading}.`;
  const times = count > 1 ? ` (said ${count} times)` : '';
  return truncate(plainMessage(`${sentence}${times} ${nameInvisible(body.trim())}`.trim()), SARIF_CHARACTERS);
}

/** `[text](target)` and `{0}` have a meaning in SARIF messages, which a model's text must not use. */
const plainMessage = (text: string): string =>
  text.replace(/\[(?=[^[\]]{0,500}\]\()/g, '\\[').replace(/\{(\d+)\}/g, '{{$1}}');

/**
 * GitHub recognises an alert in the next run by its fingerprint: the text of its lines without blanks, and its number
 * among the findings on such lines. Line numbers shift, and a model chooses its words anew each time, so neither is
 * used.
 */
function fingerprintsOf(findings: readonly CheckedFinding[], linesOf: LinesOf): string[] {
  const seen = new Map<string, number>();
  return findings.map((finding) => {
    const text =
      (hasLinesNow(finding) ? linesOf(finding.path, finding) : undefined)?.replace(/\s+/g, '') ||
      finding.title;
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const key = JSON.stringify([finding.path, finding.severity, hash]);
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    return `${hash}:${nth}`;
  });
}

const RDJSON_CHARACTERS = 10_000;

const RDJSON_LEVELS = { error: 'ERROR', warning: 'WARNING', note: 'INFO' } as const;

/**
 * A review in reviewdog's format (rdjson). reviewdog puts messages into comments as Markdown, so they are made safe
 * here. A range without columns means whole lines, including the last.
 */
function buildRdjson({ findings }: Review, redaction: Redaction | undefined): string {
  const diagnostics = findings.filter(doesCount).map((finding) => diagnosticOf(finding, redaction));
  return `${JSON.stringify({ source: { name: 'Cursor Agent Action' }, diagnostics }, undefined, 1)}\n`;
}

function diagnosticOf(finding: CheckedFinding, redaction: Redaction | undefined): object {
  const { path, startLine, endLine, severity, title, body } = finding;
  const suggestion = suggestedText(finding.suggestion);
  const range = { start: { line: startLine }, end: { line: endLine } };
  const message = `${title.trim().replace(/\s+/g, ' ')}\n\n${body.trim()}`;
  return {
    message: safeMarkdown(truncate(message, RDJSON_CHARACTERS), RDJSON_CHARACTERS, redaction),
    location: { path, ...(hasLinesNow(finding) ? { range } : {}) },
    severity: RDJSON_LEVELS[LEVELS[severity]],
    code: { value: severity },
    ...(suggestion === undefined ? {} : { suggestions: [{ range, text: suggestion }] }),
  };
}

/**
 * A suggestion as text that can replace whole lines, without the last line break. Nothing if it contains invisible
 * characters, because a user could accept it with one click.
 */
function suggestedText(suggestion: string | undefined): string | undefined {
  const text = suggestion?.replace(/\r\n/g, '\n').replace(/\n$/, '');
  return text === undefined || nameInvisible(text) !== text ? undefined : text;
}
