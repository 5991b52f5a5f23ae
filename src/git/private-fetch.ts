import { spawn } from 'node:child_process';

/** Which commits to get from where. */
export interface FetchOrder {
  /** https; http and file only on this machine. */
  url: string;
  /** Commits by their id, or whole names of refs. */
  wants: readonly string[];
  /** How many commits of history, counted from each of them. */
  depth: number;
  /** Reaches git through its environment alone: a command line is there for every process to read. */
  token: string | undefined;
  /** Proxy and certificates, as the runner has them. */
  network: Readonly<Record<string, string>>;
  timeoutMs: number;
  cancel: AbortSignal;
}

export interface FetchingGit {
  program: string;
  folder: string;
  env: Readonly<Record<string, string>>;
  flags: readonly string[];
}

const MOST_WORDS = 2000;

/** Nothing is asked at a terminal, no redirect is followed, no tag, submodule or hook comes along. */
export function fetchCommits(git: FetchingGit, order: FetchOrder): Promise<void> {
  const protocol = new URL(order.url).protocol.replace(':', '');
  const child = spawn(
    git.program,
    [
      ...git.flags,
      // The repository whose objects are borrowed is not asked about its refs: that would read its configuration.
      ...['-c', 'core.alternateRefsCommand=true', '-c', 'http.followRedirects=false'],
      ...['-c', 'credential.helper=', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'],
      ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'],
      ...[`--depth=${order.depth}`, '--', order.url, ...order.wants],
    ],
    {
      cwd: git.folder,
      env: { ...git.env, ...order.network, ...credential(order), GIT_ALLOW_PROTOCOL: protocol },
      stdio: ['ignore', 'ignore', 'pipe'],
      signal: AbortSignal.any([order.cancel, AbortSignal.timeout(order.timeoutMs)]),
      windowsHide: true,
    },
  );
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-MOST_WORDS);
  });
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => {
      if (code === 0) done();
      else failed(new Error(`git fetch failed: ${words.trim() || `exit code ${code ?? 'unknown'}`}`));
    });
  });
}

/** A header for this one server, set as git's configuration by variables that only this process has. */
function credential({ url, token }: FetchOrder): Record<string, string> {
  if (!token || !/^https?:/.test(url)) return {};
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${new URL(url).origin}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${basic}`,
  };
}
