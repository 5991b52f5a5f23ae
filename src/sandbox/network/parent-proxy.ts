import { attempt } from '../../core/errors.js';
import { readHost, type Host, type Target } from './host.js';

export interface ParentProxy {
  host: string;
  port: number;
  isSecure: boolean;
  authorization?: string;
}

/** How a target is reached: through a proxy of the job, or directly. */
export type Route = (target: Target, isPlain: boolean) => ParentProxy | undefined;

/** How the job's proxies are used, and the variables among them that cannot be read. */
export function readRoute(env: NodeJS.ProcessEnv): { route: Route; problems: string[] } {
  const { secure, plain } = jobProxies(env);
  const isExcepted = readExceptions(valueOf(env, 'NO_PROXY'));
  const unread = [secure, plain].filter(({ address, proxy }) => address !== '' && !proxy);
  return {
    route: (target, isPlain) => (isExcepted(target) ? undefined : (isPlain ? plain : secure).proxy),
    problems: [...new Set(unread.map(({ name }) => name))],
  };
}

/** The job's proxies, as `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY` name them. */
function jobProxies(env: NodeJS.ProcessEnv) {
  const named = (wanted: string) => {
    const name = valueOf(env, wanted) === '' ? 'ALL_PROXY' : wanted;
    const address = valueOf(env, name);
    return { name, address, proxy: readProxy(address) };
  };
  return { secure: named('HTTPS_PROXY'), plain: named('HTTP_PROXY') };
}

const valueOf = (env: NodeJS.ProcessEnv, name: string): string =>
  (env[name.toLowerCase()] ?? env[name] ?? '').trim();

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

const decode = (text: string): string => attempt(() => decodeURIComponent(text)) ?? text;

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

export const proxyProblems = (env: NodeJS.ProcessEnv): string[] => readRoute(env).problems;

/** What must never be shown of them. The password alone is known as a secret already. */
export function proxySecrets(env: NodeJS.ProcessEnv): string[] {
  const { secure, plain } = jobProxies(env);
  return [plain, secure].flatMap(({ proxy }) => {
    const authorization = proxy?.authorization;
    return authorization === undefined ? [] : [authorization, authorization.replace(/^Basic /, '')];
  });
}
