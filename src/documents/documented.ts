import { isGenerated, type FileDiff } from '../git/diff.js';
import { ignoreFinder } from '../text/patterns.js';

/** Whether a path matches one of these patterns, which spaces separate. */
function matcher(patterns: string): (path: string) => boolean {
  const find = ignoreFinder(patterns.split(' '));
  return (path) => find(path) !== undefined;
}

/** A document of the repository. */
export interface Document {
  path: string;
  text: string;
}

export interface DocumentedRequest {
  files: readonly FileDiff[];
  documents: readonly Document[];
  /** The text of a changed file as it is now; undefined if it cannot be read. */
  sourceOf(path: string): string | undefined;
}

/** What the change and the documents have in common. */
export interface Documented {
  /** Names and paths that are in the change and in a document. */
  described: string[];
  /** New public names. */
  added: string[];
  /** How many files and names were compared. */
  files: number;
  names: number;
}

export const isDocument = matcher(
  '*.md *.mdx *.markdown *.rst *.adoc *.asciidoc *.textile *.pod docs/**/*.txt docs/**/*.html ' +
    'doc/**/*.txt doc/**/*.html README README.*',
);

/** Tests show nothing that users get. */
const isTest = matcher(
  'test/** tests/** **/test/** **/tests/** **/__tests__/** **/__mocks__/** **/__snapshots__/** ' +
    '**/fixtures/** **/testdata/** *.test.* *.spec.* *_test.* test_*.py conftest.py',
);

/**
 * Compares a change with the documents of its repository. A name counts wherever it stands: in a changed line, in the lines
 * around it, or as the name of what the changed line belongs to. What a change does to code elsewhere is not seen.
 */
export function compareWithDocuments({ files, documents, sourceOf }: DocumentedRequest): Documented {
  const changed = files.filter(({ path }) => !isDocument(path) && !isGenerated(path) && !isTest(path));
  const names = new Set(changed.flatMap((file) => [...namesOfFile(file, sourceOf)]));
  const documented = new Set(documents.flatMap(({ text }) => [...namesInDocument(text)]));
  const words = documents.map(({ text }) => text).join('\n');
  const paths = changed.flatMap(({ path, oldPath }) => [path, oldPath ?? path]);
  const namedPaths = [...new Set(paths)].filter((path) => words.includes(path));
  return {
    described: [...[...names].filter((name) => documented.has(name)), ...namedPaths].sort(),
    added: newPublicNames(changed).sort(),
    files: changed.length,
    names: names.size,
  };
}

/** Words that every language and every document has. */
const COMMON: ReadonlySet<string> = new Set(
  (
    'abstract and any array as async await bool boolean break case catch char class const continue def default delete do double ' +
    'elif else end enum except export extends extern false final finally float fn for from func function get go goto if impl ' +
    'implements import in include instanceof int interface is lambda let long loop main match mod module move mut namespace new ' +
    'nil none not null number object of or package pass private protected pub public raise readonly ref require return self ' +
    'set short static str string struct super switch the then this throw throws trait true try type typeof undefined union ' +
    'unsafe use using val value var void where while with yield'
  ).split(' '),
);

const NAME = /--?[A-Za-z][\w-]*|\/(?:[\w:{}*.-]+\/?)+|[A-Za-z_$][\w$]*(?:[-.][A-Za-z_$][\w$]*)*/g;
const MIN_NAME = 3;

/** Every name in a piece of code: identifiers, options, routes, dotted and dashed keys, and the parts of these. */
function* namesIn(code: string): Generator<string> {
  for (const [name] of code.matchAll(NAME)) {
    if (isName(name)) yield name;
    const parts = name.startsWith('-') ? [name.replace(/^-+/, '')] : name.split(/[./]/);
    if (parts.length > 1 || parts[0] !== name) for (const part of parts) if (isName(part)) yield part;
  }
}

const isName = (name: string): boolean =>
  name.length >= MIN_NAME && !COMMON.has(name.toLowerCase()) && /[A-Za-z]/.test(name);

function namesOfFile(file: FileDiff, sourceOf: DocumentedRequest['sourceOf']): Set<string> {
  const names = new Set<string>();
  const source = file.status === 'deleted' ? undefined : sourceOf(file.path)?.split('\n');
  for (const { lines, newStart } of file.hunks) {
    for (const { text } of lines) for (const name of namesIn(text)) names.add(name);
    for (const name of enclosing(source ?? [], newStart)) names.add(name);
  }
  return names;
}

const DECLARATION =
  /^\s*(?:[\w@]+\s+)*?(?:function\*?|class|interface|type|enum|def|fn|func|struct|trait|impl|module|namespace|const|let|var)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)|^\s*(?:[\w<>[\],?]+\s+)*([A-Za-z_$][\w$]*)\s*\([^;]*\)\s*(?::[^=]*)?\{\s*$|^\s*["']?([A-Za-z_][\w.-]*)["']?\s*:\s*\S{0,3}$/;

const MAX_DECLARATION = 500;

/** The names of what a line belongs to, by indentation: its function, its class, its key. */
function enclosing(source: readonly string[], line: number): string[] {
  const names: string[] = [];
  const indentOf = (text: string) => text.length - text.trimStart().length;
  let indent = Infinity;
  for (let at = Math.min(line, source.length) - 1; at >= 0 && indent > 0; at -= 1) {
    const text = source[at] ?? '';
    if (text.trim() === '' || indentOf(text) >= indent) continue;
    const name = DECLARATION.exec(text.slice(0, MAX_DECLARATION))?.slice(1).find(Boolean);
    if (name !== undefined) names.push(name);
    // Beside the line itself, only what is further out can hold it.
    indent = name !== undefined || Number.isFinite(indent) ? indentOf(text) : indentOf(text) + 1;
  }
  return names.filter(isName);
}

/** Names in code of a document, and words of its prose that can only be names. */
function namesInDocument(text: string): Set<string> {
  const names = new Set<string>();
  const prose = text.replace(
    /(```+|~~~+)[\s\S]*?(?:\1|$)|(`+)[^`]+?\2|<(?:code|pre)[\s\S]*?<\/(?:code|pre)>/g,
    (code) => {
      for (const name of namesIn(code)) names.add(name);
      return ' ';
    },
  );
  for (const [name] of prose.matchAll(NAME))
    if (isName(name) && /^--|[_/.]|[a-z][A-Z]|^[A-Z][A-Z\d_]{2,}$|[a-z]-[a-z]/.test(name)) names.add(name);
  return names;
}

/** How languages and frameworks make something public. Each has a group for the name. */
const PUBLIC: readonly RegExp[] = [
  /^\s*export\s+(?:default\s+)?(?:declare\s+|abstract\s+|async\s+)*(?:const|let|var|function\*?|class|interface|type|enum|namespace)\s+([\w$]+)/g,
  /^\s*export\s+(?:type\s+)?\{([^}]+)/g,
  /^\s*export\s+\*\s+from\s+['"]([^'"]+)/g,
  /\bexports\.([\w$]+)\s*=/g,
  /^\s*pub\s+(?:async\s+|unsafe\s+|const\s+)*(?:fn|struct|enum|trait|mod|const|static|type|use)\s+(\w+)/g,
  /^(?:func\s+(?:\([^)]*\)\s*)?|type\s+|var\s+|const\s+)([A-Z]\w*)/g,
  /^(?:async\s+)?(?:def|class)\s+([A-Za-z]\w*)/g,
  /^\s*(?:public|open)\s+(?:[\w<>[\],?]+\s+)*?(\w+)\s*(?:[({=;:]|$)/g,
  /['"`](--[a-z][\w-]+)/g,
  /\.(?:get|post|put|patch|delete|all|route|use|handle|HandleFunc|Handle)\(\s*['"`](\/[^'"`]*)/g,
  /@\w*(?:Get|Post|Put|Delete|Patch|Request|route)\w*\(\s*['"](\/[^'"]*)/g,
  /\bprocess\.env(?:\.|\[['"])(\w+)|\b(?:environ(?:\.get)?[[(]|getenv\(|env::var\(|Getenv\(|ENV\[)\s*['"](\w+)/gi,
  /\.(?:command|option|add_parser|add_argument)\(\s*['"`]([\w:<>[\] ,-]+)/g,
  /\bUse:\s*"([\w-]+)/g,
];

/** Files that are an interface themselves: each new key of them is public. */
const isInterface = matcher(
  'action.yml action.yaml *.schema.json openapi* swagger* *.proto *.graphql *.graphqls *.avsc *.example ' +
    '*.example.* *.sample package.json docker-compose*.yml values.yaml',
);
const KEY =
  /^\s*(?:-\s+)?["']?([\w.-]+)["']?\s*[:=({]|^\s*(?:rpc|message|service|enum|optional|repeated)?\s*\w+\s+(\w+)\s*=/g;

/** Public names that only the new side has. */
function newPublicNames(files: readonly FileDiff[]): string[] {
  const namesOn = (kind: 'added' | 'removed') =>
    new Set(
      files.flatMap((file) => {
        const shapes = isInterface(file.path) ? [...PUBLIC, KEY] : PUBLIC;
        const lines = file.hunks.flatMap((hunk) => hunk.lines.filter((line) => line.kind === kind));
        return lines.flatMap(({ text }) => shapes.flatMap((shape) => groupsOf(shape, text)));
      }),
    );
  const former = namesOn('removed');
  return [...namesOn('added')].filter((name) => !former.has(name));
}

const MAX_LINE = 2000;
const groupsOf = (shape: RegExp, text: string): string[] =>
  [...text.slice(0, MAX_LINE).matchAll(shape)].flatMap(([, ...groups]) =>
    groups.flatMap((group: string | undefined) =>
      group === undefined ? [] : group.split(/[\s,]+/).filter(Boolean),
    ),
  );
