/** Code points that some file systems ignore in a name, so that `.g<U+200C>it` opens `.git` there. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * One spelling for all names that a case-insensitive or normalising file system treats as the same. Going through
 * upper case joins letters that lower case alone keeps apart (a long s and an s, ß and ss).
 */
export const foldPath = (path: string): string =>
  path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');

/** The same, without ignored code points. For rules that deny, never for rules that allow. */
export const foldHard = (path: string): string => foldPath(path.replace(IGNORED, ''));

/** Whether a name means `.git` on some system: by case, ignored code points, or the short names of Windows. */
export const isDotGit = (name: string): boolean => /^(\.git|git~1)[ .]*(:.*)?$/s.test(foldHard(name));

/** What is around a path that a change creates. Folders are named from the top, which is ''. */
interface Surroundings {
  /** Whether this path was there before the change. */
  existed(path: string): boolean;
  /** The names in a folder after the change. */
  namesIn(folder: string): Iterable<string>;
}

/**
 * Says why people or some system could take a path that a change creates for another one; undefined if they could not.
 * Names that were there before are not judged. Letters of other alphabets that look alike are not found.
 */
export function newPathJudge({ existed, namesIn }: Surroundings): (path: string) => string | undefined {
  const spellingsByFolder = new Map<string, Map<string, string[]>>();
  const spellingsIn = (folder: string) => {
    const spellings = spellingsByFolder.get(folder) ?? new Map<string, string[]>();
    if (!spellingsByFolder.has(folder))
      for (const name of namesIn(folder)) {
        const spelling = foldSpelling(name);
        spellings.set(spelling, [...(spellings.get(spelling) ?? []), name]);
      }
    spellingsByFolder.set(folder, spellings);
    return spellings;
  };
  return (path) => {
    const names = path.split('/');
    for (const [at, name] of names.entries()) {
      const folder = names.slice(0, at).join('/');
      if (existed(names.slice(0, at + 1).join('/'))) continue;
      const why = mistakableName(name);
      if (why !== undefined) return why;
      const twin = spellingsIn(folder)
        .get(foldSpelling(name))
        ?.find((other) => other !== name);
      if (twin !== undefined)
        return `${toAscii(name)} is spelled like ${toAscii(twin)}, which is there too, and some systems take one for the other`;
    }
    return undefined;
  };
}

/** One spelling for names that are hard to tell apart: besides case, also wide letters, ligatures and unseen characters. */
const foldSpelling = (name: string): string =>
  foldPath(name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')).normalize('NFKC');

/** So that two names that look the same are different in a message. */
const toAscii = (name: string): string =>
  name.replace(/[^ -~]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);

/** Characters without a shape, those that change the order of others, other spaces, and characters for private use. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/u;
const SHORT_NAME = /^(?=[^.]{1,8}(?:\.|$))[^.~]{1,6}~[1-9]\d{0,5}(?:\.[^.]{0,3})?$/;
const DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$) *(?:\.|$)/i;

function mistakableName(name: string): string | undefined {
  if (/[\p{Cc}\\:]/u.test(name)) return 'its name has a colon, a backslash or a control character';
  if (UNSEEN.test(name))
    return 'its name has an invisible character, or one that is easily taken for another';
  if (/^ |[ .]$/.test(name))
    return 'a name in it begins with a space, or ends with a space or a dot, which Windows leaves out';
  if (SHORT_NAME.test(name))
    return `${name} is the form of a short name on Windows, which means another file there`;
  return DEVICE.test(name) ? `${name} is a device on Windows` : undefined;
}

/** Whether this is the path of a file from the top of a repository, written in the only way that git writes it. */
export const isPlainPath = (path: string): boolean =>
  !path.includes('\0') && path.split('/').every((part) => !['', '.', '..'].includes(part));

/** By code units, which is the same on every machine, no matter its locale. */
export const byPath = (a: { path: string }, b: { path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
