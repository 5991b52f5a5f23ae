import { type CheckedFinding, type Review, type Severity, hasPlace } from '../report/findings.js';
import { truncate } from '../text/plain-text.js';
import { suggestedText } from './suggested-text.js';

const MESSAGE_CHARACTERS = 10_000;

const SEVERITY_WORDS: Readonly<Record<Severity, 'ERROR' | 'WARNING' | 'INFO'>> = {
  critical: 'ERROR',
  high: 'ERROR',
  medium: 'WARNING',
  low: 'INFO',
  info: 'INFO',
};

/** Writes Markdown of unknown origin as Markdown in which nothing runs, loads or pings anyone. */
export type SafeMarkdown = (text: string, most: number) => string;

/**
 * A review in reviewdog's format (rdjson). reviewdog puts messages into comments as Markdown, so they are made safe
 * here. A range without columns is one of whole lines, the last included.
 */
export function buildRdjson({ findings }: Review, safeMarkdown: SafeMarkdown): string {
  const diagnostics = findings.filter(hasPlace).map((finding) => diagnosticOf(finding, safeMarkdown));
  return `${JSON.stringify({ source: { name: 'Cursor Agent Action' }, diagnostics }, undefined, 1)}\n`;
}

function diagnosticOf(finding: CheckedFinding, safeMarkdown: SafeMarkdown): object {
  const { path, startLine, endLine, severity, title, body } = finding;
  const suggestion = suggestedText(finding.suggestion);
  const range = { start: { line: startLine }, end: { line: endLine } };
  const message = `${title.trim().replace(/\s+/g, ' ')}\n\n${body.trim()}`;
  return {
    message: safeMarkdown(truncate(message, MESSAGE_CHARACTERS), MESSAGE_CHARACTERS),
    location: { path, range },
    severity: SEVERITY_WORDS[severity],
    code: { value: severity },
    ...(suggestion === undefined ? {} : { suggestions: [{ range, text: suggestion }] }),
  };
}
