import { delimiter, isAbsolute } from 'node:path';
import { CERTIFICATE_VARIABLES, leadsInto, SYSTEM_PATH } from '../core/programs.js';
import { API_VARIABLES } from './credential.js';

/**
 * The agent's environment is built from an empty one. What our own process has (tokens, file commands, inputs) is not
 * removed from a copy: it is never added.
 */

/** Passed on unchanged, if they are set. */
const PASSED_ON = [
  ...['LANG', 'TZ', 'RUNNER_TRACKING_ID', ...API_VARIABLES],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
  ...CERTIFICATE_VARIABLES,
];
const PASSED_ON_WINDOWS = [
  ...['SystemRoot', 'SystemDrive', 'windir', 'ComSpec', 'PATHEXT', 'NUMBER_OF_PROCESSORS'],
];

/** Set by the action. `pass-env` cannot change them. */
const SET_BY_ACTION = [
  ...['HOME', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'TMPDIR', 'TEMP', 'TMP', 'TERM', 'NO_COLOR', 'CI'],
  ...['CURSOR_API_KEY', 'CURSOR_AUTH_TOKEN', 'AGENT_CLI_CREDENTIAL_STORE', 'CURSOR_AGENT_DISABLE_DEBUG_LOG'],
  ...['DIRENV_DISABLE', 'CURSOR_CONFIG_DIR', 'CURSOR_DATA_DIR', 'XDG_CONFIG_HOME'],
];

/** Never passed on, not even by `pass-env`: they contain tokens, or run code in every process that starts. */
const FORBIDDEN =
  /^(GITHUB_.*|ACTIONS_.*|INPUT_.*|RUNNER_(?!TRACKING_ID$).*|GH_TOKEN|GH_ENTERPRISE_TOKEN|NODE_OPTIONS|LD_.*|DYLD_.*|GIT_.*|BASH_ENV|ENV)$/i;

export const isForbiddenForAgent = (name: string): boolean => FORBIDDEN.test(name);
export const isSetByAction = (name: string): boolean => SET_BY_ACTION.includes(name.toUpperCase());

/** Windows does not distinguish case. */
export const isPath = (name: string): boolean => name.toUpperCase() === 'PATH';

/** Words in the names of variables that hold secrets. `AUTHOR` is not one of them, and `PWD` alone is not either. */
const SECRET_WORDS =
  /KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|CREDS|AUTH(?!OR)|PRIVATE|DSN|COOKIE|SIGNATURE|WEBHOOK|CONNECTION_?STRING|(^|_)PASS(_|$)|_PWD$|(^|_)PAT$/i;

/** Whether a variable with this name is likely to hold a secret. */
export const looksSecret = (name: string): boolean => SECRET_WORDS.test(name);

/** The PATH of the action, in the order of trust. */
export interface SearchPath {
  /** Without what a pull request can put programs into. */
  trusted: string;
  /** With that at the end. */
  whole: string;
  /** Those entries. */
  last: readonly string[];
}

/**
 * The CLI looks for programs such as git on PATH before its model answers. A pull request can put programs into entries in
 * the checkout or that lead into it, and into relative and empty ones. So they come last where commands may run, and are
 * not there otherwise.
 */
export function arrangePath(path = '', checkout: readonly string[] = []): SearchPath {
  const entries = path === '' ? [] : path.split(delimiter);
  const isTrusted = (entry: string) => isAbsolute(entry) && !leadsInto(entry, checkout);
  const trusted = entries.filter(isTrusted);
  const last = entries.filter((entry) => !isTrusted(entry));
  // With an empty PATH, some programs look in the working directory.
  const first = trusted.length === 0 && process.platform !== 'win32' ? [SYSTEM_PATH] : trusted;
  return { trusted: first.join(delimiter), whole: [...first, ...last].join(delimiter), last };
}

/** What to warn about where commands may run. */
export const pathNotes = ({ last }: SearchPath): string[] =>
  last.length === 0
    ? []
    : [
        'These entries of PATH come last for commands, because a pull request can put programs there: ' +
          `${last.map((entry) => (entry === '' ? '(empty)' : entry)).join(', ')}. ` +
          'If a program of the same name is elsewhere too, call it by its path, such as .venv/bin/python.',
      ];

interface AgentEnvironment {
  home: string;
  temp: string;
  path: string;
  passEnv: readonly string[];
  /** Where tools are. */
  toolchain?: Readonly<Record<string, string>>;
}

/** The variables that every agent has. Its own ones, such as its credential, are added when it is started. */
export function buildEnvironment(
  request: AgentEnvironment,
  ours: NodeJS.ProcessEnv,
  platform: string,
): Record<string, string> {
  const names = [
    ...PASSED_ON,
    ...Object.keys(ours).filter((name) => /^LC_[A-Z]+$/.test(name)),
    ...(platform === 'win32' ? PASSED_ON_WINDOWS : []),
    ...request.passEnv.filter((name) => !isForbiddenForAgent(name) && !isSetByAction(name) && !isPath(name)),
  ];
  const passed = names.flatMap((name) => {
    const value = ours[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const variables = { ...Object.fromEntries(passed), ...request.toolchain };
  return { ...variables, PATH: request.path, ...homeVariables(request, platform) };
}

function homeVariables({ home, temp }: AgentEnvironment, platform: string): Record<string, string> {
  const always = { HOME: home, TMPDIR: temp, TERM: 'dumb', NO_COLOR: '1', CI: 'true' };
  if (platform !== 'win32') return always;
  return {
    ...always,
    USERPROFILE: home,
    APPDATA: `${home}\\AppData\\Roaming`,
    LOCALAPPDATA: `${home}\\AppData\\Local`,
    TEMP: temp,
    TMP: temp,
  };
}
