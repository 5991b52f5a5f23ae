import { isObject, parseJson } from '../text/json.js';
import { describeHookDenial, type HookDenial, type HookPolicy } from './hook-messages.js';
import { findDenyRule, isPathAllowed, isPathIn } from './path-policy.js';
import {
  covers,
  coversKind,
  formatPermission,
  isAbsolute,
  parsePermission,
  type PermissionKind,
  type PermissionToken,
} from './permission-token.js';
import { needsRule, type Policy } from './policy.js';
import { everyWord, programOf, readShellLine, type ShellCommand } from './shell-commands.js';

/** What our hook writes to stdout, and what it reports to the action. Both are one line of JSON. */
interface HookAnswer {
  answer: string;
  report: string;
}

const MAX_TOOL_NAME = 64;

/**
 * Answers one question of the CLI: may this tool run? What cannot be read is denied. Only documented fields are in the
 * answer, because the CLI blocks the call if there is another.
 */
export function answerHook(question: string, policy: HookPolicy | undefined): HookAnswer {
  const call = readQuestion(question);
  const denial = decide(call, policy);
  const tool = (call?.tool ?? '').slice(0, MAX_TOOL_NAME);
  if (denial === undefined)
    return {
      answer: JSON.stringify({ permission: 'allow' }),
      report: JSON.stringify({ tool, permission: 'allow' }),
    };
  const sentence = describeHookDenial(denial);
  return {
    answer: JSON.stringify({
      permission: 'deny',
      user_message: sentence,
      agent_message: `${sentence}. This is the policy of the run. Do not try to reach the same in another way: go on without it, and say in your answer what you could not do.`,
    }),
    report: JSON.stringify({ tool, permission: 'deny', why: sentence.slice(0, 500) }),
  };
}

function decide(call: AskedCall | undefined, policy: HookPolicy | undefined): HookDenial | undefined {
  if (policy === undefined) return { by: 'action', why: 'the policy of the run could not be read' };
  if (call === undefined) return { by: 'action', why: 'the question of the CLI could not be read' };
  try {
    return judgeCall(call, policy);
  } catch {
    return { by: 'action', why: 'the call could not be judged' };
  }
}

function readQuestion(question: string): AskedCall | undefined {
  const asked = parseJson(question);
  if (!isObject(asked)) return undefined;
  const { tool_name: tool, tool_input: given, cwd } = asked;
  // Some builds send the input of MCP tools as text.
  const value = typeof given === 'string' ? parseJson(given) : given;
  const input = isObject(value) ? value : {};
  // A command runs where its call says. Paths of other tools start where the CLI says, whatever the model adds.
  const isCommand = input['command'] !== undefined;
  const directory =
    (isCommand ? (input['working_directory'] ?? input['workingDirectory']) : undefined) ?? cwd;
  return {
    tool: typeof tool === 'string' ? tool : '',
    input,
    ...(typeof directory === 'string' && directory !== '' ? { directory } : {}),
  };
}

/** A tool call, as the CLI announces it to a hook. */
interface AskedCall {
  /** The CLI's name for the tool; empty if it named none. */
  tool: string;
  input: Readonly<Record<string, unknown>>;
  /** Where the call runs, if the CLI says so. */
  directory?: string | undefined;
}

/** What the policy says about a tool call: undefined if it may run. */
export function judgeCall(call: AskedCall, against: HookPolicy): HookDenial | undefined {
  const name = normalName(call.tool) || guessName(call.input);
  if (/^mcp:/i.test(call.tool)) return judgeMcp(call, against);
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (tool === undefined)
    return { by: 'action', why: `this version does not know the tool ${shownName(call.tool)}` };
  return JUDGES[tool](call, against);
}

/**
 * Every tool that is known, by its name in lower case without separators, and how it is judged. The names in Cursor's
 * documentation come first, then those that other builds and the protocol use for the same thing.
 */
type Kind =
  'shell' | 'stdin' | 'read' | 'write' | 'web' | 'search' | 'mcp' | 'resource' | 'task' | 'mode' | 'harmless';
const NAMES: Readonly<Record<Kind, string>> = {
  shell: 'shell bash runterminalcmd runterminalcommand terminal pibash minisweagentbash',
  stdin: 'writeshellstdin',
  // An edit asks as Read first, with the path of the file. If that may be read, it passes here, and the Write that
  // follows is judged by its own rules. A build that asks as Read only is held by cli.json and by the check of the
  // changes after the run.
  read: 'read readfile grep glob ls list listdir piread pigrep pifind pils semsearch semanticsearch codebasesearch filesearch readlints blamebyfilepath',
  write:
    'write edit editfile strreplace multistrreplace searchreplace multiedit applypatch applyagentdiff delete deletefile editnotebook notebookedit generateimage piwrite piedit',
  web: 'webfetch fetch mcpwebfetch mcpfetchtool',
  search: 'websearch',
  mcp: 'callmcptool',
  // These are about a server as a whole.
  resource: 'readmcpresource fetchmcpresource mcpauth',
  // A sub-agent has tools of its own and asks for nothing.
  task: 'task spawnagent subagent',
  mode: 'switchmode exitplanmode',
  // These read and write nothing outside of the agent's own notes, or look something up in a catalogue.
  harmless:
    'todowrite todoread updatetodos readtodos createplan creategoal updategoal askquestion getmcptools listmcpresources await awaitshell killshell bashoutput reflect think',
};
const TOOLS = Object.fromEntries(
  (Object.keys(NAMES) as Kind[]).flatMap((kind) => NAMES[kind].split(' ').map((name) => [name, kind])),
) as Readonly<Partial<Record<string, Kind>>>;

/** The permission that a tool needs, by its name. Undefined if it needs none that a workflow can give, or is unknown. */
export function permissionFor(tool: string): PermissionKind | undefined {
  const name = normalName(tool);
  const kind = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  return kind && PERMISSIONS[kind];
}

const PERMISSIONS: Readonly<Partial<Record<Kind, PermissionKind>>> = {
  shell: 'Shell',
  stdin: 'Shell',
  read: 'Read',
  write: 'Write',
  web: 'WebFetch',
  search: 'WebFetch',
  mcp: 'Mcp',
  resource: 'Mcp',
};

const normalName = (tool: string): string => tool.toLowerCase().replace(/[^a-z0-9]/g, '');
const shownName = (tool: string): string => tool.replace(/[^\w:.-]/g, '').slice(0, 60) || 'without a name';

/** Some builds omit the name of a tool. What it is about shows in its input. */
function guessName(input: AskedCall['input']): string {
  const has = (...names: string[]) => names.some((name) => input[name] !== undefined);
  if (has('command')) return 'shell';
  if (has('contents', 'content', 'new_string', 'old_string', 'patch', 'diff', 'edits')) return 'write';
  if (has('url')) return 'webfetch';
  return pathsIn(input).length > 0 ? 'read' : '';
}

type Judge = (call: AskedCall, against: HookPolicy) => HookDenial | undefined;

const JUDGES: Readonly<Record<Kind, Judge>> = {
  shell: judgeShell,
  read: judgeRead,
  write: judgeWrite,
  web: judgeFetch,
  // A search reaches every site, so it needs the right to all of them.
  search: (_, { policy }) => judgeToken({ kind: 'WebFetch', domain: '*' }, policy),
  stdin: judgeTyping,
  mcp: (call, against) => {
    const [tool = ''] = texts(call.input, ['toolName', 'tool_name', 'name']);
    return judgeServers(namedServers(call.input, against), tool, against);
  },
  resource: judgeResource,
  task: () => ({ by: 'action', why: 'sub-agents cannot be allowed: they have tools that no rule reaches' }),
  mode: (_, { policy }) =>
    policy.mode === 'agent'
      ? undefined
      : { by: 'action', why: `the mode of this run is ${policy.mode} and stays so` },
  harmless: () => undefined,
};

/** The denial if everything of this kind is denied. */
function deniedKind({ deny }: Policy, kind: PermissionKind): HookDenial | undefined {
  const rule = deny.find((one) => coversKind(one, kind));
  return rule && { by: 'rule', token: rule };
}

/** One site, or one tool of a server. It needs an allow rule even with --force. */
function judgeToken(token: PermissionToken, { allow, deny }: Policy): HookDenial | undefined {
  const rule = deny.find((one) => covers(one, token));
  if (rule) return { by: 'rule', token: rule };
  return allow.some((one) => covers(one, token)) ? undefined : withoutRule(token);
}

/** The token comes from the agent, so it is shown only if it is one that the input `allow` takes. */
function withoutRule(token: PermissionToken): HookDenial {
  const parsed = parsePermission(formatPermission(token));
  return 'permission' in parsed
    ? { by: 'no-rule', token: parsed.permission }
    : { by: 'action', why: `no ${token.kind} rule allows it` };
}

/**
 * A line of plain words, quoted texts, lists and pipes. Where only some commands are allowed, no other line is: the
 * reader of commands is not a shell, and what it misreads would run.
 */
const PLAIN_LINE = /^(?:[\w@%+=:,./~ \t-]|'[^'\n]*'|"[^"\\$`!\n]*"|2>&1|&&|\||;)*$/;
/** These change which program a name leads to, or what it does. */
const ASSIGNMENT = /(?:^|[;&|]|\s)\w+\+?=/;

function judgeShell(call: AskedCall, against: HookPolicy): HookDenial | undefined {
  const { policy } = against;
  const all = deniedKind(policy, 'Shell');
  if (all) return all;
  const line = texts(call.input, ['command', 'cmd', 'script', 'input', 'chars', 'data']).join('\n');
  if (line === '') return { by: 'action', why: 'the call names no command' };
  const { commands, isCertain } = readShellLine(line);
  const candidates = isCertain ? commands : [...commands, ...everyWord(line)];
  const rule = deniedCommand(candidates, policy.deny);
  if (rule) return { by: 'rule', token: rule };
  if (!needsRule(policy, 'Shell') || policy.allow.some((one) => coversKind(one, 'Shell'))) return undefined;
  if (!isCertain) return withoutRule({ kind: 'Shell', command: '*' });
  // A program of the same name, and what it reads, can be anything elsewhere.
  if (!isPathIn(absolutePath('.', call, against), against.root))
    return { by: 'action', why: 'it runs outside of the checkout' };
  // A path could lead to another program of the same name, so it is not shortened where something is allowed.
  const missing = commands.map(asToken).find((token) => !policy.allow.some((one) => covers(one, token)));
  if (missing)
    return withoutRule(missing.args === '' ? { kind: 'Shell', command: missing.command } : missing);
  if (PLAIN_LINE.test(line.trim()) && !ASSIGNMENT.test(line)) return undefined;
  return {
    by: 'action',
    why: 'only plain commands can be allowed one by one, without variables and substitutions',
  };
}

/**
 * Text for a command that runs already. The CLI does not show it to hooks, and it can be the rest of a line that was
 * begun before, so no rule against single commands can be held.
 */
function judgeTyping(_: AskedCall, { policy }: HookPolicy): HookDenial | undefined {
  const all = deniedKind(policy, 'Shell');
  if (all) return all;
  const isRuled = policy.deny.some(({ kind }) => kind === 'Shell');
  const isFree = !needsRule(policy, 'Shell') || policy.allow.some((one) => coversKind(one, 'Shell'));
  return isFree && !isRuled
    ? undefined
    : { by: 'action', why: 'text that is typed into a running command cannot be judged' };
}

function deniedCommand(
  commands: readonly ShellCommand[],
  deny: readonly PermissionToken[],
): PermissionToken | undefined {
  const rules = deny.filter(({ kind }) => kind === 'Shell');
  const tokens = commands.flatMap((command) => [
    asToken(command),
    asToken({ ...command, name: programOf(command.name) }),
  ]);
  return rules.find((rule) => tokens.some((token) => covers(rule, token)));
}

const asToken = ({ name, args }: ShellCommand) => ({ kind: 'Shell' as const, command: name, args });

function judgeRead(call: AskedCall, against: HookPolicy): HookDenial | undefined {
  const { policy, own } = against;
  const all = deniedKind(policy, 'Read');
  if (all) return all;
  const given = pathsIn(call.input);
  // A search without a path is one of the whole working directory.
  for (const path of (given.length > 0 ? given : ['.']).map((one) => absolutePath(one, call, against))) {
    const rule = findDenyRule(policy.deny, { kind: 'Read', path }, against);
    if (rule) return { by: 'rule', token: rule };
    if (!needsRule(policy, 'Read') || own.some((folder) => isPathIn(path, folder))) continue;
    // Who may write a file may read it: an edit asks as Read first. The slash makes `src/**` cover `src` itself.
    const isAllowed = (['Read', 'Write'] as const).some((kind) =>
      [path, `${path}/`].some((form) => isPathAllowed(policy.allow, { kind, path: form }, against)),
    );
    if (!isAllowed) return withoutRule({ kind: 'Read', pattern: shownPath(path, against.directory) });
  }
  return undefined;
}

function judgeWrite(call: AskedCall, against: HookPolicy): HookDenial | undefined {
  const { policy, own, root } = against;
  const all = deniedKind(policy, 'Write');
  if (all) return all;
  const given = [...pathsIn(call.input), ...pathsOfPatches(call.input)];
  if (given.length === 0) return { by: 'action', why: 'the call names no path that could be checked' };
  for (const path of given.map((one) => absolutePath(one, call, against))) {
    const rule = findDenyRule(policy.deny, { kind: 'Write', path }, against);
    if (rule) return { by: 'rule', token: rule };
    const isChecked = isPathIn(path, root);
    if (isChecked && policy.preset === 'review')
      return { by: 'action', why: 'the preset review allows no change' };
    // In the checkout an allow rule is needed even with --force: without one the change would be a violation. What is
    // elsewhere is never applied, and isolation keeps it in the agent's own folders.
    const isOwn = own.some((folder) => isPathIn(path, folder));
    const isRuled = isChecked || (needsRule(policy, 'Write') && !isOwn);
    if (isRuled && !isPathAllowed(policy.allow, { kind: 'Write', path }, against))
      return withoutRule({ kind: 'Write', pattern: shownPath(path, against.directory) });
  }
  return undefined;
}

/** The rule that keeps this path from being read. */
export const findReadDenial = (path: string, against: HookPolicy): PermissionToken | undefined =>
  findDenyRule(
    against.policy.deny,
    { kind: 'Read', path: absolutePath(path, { tool: 'Read', input: {} }, against) },
    against,
  );

/** As an allow rule would name it: from the working directory if it is in there. */
function shownPath(path: string, directory: string): string {
  const base = directory.replaceAll('\\', '/').replace(/\/+$/, '');
  if (path === base) return '**';
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path;
}

/** Web tools run on the vendor's servers: no network rule of the runner reaches them. So each site must be allowed. */
function judgeFetch(call: AskedCall, { policy }: HookPolicy): HookDenial | undefined {
  const sites = texts(call.input, ['url', 'uri', 'urls']).map((url) =>
    URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '',
  );
  const rule = policy.deny.find(({ kind }) => kind === 'WebFetch');
  for (const domain of sites.length > 0 ? sites : ['']) {
    // A site that cannot be read could be any: every deny rule holds, and the call needs the right to all of them.
    if (domain === '' && rule) return { by: 'rule', token: rule };
    const denial = judgeToken({ kind: 'WebFetch', domain: domain || '*' }, policy);
    if (denial) return denial;
  }
  return undefined;
}

/** `MCP:<tool>`. The server is named only by some builds. */
function judgeMcp(call: AskedCall, against: HookPolicy): HookDenial | undefined {
  const { policy } = against;
  const names = call.tool.slice('mcp:'.length).split(':');
  const tool = names.pop() ?? '';
  if (TOOLS[normalName(tool)] === 'task') return JUDGES.task(call, against);
  if (names[0] !== undefined) return judgeServers([names[0]], tool, against);
  // The arguments of the call come from the model: they can name a server that is not allowed, but allow nothing.
  const [claimed] = texts(call.input, SERVER_FIELDS);
  const isKnown = claimed === undefined || policy.mcpServers.includes(claimed);
  return judgeServers(isKnown ? policy.mcpServers : [claimed], tool, against);
}

/** The server that a call names as its own; every configured one if it names none. */
function namedServers(input: AskedCall['input'], { policy }: HookPolicy): readonly string[] {
  const [named] = texts(input, SERVER_FIELDS);
  return named === undefined ? policy.mcpServers : [named];
}
const SERVER_FIELDS = ['mcp_server_name', 'server_name', 'serverName', 'serverIdentifier', 'server'];

/** A tool of one of these servers, it is not known of which. So it must be allowed on each of them. */
function judgeServers(
  servers: readonly string[],
  tool: string,
  { policy }: HookPolicy,
): HookDenial | undefined {
  const all = deniedKind(policy, 'Mcp');
  if (all) return all;
  if (servers.length === 0) return withoutRule({ kind: 'Mcp', server: '*', tool });
  const denials = servers
    .map((server) => judgeToken({ kind: 'Mcp', server, tool }, policy))
    .filter((denial) => denial !== undefined);
  return denials.find(({ by }) => by === 'rule') ?? denials[0];
}

/** A resource of a server, which can be saved to a file, or its sign-in. Tokens name tools, so it needs the whole server. */
function judgeResource(call: AskedCall, against: HookPolicy): HookDenial | undefined {
  const denial = judgeServers(namedServers(call.input, against), '*', against);
  const [path] = texts(call.input, ['download_path', 'downloadPath']);
  return denial ?? (path === undefined ? undefined : judgeWrite({ ...call, input: { path } }, against));
}

const PATH_FIELDS = [
  ...['path', 'file_path', 'filePath', 'filename', 'target_file', 'targetFile', 'relative_workspace_path'],
  ...['target_directory', 'targetDirectory', 'target_directories', 'targetDirectories', 'paths', 'uri'],
  ...['notebook_path', 'target_notebook', 'directory'],
];

const pathsIn = (input: AskedCall['input']): string[] => texts(input, PATH_FIELDS);

/** The files that a patch names. */
function pathsOfPatches(input: AskedCall['input']): string[] {
  const lines = texts(input, ['patch', 'diff', 'unified_diff', 'input']).flatMap((text) => text.split('\n'));
  const named = lines.flatMap(
    (line) => /^(?:\*\*\* (?:Add|Update|Delete) File|\*\*\* Move to): (.+)$/.exec(line)?.[1] ?? [],
  );
  const headed = lines.flatMap((line) => /^(?:---|\+\+\+) (?:[ab]\/)?([^\t]+)/.exec(line)?.[1] ?? []);
  return [...named, ...headed.filter((path) => path !== '/dev/null')].map((path) => path.trim());
}

/** The texts in some fields, alone or in lists. */
function texts(input: AskedCall['input'], fields: readonly string[]): string[] {
  return fields
    .flatMap((field) => (Object.hasOwn(input, field) ? [input[field]].flat() : []))
    .filter((value): value is string => typeof value === 'string' && value !== '');
}

/** The path as text: absolute, with slashes, without `.` and `..`. Links are not followed. */
function absolutePath(given: string, call: AskedCall, { directory, own }: HookPolicy): string {
  const path = given.replace(/^file:\/\//, '').replaceAll('\\', '/');
  const home = (own[0] ?? '').replaceAll('\\', '/');
  const from = (call.directory ?? directory).replaceAll('\\', '/');
  const whole = /^~(\/|$)/.test(path)
    ? `${home}${path.slice(1)}`
    : isAbsolute(path)
      ? path
      : `${from}/${path}`;
  const names: string[] = [];
  for (const name of whole.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `${/^[A-Za-z]:\//.test(whole) ? '' : '/'}${names.join('/')}`;
}
