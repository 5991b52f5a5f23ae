import { SEVERITIES, FindingSchema, FindingsSchema } from '../report/findings.js';

/**
 * What is forgiven in a review before it is validated, because what was meant is beyond doubt; docs/findings.md says
 * so too. `root` is the top of the checkout.
 */
export function forgiveFindings(value: unknown, root: string): unknown {
  if (!isObject(value)) return value;
  const { findings, ...rest } = known(value, Object.keys(FindingsSchema.shape));
  return {
    ...rest,
    ...(findings === undefined
      ? {}
      : {
          findings: Array.isArray(findings) ? findings.map((item) => forgiveFinding(item, root)) : findings,
        }),
  };
}

function forgiveFinding(value: unknown, root: string): unknown {
  if (!isObject(value)) return value;
  const { path, severity, startLine, endLine, suggestion, ...rest } = known(
    value,
    Object.keys(FindingSchema.shape),
  );
  const [start, end] = [asNumber(startLine), asNumber(endLine ?? startLine)];
  const isReversed = typeof start === 'number' && typeof end === 'number' && start > end;
  return {
    ...(path === undefined ? {} : { path: typeof path === 'string' ? forgivePath(path, root) : path }),
    ...(start === undefined ? {} : { startLine: isReversed ? end : start }),
    ...(end === undefined ? {} : { endLine: isReversed ? start : end }),
    ...(severity === undefined ? {} : { severity: forgiveSeverity(severity) }),
    ...rest,
    ...(suggestion === undefined || suggestion === null ? {} : { suggestion }),
  };
}

/** Fields nobody asked for are left out. */
const known = (value: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(value, name) ? [[name, value[name]]] : [])));

/** `./src\a.ts` and `/home/runner/work/r/r/src/a.ts` are both `src/a.ts`. */
export function forgivePath(path: string, root: string): string {
  const [slashed, top] = [path.trim().replaceAll('\\', '/'), root.replaceAll('\\', '/').replace(/\/+$/, '')];
  const inside = slashed.startsWith(`${top}/`) ? slashed.slice(top.length + 1) : slashed;
  return inside.replace(/^(?:\.\/+)+/, '').replace(/\/\/+/g, '/');
}

function forgiveSeverity(severity: unknown): unknown {
  if (typeof severity !== 'string') return severity;
  const word = severity.trim().toLowerCase();
  return SEVERITIES.find((name) => name === word) ?? severity;
}

const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
