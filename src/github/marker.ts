import { createHash } from 'node:crypto';

/**
 * The hidden first line of everything we write, by which a later run recognises it. Its values are hashes, so no
 * text can break out of it. It counts only at the very beginning, where text of a report never is, and only in
 * comments and pull requests that our own account wrote. In the description of a pull request it begins our part of it.
 */
export type Marker =
  | { kind: 'comment'; key: string }
  | { kind: 'review'; key: string; state: string }
  | { kind: 'finding'; key: string; place: string; what: string }
  | { kind: 'closed'; key: string; place: string }
  | { kind: 'proposal'; key: string; title: string };

export const digest = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 20);

export function writeMarker({ kind, ...values }: Marker): string {
  const pairs = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  return `<!-- cursor-agent-action ${kind} ${pairs.join(' ')} -->`;
}

const MARKER =
  /^<!-- cursor-agent-action (comment|review|finding|closed|proposal)((?: [a-z]+=[0-9a-f]{20}){1,4}) -->/;

export function readMarker(body: string): Marker | undefined {
  const [, kind, pairs = ''] = MARKER.exec(body) ?? [];
  const values = new Map(
    pairs
      .trim()
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  );
  const [key, state, place, what, title] = ['key', 'state', 'place', 'what', 'title'].map((name) =>
    values.get(name),
  );
  if (key === undefined) return undefined;
  if (kind === 'comment') return { kind, key };
  if (kind === 'review' && state !== undefined) return { kind, key, state };
  if (kind === 'finding' && place !== undefined && what !== undefined) return { kind, key, place, what };
  if (kind === 'closed' && place !== undefined) return { kind, key, place };
  if (kind === 'proposal' && title !== undefined) return { kind, key, title };
  return undefined;
}
