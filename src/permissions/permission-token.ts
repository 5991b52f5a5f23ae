/**
 * One permission token of the CLI, parsed. A rule and a request have the same form: a request for one command,
 * path, site or tool is a token without `*`.
 */
export type PermissionToken =
  | { kind: 'Shell'; command: string; args?: string }
  | { kind: 'Read' | 'Write'; pattern: string }
  | { kind: 'WebFetch'; domain: string }
  | { kind: 'Mcp'; server: string; tool: string };

export type PermissionKind = PermissionToken['kind'];

const RIGHT_FORM: Readonly<Record<PermissionKind, string>> = {
  Shell: 'Shell(npm) or Shell(npm:test*)',
  Read: 'Read(src/**)',
  Write: 'Write(docs/**)',
  WebFetch: 'WebFetch(example.com), WebFetch(*.example.com) or WebFetch(*)',
  Mcp: 'Mcp(server:tool), with * on either side',
};
const ALL_FORMS = Object.values(RIGHT_FORM).join('; ');

/** Text → PermissionToken, or what is wrong with the text and how it should look. */
export function parsePermission(token: string): { permission: PermissionToken } | { problem: string } {
  const parts = /^([^(]*)\((.*)\)$/s.exec(token);
  const name = (parts?.[1] ?? /^\w*/.exec(token)?.[0] ?? '').trim();
  const kind = (Object.keys(RIGHT_FORM) as PermissionKind[]).find(
    (known) => known.toLowerCase() === name.toLowerCase(),
  );
  if (!kind) return { problem: `${show(token)} is not a permission token; the forms are ${ALL_FORMS}.` };
  const inside = parts?.[2]?.trim() ?? '';
  const permission = kind === name && inside !== '' && isPrintable(inside) ? build(kind, inside) : undefined;
  const trap = kind === 'Read' || kind === 'Write' ? pathTrap(inside) : undefined;
  if (permission && trap !== undefined) return { problem: `${show(token)} matches no file. ${trap}` };
  return permission ? { permission } : { problem: `${show(token)} is malformed; write ${RIGHT_FORM[kind]}.` };
}

/** Tokens that are written in the code: a mistake in one is a bug. */
export function permissions(...tokens: readonly string[]): PermissionToken[] {
  return tokens.map((token) => {
    const result = parsePermission(token);
    if ('problem' in result) throw new Error(result.problem);
    return result.permission;
  });
}

function build(kind: PermissionKind, inside: string): PermissionToken | undefined {
  switch (kind) {
    case 'Shell': {
      const colon = inside.indexOf(':');
      const command = colon < 0 ? inside : inside.slice(0, colon);
      if (!/^\S+$/.test(command)) return undefined;
      return colon < 0 ? { kind, command } : { kind, command, args: inside.slice(colon + 1) };
    }
    case 'Read':
    case 'Write':
      // `**/**/x` means `**/x`, and all readers of the pattern must agree on that.
      return /(^|[\\/])\.\.([\\/]|$)/.test(inside)
        ? undefined
        : { kind, pattern: inside.replace(/(?:\*\*\/){2,}/g, '**/') };
    case 'WebFetch':
      return /^(\*|(\*\.)?[\w-]+(\.[\w-]+)*)$/.test(inside) ? { kind, domain: inside } : undefined;
    case 'Mcp': {
      const [server, tool, ...rest] = inside.split(':');
      return server && tool && rest.length === 0 ? { kind, server, tool } : undefined;
    }
  }
}

/** Patterns that other tools understand and the CLI does not. A rule that silently matches nothing protects nothing. */
function pathTrap(pattern: string): string | undefined {
  if (pattern.startsWith('~')) return 'Write the whole path: ~ is not replaced.';
  if (pattern.endsWith('/')) return `A folder's files are ${show(`${pattern}**`)}.`;
  if (/[?{}]/.test(pattern)) return 'Only * is special: use it, or write one token for each name.';
  if (/(?!^)\/\.?\//.test(pattern)) return 'Leave out the extra slash or dot.';
  return undefined;
}

// eslint-disable-next-line no-control-regex -- control characters are exactly what must not pass
const isPrintable = (text: string): boolean => !/[\u0000-\u001f\u007f]/.test(text);
const show = (token: string): string => JSON.stringify(token.length > 80 ? `${token.slice(0, 80)}…` : token);

/** What is between the brackets, split at the colon that separates two patterns. */
function partsOf(token: PermissionToken): string[] {
  switch (token.kind) {
    case 'Shell':
      return token.args === undefined ? [token.command] : [token.command, token.args];
    case 'Read':
    case 'Write':
      return [token.pattern];
    case 'WebFetch':
      return [token.domain];
    case 'Mcp':
      return [token.server, token.tool];
  }
}

/** PermissionToken → the text the CLI reads. */
export const formatPermission = (token: PermissionToken): string =>
  `${token.kind}(${partsOf(token).join(':')})`;

export const isSameToken = (a: PermissionToken, b: PermissionToken): boolean =>
  formatPermission(a) === formatPermission(b);

/**
 * Whether a rule covers everything that `wanted` stands for: one command, path, site or tool, or a whole token.
 * A `*` in `wanted` can only be matched by a `*` of the rule, so a narrower rule never covers a wider token.
 */
export function covers(rule: PermissionToken, wanted: PermissionToken): boolean {
  switch (rule.kind) {
    case 'Shell':
      return (
        wanted.kind === 'Shell' &&
        matches(rule.command, wanted.command) &&
        (isAnything(rule.args ?? '*') || (wanted.args !== undefined && matches(rule.args ?? '', wanted.args)))
      );
    case 'Read':
    case 'Write':
      // A relative path is also looked at from its root, because `**/x` covers an `x` at the top.
      return (
        wanted.kind === rule.kind &&
        (isAnything(rule.pattern) ||
          [wanted.pattern, `/${wanted.pattern}`].some((path) => matches(rule.pattern, path)))
      );
    case 'WebFetch':
      return wanted.kind === 'WebFetch' && matches(rule.domain, wanted.domain);
    case 'Mcp':
      return wanted.kind === 'Mcp' && matches(rule.server, wanted.server) && matches(rule.tool, wanted.tool);
  }
}

/** Whether a rule covers everything of its kind: `Shell(*)`, `Shell(*:*)`, `Write(**)`, `Mcp(*:*)`. */
export const coversKind = (rule: PermissionToken, kind: PermissionKind): boolean =>
  rule.kind === kind && partsOf(rule).every(isAnything);

/** Whether a path pattern starts at the root of the file system, or of a drive. */
export const isAbsolute = (pattern: string): boolean => /^\/|^[A-Za-z]:[\\/]/.test(pattern);

/** `*`, `**`, and for paths also `**` with slashes between. */
const isAnything = (pattern: string): boolean => /^\*+(\/\*+)*$/.test(pattern);

// A relative path pattern without each `./` and `**/` at its start.
export const withoutLead = (pattern: string): string =>
  pattern.replace(/^(\.\/)+/, '').replace(/^(\*\*\/)+/, '');

const matches = (pattern: string, text: string): boolean => cliPatternTest(pattern)(text);

/**
 * How a deny rule reads a path pattern: widely, as the CLI does. A relative pattern matches in every folder, and `x/**`
 * also matches `x` itself, because `x` could be made a link to a folder that may be written.
 */
export function denyPatternTest(pattern: string): (path: string) => boolean {
  const forms = [pattern, pattern.replace(/\/\*+$/, '')];
  const tests = isAbsolute(pattern)
    ? forms.map(cliPatternTest)
    : forms.map(withoutLead).flatMap((form) => [cliPatternTest(form), cliPatternTest(`*/${form}`)]);
  return (path) => tests.some((test) => test(path));
}

/**
 * The CLI's own matching of patterns in tokens: `*` and `**` both stand for any text, slashes included, and every
 * other character stands for itself. (`ignoreFinder` is for patterns as in `.gitignore`, where `*` stops at a slash.)
 * The parts between the stars are searched from left to right, so no pattern can make it slow.
 */
export function cliPatternTest(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split(/\*+/);
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let from = first.length;
    for (const piece of rest) {
      const found = text.indexOf(piece, from);
      if (found < 0) return false;
      from = found + piece.length;
    }
    return from + last.length <= text.length;
  };
}
