import { isObject } from '../../text/json.js';
import type { ToolKind, ToolUse, WireRecord } from '../events.js';
import { entryOf, firstTextAt, head, idAt, listAt, numberAt, recordAt } from '../record.js';

/** A command or query can be a whole script. This much of it is enough to recognise it. */
const TARGET_CHARACTERS = 2000;
const PATH_CHARACTERS = 500;
const NAME_CHARACTERS = 100;
const MAX_PATHS = 10;

/** What a call is used on: a text (command, query, address), paths, or both. */
interface Aim {
  target?: string | undefined;
  paths?: readonly (string | undefined)[];
  /** The work in the background that it is about. */
  taskId?: string | undefined;
}

interface KnownTool {
  kind: ToolKind;
  aim: (args: WireRecord | undefined) => Aim;
}

const PATH_NAMES = ['path', 'file_path', 'filePath', 'targetFile', 'target_file', 'notebook_path'];

const text =
  (...names: string[]): KnownTool['aim'] =>
  (args) => ({ target: firstTextAt(args, ...names) });
const path: KnownTool['aim'] = (args) => ({ paths: [firstTextAt(args, ...PATH_NAMES)] });
const paths: KnownTool['aim'] = (args) => {
  const listed = textsAt(args, 'paths');
  return listed.length > 0 ? { paths: listed } : path(args);
};
const search: KnownTool['aim'] = (args) => {
  const pattern = firstTextAt(args, 'pattern', 'query', 'regex', 'globPattern', 'glob_pattern');
  // A search in the content of files can be limited to files whose names match.
  const names = firstTextAt(args, 'glob', 'include', 'type');
  return {
    target: pattern && names ? `${pattern} (${names})` : pattern,
    paths: [
      firstTextAt(args, 'path', 'targetDirectory', 'target_directory'),
      ...textsAt(args, 'targetDirectories'),
    ],
  };
};
const mcpTool: KnownTool['aim'] = (args) => {
  const tool = firstTextAt(args, 'toolName', 'name');
  const server = firstTextAt(args, 'providerIdentifier', 'serverIdentifier', 'server', 'serverName');
  return { target: server && tool ? `${server}:${tool}` : (tool ?? server) };
};
/** A look-up of what MCP servers offer. It calls none of their tools. */
const mcpCatalogue: KnownTool['aim'] = (args) => {
  const target = mcpTool(args).target ?? firstTextAt(args, 'pattern');
  return { target: target === undefined ? 'MCP catalogue' : `MCP catalogue: ${target}` };
};
/** Without an id it waits for whatever runs in the background. */
const waiting: KnownTool['aim'] = (args) => {
  const taskId = idAt(args, 'taskId') || undefined;
  const limitMs = numberAt(args, 'blockUntilMs');
  const limit = limitMs === undefined ? '' : `, up to ${limitMs / 1000} s`;
  return { target: `for ${taskId ?? 'work in the background'}${limit}`, taskId };
};
/** What it is told, and the type of the sub-agent: `{"shell":{}}`, or `{"custom":{"name":"reviewer"}}`. */
const subAgent: KnownTool['aim'] = (args) => {
  const task = firstTextAt(args, 'description', 'prompt');
  const [kind, details] = Object.entries(recordAt(args, 'subagentType') ?? {})[0] ?? [];
  const type = (isObject(details) ? firstTextAt(details, 'name') : undefined) ?? kind;
  return { target: task && type !== undefined && type !== 'unspecified' ? `${task} (${type})` : task };
};
const todoCount: KnownTool['aim'] = (args) => {
  const todos = listAt(args, 'todos');
  return { target: todos && `${todos.length} ${todos.length === 1 ? 'entry' : 'entries'}` };
};

/** Tools by name, in lower case and without punctuation. SAME_AS has other names of the same tools. */
const TOOLS: Readonly<Record<string, KnownTool>> = {
  shell: { kind: 'shell', aim: text('command', 'cmd', 'script') },
  writeshellstdin: { kind: 'shell', aim: text('chars', 'input') },
  read: { kind: 'read', aim: path },
  readlints: { kind: 'read', aim: paths },
  edit: { kind: 'edit', aim: path },
  applyagentdiff: { kind: 'edit', aim: text('agentId') },
  delete: { kind: 'delete', aim: path },
  glob: { kind: 'search', aim: search },
  grep: { kind: 'search', aim: search },
  semsearch: { kind: 'search', aim: search },
  ls: { kind: 'list', aim: path },
  mcp: { kind: 'mcp', aim: mcpTool },
  getmcptools: { kind: 'list', aim: mcpCatalogue },
  webfetch: { kind: 'web', aim: text('url') },
  websearch: { kind: 'web', aim: text('searchTerm', 'search_term', 'query') },
  updatetodos: { kind: 'plan', aim: todoCount },
  createplan: { kind: 'plan', aim: text('name', 'title', 'overview') },
  creategoal: { kind: 'plan', aim: text('objective') },
  updategoal: { kind: 'plan', aim: text('status') },
  await: { kind: 'wait', aim: waiting },
  switchmode: { kind: 'other', aim: text('targetModeId') },
  task: { kind: 'task', aim: subAgent },
  askquestion: { kind: 'other', aim: text('title', 'question') },
  generateimage: { kind: 'other', aim: text('description', 'prompt') },
};

const SAME_AS: Readonly<Record<string, string>> = {
  bash: 'shell',
  runterminalcmd: 'shell',
  runterminalcommand: 'shell',
  exec: 'shell',
  pibash: 'shell',
  minisweagentbash: 'shell',
  readfile: 'read',
  piread: 'read',
  write: 'edit',
  piwrite: 'edit',
  piedit: 'edit',
  writefile: 'edit',
  editfile: 'edit',
  editnotebook: 'edit',
  multiedit: 'edit',
  applypatch: 'edit',
  searchreplace: 'edit',
  deletefile: 'delete',
  globfilesearch: 'glob',
  pifind: 'glob',
  semanticsearch: 'semsearch',
  codebasesearch: 'semsearch',
  search: 'grep',
  pigrep: 'grep',
  list: 'ls',
  pils: 'ls',
  listdir: 'ls',
  fetch: 'webfetch',
  listmcpresources: 'getmcptools',
  fetchmcpresource: 'mcp',
  readmcpresource: 'mcp',
  readtodos: 'updatetodos',
  todowrite: 'updatetodos',
};

const VALUE_CHARACTERS = 80;
const MAX_ARGUMENTS = 8;
/** Arguments that say nothing about what a tool is used on. */
const DULL = ['toolCallId', 'conversationId', 'requestId'];

/** All arguments of an unknown tool, shortened, except for a path, which is shown as one. */
const anyArguments: KnownTool['aim'] = (args = {}) => {
  const placeName = PATH_NAMES.find((name) => firstTextAt(args, name));
  const others = Object.entries(args).filter(([name]) => name !== placeName && !DULL.includes(name));
  const described = others.flatMap(([name, value]) => {
    const words = valueText(value);
    return words === '' ? [] : [{ name: head(name, NAME_CHARACTERS), words }];
  });
  const [only, ...more] = described;
  const target =
    only && more.length === 0
      ? only.words
      : described
          .slice(0, MAX_ARGUMENTS)
          .map(({ name, words }) => `${name}: ${shortened(words)}`)
          .join(', ') + (described.length > MAX_ARGUMENTS ? ', …' : '');
  return { target, paths: placeName === undefined ? [] : [firstTextAt(args, placeName)] };
};

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value.trim();
  return isObject(value) && Object.keys(value).length === 0
    ? ''
    : head(JSON.stringify(value), TARGET_CHARACTERS);
}

const shortened = (words: string): string =>
  words.length > VALUE_CHARACTERS ? `${head(words, VALUE_CHARACTERS)}…` : words;

/** Describes a tool call. An unknown tool is shown by its own name. */
export function describeTool(name: string, args: WireRecord | undefined): ToolUse {
  const own = head(name.endsWith('ToolCall') ? name.slice(0, -'ToolCall'.length) : name, NAME_CHARACTERS);
  const tool = findTool(own);
  const { target = '', paths: places = [], taskId } = (tool?.aim ?? anyArguments)(args);
  const timeoutMs = numberAt(args, tool?.kind === 'wait' ? 'blockUntilMs' : 'timeout');
  return {
    name: own,
    kind: tool?.kind ?? 'other',
    target: head(target, TARGET_CHARACTERS),
    paths: places
      .filter((place) => place !== undefined)
      .slice(0, MAX_PATHS)
      .map((place) => head(place, PATH_CHARACTERS)),
    isKnown: tool !== undefined,
    ...(taskId === undefined ? {} : { taskId }),
    ...(timeoutMs !== undefined && timeoutMs > 0 ? { timeoutMs } : {}),
  };
}

function findTool(name: string): KnownTool | undefined {
  // Tools of MCP servers that are offered as functions have this prefix.
  if (name.startsWith('mcp__')) return { kind: 'mcp', aim: () => ({ target: name.slice('mcp__'.length) }) };
  const plain = name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
  return entryOf(TOOLS, entryOf(SAME_AS, plain) ?? plain);
}

const textsAt = (args: WireRecord | undefined, name: string): string[] =>
  (listAt(args, name) ?? []).filter((item) => typeof item === 'string');
