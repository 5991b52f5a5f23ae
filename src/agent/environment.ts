import { API_VARIABLES } from './credential.js';

/**
 * The agent's environment is built from an empty one. What our own process has (tokens, file commands, inputs) is not
 * removed from a copy: it is never added.
 */

/** They name files with certificates, which the agent must be able to read. */
export const CERTIFICATE_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];
/** Passed on unchanged, if they are set. */
const PASSED_ON = [
  ...['PATH', 'LANG', 'TZ', 'RUNNER_TRACKING_ID', ...API_VARIABLES],
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

/** Words in the names of variables that hold secrets. `AUTHOR` is not one of them, and `PWD` alone is not either. */
const SECRET_WORDS =
  /KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|CREDS|AUTH(?!OR)|PRIVATE|DSN|COOKIE|SIGNATURE|WEBHOOK|CONNECTION_?STRING|(^|_)PASS(_|$)|_PWD$|(^|_)PAT$/i;

/** Whether a variable with this name is likely to hold a secret. */
export const looksSecret = (name: string): boolean => SECRET_WORDS.test(name);

interface AgentEnvironment {
  home: string;
  temp: string;
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
    ...request.passEnv.filter((name) => !isForbiddenForAgent(name) && !isSetByAction(name)),
  ];
  const passed = names.flatMap((name) => {
    const value = ours[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...request.toolchain, ...homeVariables(request, platform) };
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
