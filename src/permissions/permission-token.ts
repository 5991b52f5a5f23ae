/** One permission token of the CLI, taken apart. */
export type Permission =
  | { kind: 'Shell'; command: string; args?: string }
  | { kind: 'Read' | 'Write'; pattern: string }
  | { kind: 'WebFetch'; domain: string }
  | { kind: 'Mcp'; server: string; tool: string };

export type PermissionKind = Permission['kind'];

const RIGHT_FORM: Readonly<Record<PermissionKind, string>> = {
  Shell: 'Shell(npm) or Shell(npm:test*)',
  Read: 'Read(src/**)',
  Write: 'Write(docs/**)',
  WebFetch: 'WebFetch(example.com), WebFetch(*.example.com) or WebFetch(*)',
  Mcp: 'Mcp(server:tool), with * on either side',
};
const ALL_FORMS = Object.values(RIGHT_FORM).join('; ');

/** Text → Permission, or what is wrong with it and how it should look. */
export function parsePermission(token: string): { permission: Permission } | { problem: string } {
  const parts = /^([^(]*)\((.*)\)$/s.exec(token);
  const name = (parts?.[1] ?? /^\w*/.exec(token)?.[0] ?? '').trim();
  const kind = (Object.keys(RIGHT_FORM) as PermissionKind[]).find(
    (known) => known.toLowerCase() === name.toLowerCase(),
  );
  if (!kind) return { problem: `${show(token)} is not a permission token; the forms are ${ALL_FORMS}.` };
  const inside = parts?.[2]?.trim() ?? '';
  const permission = kind === name && inside !== '' && isPrintable(inside) ? build(kind, inside) : undefined;
  return permission ? { permission } : { problem: `${show(token)} is malformed; write ${RIGHT_FORM[kind]}.` };
}

/** Permission → the text the CLI reads. */
export function formatPermission(permission: Permission): string {
  switch (permission.kind) {
    case 'Shell':
      return permission.args === undefined
        ? `Shell(${permission.command})`
        : `Shell(${permission.command}:${permission.args})`;
    case 'Read':
    case 'Write':
      return `${permission.kind}(${permission.pattern})`;
    case 'WebFetch':
      return `WebFetch(${permission.domain})`;
    case 'Mcp':
      return `Mcp(${permission.server}:${permission.tool})`;
  }
}

function build(kind: PermissionKind, inside: string): Permission | undefined {
  switch (kind) {
    case 'Shell': {
      const colon = inside.indexOf(':');
      const command = colon < 0 ? inside : inside.slice(0, colon);
      if (!/^\S+$/.test(command)) return undefined;
      return colon < 0 ? { kind, command } : { kind, command, args: inside.slice(colon + 1) };
    }
    case 'Read':
    case 'Write':
      return /(^|[\\/])\.\.([\\/]|$)/.test(inside) ? undefined : { kind, pattern: inside };
    case 'WebFetch':
      return /^(\*|(\*\.)?[\w-]+(\.[\w-]+)*)$/.test(inside) ? { kind, domain: inside } : undefined;
    case 'Mcp': {
      const [server, tool, ...rest] = inside.split(':');
      return server && tool && rest.length === 0 ? { kind, server, tool } : undefined;
    }
  }
}

// eslint-disable-next-line no-control-regex -- control characters are exactly what must not pass
const isPrintable = (text: string): boolean => !/[\u0000-\u001f\u007f]/.test(text);
const show = (token: string): string => JSON.stringify(token.length > 80 ? `${token.slice(0, 80)}…` : token);
