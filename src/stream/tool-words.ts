import type { ToolKind, ToolUse, WireRecord } from './events.js';
import { entryOf, firstTextAt, head, listAt, numberAt } from './record.js';

/** A command or query may be a whole script; this much of it tells which one it was. */
const TARGET_CHARACTERS = 2000;

interface ToolWords {
  kind: ToolKind;
  target: (args: WireRecord | undefined) => string | undefined;
}

const at =
  (...names: string[]): ToolWords['target'] =>
  (args) =>
    firstTextAt(args, ...names);
const PATH = at('path', 'file_path', 'filePath', 'targetFile', 'target_file', 'notebook_path');

const within: ToolWords['target'] = (args) => {
  const wanted = firstTextAt(args, 'pattern', 'globPattern', 'glob_pattern', 'query', 'regex');
  const place = firstTextAt(args, 'path', 'targetDirectory', 'target_directory');
  return wanted && place ? `${wanted} in ${place}` : (wanted ?? place);
};
const mcpTool: ToolWords['target'] = (args) => {
  const tool = firstTextAt(args, 'toolName', 'name');
  const server = firstTextAt(args, 'providerIdentifier', 'server', 'serverName');
  return server && tool ? `${server}:${tool}` : (tool ?? server);
};
const todoCount: ToolWords['target'] = (args) => {
  const todos = listAt(args, 'todos');
  return todos ? `${todos.length} ${todos.length === 1 ? 'entry' : 'entries'}` : undefined;
};
const paths: ToolWords['target'] = (args) =>
  listAt(args, 'paths')
    ?.filter((path) => typeof path === 'string')
    .join(', ') ?? PATH(args);

/** Tools by their plain name, in lower case and without marks: `readToolCall`, `Read` and `read_file` meet here. */
const WORDS: Readonly<Record<string, ToolWords>> = {
  shell: { kind: 'shell', target: at('command', 'cmd', 'script') },
  read: { kind: 'read', target: PATH },
  edit: { kind: 'edit', target: PATH },
  delete: { kind: 'delete', target: PATH },
  glob: { kind: 'search', target: within },
  grep: { kind: 'search', target: within },
  semsearch: { kind: 'search', target: within },
  ls: { kind: 'list', target: PATH },
  mcp: { kind: 'mcp', target: mcpTool },
  webfetch: { kind: 'web', target: at('url') },
  websearch: { kind: 'web', target: at('searchTerm', 'search_term', 'query') },
  updatetodos: { kind: 'plan', target: todoCount },
  createplan: { kind: 'plan', target: at('name', 'title', 'overview') },
  task: { kind: 'task', target: at('description', 'prompt') },
  readlints: { kind: 'read', target: paths },
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
  semanticsearch: 'semsearch',
  codebasesearch: 'semsearch',
  search: 'grep',
  list: 'ls',
  listdir: 'ls',
  fetch: 'webfetch',
  readtodos: 'updatetodos',
  todowrite: 'updatetodos',
};

/** Where an unknown tool keeps what it is aimed at, most telling first. */
const LIKELY_TARGETS = ['path', 'file_path', 'command', 'query', 'pattern', 'url', 'name', 'description'];

/** A tool call in a person's words. A tool nobody knows is shown by its own name. */
export function describeTool(name: string, args: WireRecord | undefined): ToolUse {
  const plain = name
    .replace(/ToolCall$/, '')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
  const words = entryOf(WORDS, entryOf(SAME_AS, plain) ?? plain);
  const target = words ? words.target(args) : firstTextAt(args, ...LIKELY_TARGETS);
  const timeoutMs = numberAt(args, 'timeout');
  return {
    name: head(name.replace(/ToolCall$/, ''), 100),
    kind: words?.kind ?? 'other',
    target: head(target ?? '', TARGET_CHARACTERS),
    ...(timeoutMs !== undefined && timeoutMs > 0 ? { timeoutMs } : {}),
  };
}
