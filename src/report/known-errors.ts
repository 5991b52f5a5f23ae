import type { FailureReason } from '../core/failure.js';

/** Texts of the CLI whose meaning is known, first match wins. Anything else is shown, not guessed at. */
const KNOWN_ERRORS: readonly { text: RegExp; reason: FailureReason }[] = [
  { text: /^The isolation could not be set up/m, reason: 'isolation-unavailable' },
  { text: /workspace trust required/i, reason: 'workspace-trust' },
  { text: /usage limit/i, reason: 'usage-limit' },
  { text: /resource_exhausted|rate.?limit|too many requests/i, reason: 'rate-limited' },
  {
    text: /cannot use this model|named models unavailable|free plans can only use auto/i,
    reason: 'model-unavailable',
  },
  // Before the key: without a network the CLI calls a good key invalid.
  {
    text: /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b|getaddrinfo|socket hang up|network error|fetch failed|\[(unavailable|deadline_exceeded)\]/i,
    reason: 'network',
  },
  { text: /authentication required|api key is invalid|\[unauthenticated\]|not logged in/i, reason: 'auth' },
  { text: /disabled the ['"]?run everything/i, reason: 'agent-error' },
  { text: /invalid project config/i, reason: 'agent-error' },
  { text: /RetriableError|ConnectError|connection (lost|closed|reset)/i, reason: 'network' },
];

/** The reason behind what the CLI wrote, where it is a known one. */
export function recogniseError(text: string): FailureReason | undefined {
  return KNOWN_ERRORS.find((known) => known.text.test(text))?.reason;
}
