import { number } from '../text/format.js';
import { byPath } from '../text/paths.js';

/** A file of rules that a team wrote for reviews, and what of the change it is about. */
export interface TeamRules {
  path: string;
  text: string;
  /** The folder that it is about; empty for the whole repository. */
  folder: string;
  /** The changed files below that folder; undefined if the changed files are not known. */
  files: readonly string[] | undefined;
  /** The names by which findings refer to it: the file, then each of its headings. */
  rules: readonly { id: string; title: string }[];
}

/** A file of the reviewed repository that looks like one of rules. */
export interface RulesFile {
  path: string;
  /** Undefined if it is larger than `MAX_RULES_FILE_BYTES`, and so was not read. */
  bytes: Buffer | undefined;
}

/** A larger file is no list of rules. */
export const MAX_RULES_FILE_BYTES = 64 * 1024;
/** What a chat can follow besides its task. */
const MAX_RULES_CHARACTERS = 32_000;
const MAX_RULES_FILES = 20;

const BUGBOT = /^(?:(.+)\/)?\.cursor\/BUGBOT\.md$/;
const IN_ROOT = 'REVIEW.md';

export const isTeamRules = (path: string): boolean => path === IN_ROOT || BUGBOT.test(path);

/**
 * The rules that are about a change: those of the root, and those in the folders above its files. Whole files only, the
 * most general first, as many as fit; the notes say which did not.
 */
export function chooseTeamRules(
  found: readonly RulesFile[],
  changed: readonly string[] | undefined,
): { team: TeamRules[]; notes: string[] } {
  const team: TeamRules[] = [];
  const notes: string[] = [];
  const ids = new Set<string>();
  let room = MAX_RULES_CHARACTERS;
  const leaveOut = (path: string, why: string) => {
    notes.push(`The rules in ${path} were left out of this review, because ${why}.`);
  };
  for (const { path, bytes, folder, files } of found.map(withFolder(changed)).sort(fromTheTop)) {
    // Without a list of the changed files, only the rules of the root are certain to be about them.
    if (folder !== '' && (files === undefined || files.length === 0)) continue;
    const text = bytes?.toString('utf8').trim();
    if (text === '') continue;
    if (text === undefined) leaveOut(path, `the file has more than ${number(MAX_RULES_FILE_BYTES)} bytes`);
    else if (text.length > room)
      leaveOut(path, `all rules together may have ${number(MAX_RULES_CHARACTERS)} characters`);
    else if (team.length >= MAX_RULES_FILES)
      leaveOut(path, `at most ${number(MAX_RULES_FILES)} files of rules are read`);
    else {
      room -= text.length;
      team.push({ path, text, folder, files, rules: namedRules({ path, folder, text }, ids) });
    }
  }
  return { team, notes };
}

const withFolder = (changed: readonly string[] | undefined) => (file: RulesFile) => {
  const folder = BUGBOT.exec(file.path)?.[1] ?? '';
  return { ...file, folder, files: changed?.filter((path) => isBelow(path, folder)) };
};

const isBelow = (path: string, folder: string): boolean => folder === '' || path.startsWith(`${folder}/`);

const depthOf = (folder: string): number => (folder === '' ? 0 : folder.split('/').length);

const fromTheTop = (one: { folder: string; path: string }, other: { folder: string; path: string }): number =>
  depthOf(one.folder) - depthOf(other.folder) || byPath(one, other);

const MAX_ID = 40;
const MAX_HEADINGS = 60;

/** A heading is a rule, or a group of them. Fenced code has no headings. */
function namedRules(
  { path, folder, text }: Pick<TeamRules, 'path' | 'folder' | 'text'>,
  taken: Set<string>,
): TeamRules['rules'] {
  const own = [path === IN_ROOT ? 'review' : 'bugbot', ...(folder === '' ? [] : [slug(folder)])].join('.');
  const prose = text.replace(/^[ \t]*(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm, '');
  const headings = [...prose.matchAll(/^ {0,3}#{1,6}[ \t]+(.*\S)[ \t]*$/gm)].map(([, title = '']) => title);
  const named = [
    { wanted: own, title: 'any other rule of this file' },
    ...headings.slice(0, MAX_HEADINGS).map((title) => ({ wanted: `${own}.${slug(title)}`, title })),
  ];
  return named.map(({ wanted, title }) => ({ id: claim(wanted, taken), title }));
}

/** Letters of other scripts are not in an id, so it may only be a number. */
const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'rule';

function claim(wanted: string, taken: Set<string>): string {
  for (let count = 1; ; count += 1) {
    const end = count === 1 ? '' : `-${count}`;
    const id = `${wanted.slice(0, MAX_ID - end.length).replace(/[.-]+$/, '')}${end}`;
    if (taken.has(id)) continue;
    taken.add(id);
    return id;
  }
}

/** Whether a finding about this file can come from the rule. */
export const isRuleFor = (team: readonly TeamRules[], id: string, path: string): boolean =>
  team.some(({ folder, rules }) => isBelow(path, folder) && rules.some((rule) => rule.id === id));
