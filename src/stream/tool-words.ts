import type { ToolKind, ToolUse, WireRecord } from './events.js';
import { entryOf, firstTextAt, head, listAt, numberAt } from './record.js';

/** A command or query may be a whole script; this much of it tells which one it was. */
const TARGET_CHARACTERS = 2000;
const PATH_CHARACTERS = 500;
const NAME_CHARACTERS = 100;
const MOST_PATHS = 10;

/** What a call is aimed at: a text (command, query, address), places in the file tree, or both. */
interface Aim {
  target?: string | undefined;
  paths?: readonly (string | undefined)[];
}

interface ToolWords {
  kind: ToolKind;
  aim: (args: WireRecord | undefined) => Aim;
}

const PATH_NAMES = ['path', 'file_path', 'filePath', 'targetFile', 'target_file', 'notebook_path'];

const text =
  (...names: string[]): ToolWords['aim'] =>
  (args) => ({ target: firstTextAt(args, ...names) });
const path: ToolWords['aim'] = (args) => ({ paths: [firstTextAt(args, ...PATH_NAMES)] });
const paths: ToolWords['aim'] = (args) => {
  const listed = textsAt(args, 'paths');
  return listed.length > 0 ? { paths: listed } : path(args);
};
const within: ToolWords['aim'] = (args) => ({
  target: firstTextAt(args, 'pattern', 'globPattern', 'glob_pattern', 'query', 'regex'),
  paths: [
    firstTextAt(args, 'path', 'targetDirectory', 'target_directory'),
    ...textsAt(args, 'targetDirectories'),
  ],
});
const mcpTool: ToolWords['aim'] = (args) => {
  const tool = firstTextAt(args, 'toolName', 'name');
  const server = firstTextAt(args, 'providerIdentifier', 'server', 'serverName');
  return { target: server && tool ? `${server}:${tool}` : (tool ?? server) };
};
const todoCount: ToolWords['aim'] = (args) => {
  const todos = listAt(args, 'todos');
  return { target: todos && `${todos.length} ${todos.length === 1 ? 'entry' : 'entries'}` };
};

/** Tools by their plain name, in lower case and without marks: `readToolCall`, `Read` and `read_file` meet here. */
const WORDS: Readonly<Record<string, ToolWords>> = {
  shell: { kind: 'shell', aim: text('command', 'cmd', 'script') },
  read: { kind: 'read', aim: path },
  readlints: { kind: 'read', aim: paths },
  edit: { kind: 'edit', aim: path },
  delete: { kind: 'delete', aim: path },
  glob: { kind: 'search', aim: within },
  grep: { kind: 'search', aim: within },
  semsearch: { kind: 'search', aim: within },
  ls: { kind: 'list', aim: path },
  mcp: { kind: 'mcp', aim: mcpTool },
  getmcptools: { kind: 'mcp', aim: mcpTool },
  webfetch: { kind: 'web', aim: text('url') },
  websearch: { kind: 'web', aim: text('searchTerm', 'search_term', 'query') },
  updatetodos: { kind: 'plan', aim: todoCount },
  createplan: { kind: 'plan', aim: text('name', 'title', 'overview') },
  task: { kind: 'task', aim: text('description', 'prompt') },
  askquestion: { kind: 'other', aim: text('title', 'question') },
  generateimage: { kind: 'other', aim: text('description', 'prompt') },
};

const SAME_AS: Readonly<Record<string, string>> = {
  bash: 'shell',
  runterminalcmd: 'shell',
  runterminalcommand: 'shell',
  exec: 'shell',
  readfile: 'read',
  write: 'edit',
  writefile: 'edit',
  editfile: 'edit',
  editnotebook: 'edit',
  multiedit: 'edit',
  applypatch: 'edit',
  searchreplace: 'edit',
  deletefile: 'delete',
  globfilesearch: 'glob',
  semanticsearch: 'semsearch',
  codebasesearch: 'semsearch',
  search: 'grep',
  list: 'ls',
  listdir: 'ls',
  fetch: 'webfetch',
  listmcpresources: 'getmcptools',
  fetchmcpresource: 'getmcptools',
  readtodos: 'updatetodos',
  todowrite: 'updatetodos',
};

/** Where an unknown tool keeps what it is aimed at, most telling first. */
const LIKELY_TARGETS = ['command', 'query', 'pattern', 'url', 'name', 'description'];
const guess: ToolWords['aim'] = (args) => {
  const place = firstTextAt(args, ...PATH_NAMES);
  return place ? { paths: [place] } : { target: firstTextAt(args, ...LIKELY_TARGETS) };
};

/** A tool call in a person's words. A tool nobody knows is shown by its own name. */
export function describeTool(name: string, args: WireRecord | undefined): ToolUse {
  const own = head(name.endsWith('ToolCall') ? name.slice(0, -'ToolCall'.length) : name, NAME_CHARACTERS);
  const words = wordsFor(own);
  const { target = '', paths: places = [] } = (words?.aim ?? guess)(args);
  const timeoutMs = numberAt(args, 'timeout');
  return {
    name: own,
    kind: words?.kind ?? 'other',
    target: head(target, TARGET_CHARACTERS),
    paths: places
      .filter((place) => place !== undefined)
      .slice(0, MOST_PATHS)
      .map((place) => head(place, PATH_CHARACTERS)),
    isKnown: words !== undefined,
    ...(timeoutMs !== undefined && timeoutMs > 0 ? { timeoutMs } : {}),
  };
}

function wordsFor(name: string): ToolWords | undefined {
  // Servers' tools offered as functions carry this mark; which tools there are is up to the server.
  if (name.startsWith('mcp__')) return { kind: 'mcp', aim: () => ({ target: name.slice('mcp__'.length) }) };
  const plain = name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
  return entryOf(WORDS, entryOf(SAME_AS, plain) ?? plain);
}

const textsAt = (args: WireRecord | undefined, name: string): string[] =>
  (listAt(args, name) ?? []).filter((item) => typeof item === 'string');
