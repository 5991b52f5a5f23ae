/** What git needs to read a repository, by section; a setting that could carry a credential is not among them. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  core: [
    'repositoryformatversion',
    'filemode',
    'bare',
    'logallrefupdates',
    'ignorecase',
    'precomposeunicode',
    'symlinks',
    'worktree',
    'autocrlf',
    'eol',
    'quotepath',
    'sparsecheckout',
    'sparsecheckoutcone',
  ],
  extensions: ['objectformat', 'partialclone', 'refstorage', 'worktreeconfig', 'compatobjectformat'],
  remote: ['url', 'fetch', 'tagopt', 'promisor', 'partialclonefilter'],
  branch: ['remote', 'merge'],
  submodule: ['url', 'active'],
};

const SECTION = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*$/;
const SETTING = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)$/;

/**
 * A git configuration without its credentials. Only what is known to be harmless is carried over: a header, a
 * helper, a rewritten address or anything written in an unusual way stays behind.
 */
export function withoutCredentials(config: string): string {
  const kept: string[] = [];
  let names: readonly string[] = [];
  // A setting goes on in the next line after a backslash; such a one is left out whole.
  for (const line of config.replace(/\\\r?\n/g, '\\').split(/\r?\n/)) {
    const section = SECTION.exec(line);
    if (section) {
      const [, name = '', subsection = ''] = section;
      names = subsection.includes('://') ? [] : namesOf(name.toLowerCase());
      if (names.length > 0) kept.push(line.trim());
    } else if (line.trimStart().startsWith('[')) {
      names = [];
    } else {
      const [, name = '', value = ''] = SETTING.exec(line) ?? [];
      if (names.includes(name.toLowerCase()) && !value.includes('\\')) {
        kept.push(`\t${name} = ${withoutUser(value)}`);
      }
    }
  }
  return kept.map((line) => `${line}\n`).join('');
}

const namesOf = (section: string): readonly string[] =>
  Object.hasOwn(KEPT, section) ? (KEPT[section] ?? []) : [];

/** An address without the user, the password and the query, each of which can be a token. */
const withoutUser = (value: string): string =>
  value.replace(/([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^/\s]*@/g, '$1').replace(/(:\/\/[^?\s]*)\?.*$/, '$1');
