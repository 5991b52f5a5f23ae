import { REDACTED, type Redact, type Redaction } from './redact.js';

/** A private key in PEM has at most this many lines. */
const MOST_KEY_LINES = 300;
const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const KEY_LINE = /^[\sA-Za-z0-9+/=:,.-]*$/;

/** Line after line: also a private key that is written over many lines is taken out as a whole. */
export function cleanLines({ redactLine }: Pick<Redaction, 'redactLine'>): Redact {
  let left = 0;
  return (line) => {
    const isInside = left > 0 && KEY_LINE.test(line);
    left = isInside ? left - 1 : 0;
    if (!line.includes('PRIVATE KEY')) return isInside ? REDACTED : redactLine(line);
    if (KEY_ENDS.test(line)) left = 0;
    else if (KEY_BEGINS.test(line) && !line.trimStart().startsWith('{')) left = MOST_KEY_LINES;
    return isInside ? REDACTED : redactLine(line);
  };
}
