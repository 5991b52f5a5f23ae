import type { ConfigFile } from './checkout-config.js';

/** Which rules the agent sees: those of the checkout, those of the base commit, or none. */
export type RulesChoice = 'head' | 'base' | 'none';

/** On these events the checkout holds what a pull request brought along. */
const PULL_REQUEST_EVENTS = new Set([
  'pull_request',
  'pull_request_target',
  'pull_request_review',
  'pull_request_review_comment',
]);

export function chooseRules(asked: 'auto' | RulesChoice, eventName: string | undefined): RulesChoice {
  if (asked !== 'auto') return asked;
  return eventName !== undefined && PULL_REQUEST_EVENTS.has(eventName) ? 'base' : 'head';
}

export interface RulesRequest {
  choice: RulesChoice;
  /** Everything of that sort in the checkout. */
  found: readonly ConfigFile[];
  /** The rules of the base commit by path, or why they cannot be had. */
  base: { files: Readonly<Record<string, Buffer>> } | { missing: string } | undefined;
  /** Our own files. */
  own: Readonly<Record<string, string>>;
}

/** What has to be absent and what has to be there for the agent; paths start at the top of the checkout. */
export interface Arrangement {
  setAside: readonly string[];
  files: Readonly<Record<string, string | Buffer>>;
}

/** What has to be set aside and what put in place; `note` says it when the base's rules could not be had. */
export function arrangeConfig({ choice, found, base, own }: RulesRequest): Arrangement & { note?: string } {
  const configuration = found.filter(({ kind }) => kind === 'configuration').map(({ path }) => path);
  const rules = found.filter(({ kind }) => kind === 'rules').map(({ path }) => path);
  if (choice === 'head') return { setAside: configuration, files: own };
  const setAside = [...configuration, ...rules];
  if (choice === 'none' || base === undefined) return { setAside, files: own };
  if ('missing' in base) {
    const note = `The rules of the base commit could not be read (${base.missing}), so the agent saw no project rules.`;
    return { setAside, files: own, note };
  }
  return { setAside, files: { ...base.files, ...own } };
}
