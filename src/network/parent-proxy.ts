import { readHost, type Host, type Target } from './host.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** The proxy that the runner itself needs. */
export interface ParentProxy {
  host: string;
  port: number;
  isSecure: boolean;
  /** The value of `Proxy-Authorization`. */
  authorization?: string;
}

/** How a target is reached: through a proxy of the job, or directly. */
export type Route = (target: Target, isPlain: boolean) => ParentProxy | undefined;

/** The job's proxies, as `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` name them. */
export function readRoute(env: Variables): { route: Route; problems: string[] } {
  const value = (name: string) => (env[name.toLowerCase()] ?? env[name] ?? '').trim();
  const given = (name: string) => (value(name) === '' ? 'ALL_PROXY' : name);
  const names = { secure: given('HTTPS_PROXY'), plain: given('HTTP_PROXY') };
  const proxies = { secure: readProxy(value(names.secure)), plain: readProxy(value(names.plain)) };
  const isExcepted = readExceptions(value('NO_PROXY'));
  return {
    route: (target, isPlain) => (isExcepted(target) ? undefined : isPlain ? proxies.plain : proxies.secure),
    problems: [...new Set(Object.values(names))].filter(
      (name) => value(name) !== '' && !readProxy(value(name)),
    ),
  };
}

function readProxy(text: string): ParentProxy | undefined {
  if (text === '') return undefined;
  const address = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port, username, password } = new URL(address);
  const isSecure = protocol === 'https:';
  if ((!isSecure && protocol !== 'http:') || hostname === '') return undefined;
  const credentials = `${decode(username)}:${decode(password)}`;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    isSecure,
    ...(credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `NO_PROXY`: hosts, which include what is below them, each with a port if wanted; `*` stands for all. */
function readExceptions(text: string): (target: Target) => boolean {
  const entries = text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, name = entry, digits] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
      return {
        isAll: entry === '*',
        host: readHost(name.replace(/^\*?\./, ''))?.text ?? '',
        port: digits === undefined ? undefined : Number(digits),
      };
    });
  const isBelow = (host: Host, name: string) =>
    name !== '' && (host.text === name || (host.kind === 'name' && host.text.endsWith(`.${name}`)));
  return ({ host, port }) =>
    entries.some(
      (entry) =>
        entry.isAll || (isBelow(host, entry.host) && (entry.port === undefined || entry.port === port)),
    );
}

/** What must never be shown of them. The password alone is known as a secret already. */
export function proxySecrets(env: Variables): string[] {
  const target: Target = { host: { kind: 'name', text: 'host.invalid' }, port: 443 };
  const { route } = readRoute({ ...env, NO_PROXY: '', no_proxy: '' });
  return [true, false].flatMap((isPlain) => {
    const { authorization } = route(target, isPlain) ?? {};
    return authorization === undefined ? [] : [authorization, authorization.replace(/^Basic /, '')];
  });
}
