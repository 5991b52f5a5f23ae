import { looksSecret } from '../agent/environment.js';
import { setSecret } from '../core/runner.js';
import type { GrowingRedaction } from '../text/redact.js';
import { MIN_SECRET } from '../text/redact-forms.js';
import { isSecretName, type Inputs, type RawInputs } from './inputs.js';

/** Tokens of our own process. They are redacted in case the agent gets hold of one. */
const OWN_TOKENS = [
  'ACTIONS_RUNTIME_TOKEN',
  'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'CURSOR_API_KEY',
  'CURSOR_AUTH_TOKEN',
];
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];

/** The names in `pass-env` that look like names of secrets. */
export const secretNames = (names: readonly string[]): string[] => names.filter(looksSecret);

/** What only a run with the same credential knows. clido has no key of its own; its provider's comes through pass-env. */
export const agentSecret = ({ apiKey, passEnv }: Inputs, env: NodeJS.ProcessEnv): string =>
  apiKey || passEnv.map((name) => env[name] ?? '').join('\n');

/** Every secret that is known from the start: inputs, variables that are passed on, and our own tokens. */
export function findSecrets(raw: RawInputs, env: NodeJS.ProcessEnv): string[] {
  const passed = raw['pass-env'].split(/[\r\n,]+/).map((name) => name.trim());
  const values = (names: readonly string[]) => names.map((name) => env[name] ?? '');
  // Redacting a value that is too short to be a secret would make many texts unreadable.
  const others = [
    ...values(secretNames(passed)),
    ...values(OWN_TOKENS),
    ...[...values(passed), ...values(PROXIES)].flatMap(passwordsIn),
  ].filter((value) => value.length >= MIN_SECRET);
  // Masked, a name could not be shown in the message that says what to write instead of it.
  const key = isSecretName(raw['api-key']) ? '' : raw['api-key'];
  return unique([key, raw['github-token'], ...others]);
}

/** The password in an address, such as that of a proxy or a database, both encoded and decoded. */
function passwordsIn(value: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:([^/?#\s@]+)@/i.exec(value)?.[1];
  if (password === undefined) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** From here on the runner masks these, and they are removed from everything that the action writes. */
export function hideSecrets(redaction: GrowingRedaction, secrets: readonly string[]): void {
  if (secrets.length === 0) return;
  masksFor(secrets).forEach(setSecret);
  redaction.learn(secrets);
}

/** What the runner must mask: each secret and each of its lines. */
export function masksFor(secrets: readonly string[]): string[] {
  const lines = secrets.flatMap((secret) => secret.split(/\r?\n/).map((line) => line.trim()));
  return unique([...secrets, ...lines.filter((line) => line.length >= MIN_SECRET)]);
}

const unique = (values: readonly string[]): string[] =>
  [...new Set(values)].filter((value) => value.trim() !== '');
