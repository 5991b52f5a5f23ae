/** Code points some file systems do not see in a name, so that `.g<U+200C>it` opens `.git` there. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * One spelling for all that a case-insensitive or normalising file system takes for the same name. Going
 * through upper case joins letters that lower case alone keeps apart (a long s and an s, ß and ss).
 */
export const foldPath = (path: string): string =>
  path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');

/** The same, without what a file system may overlook; for rules that forbid, never for those that allow. */
export const foldHard = (path: string): string => foldPath(path.replace(UNSEEN, ''));

/** Whether a name is `.git` on some system: by case, unseen code points, or the ways Windows shortens it. */
export const isDotGit = (name: string): boolean => /^(\.git|git~1)[ .]*(:.*)?$/s.test(foldHard(name));
