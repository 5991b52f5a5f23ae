import type { How } from './isolate.js';
import { SETUP_PROBLEM, type User } from './script.js';

/**
 * Runs inside the isolation. It prints what the process is, tries to write a file that must not be writable (`$1`, which
 * is looked for from outside), and writes to the home (`$2`) and the layer (`$3`), which must be writable.
 */
export const CHECK = `read -r pid rest </proc/self/stat
echo "OwnProc: $([ "$pid" = "$$" ] && echo yes)"
cat /proc/self/status
(: >"$1") 2>/dev/null
(: >"$2") 2>/dev/null && echo 'Home: written'
(: >"$3") 2>/dev/null && echo 'Layer: written'
exit 0
`;

/** What the output of the check shows to be wrong, or nothing. */
export function problemInside(said: string, user: User, how: How): string | undefined {
  const facts = new Map(
    said.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [
        line.slice(0, colon),
        line
          .slice(colon + 1)
          .trim()
          .split(/\s+/),
      ];
    }),
  );
  const first = (name: string) => facts.get(name)?.[0];
  const groups = (facts.get('Groups') ?? []).filter((group) => group !== '');
  // A new user namespace has a full bounding set, but without new privileges nothing of it can be used.
  const capabilities = ['CapEff', 'CapPrm', ...(how === 'user-namespace' ? [] : ['CapBnd'])];
  const wrong = [
    first('OwnProc') !== 'yes' && 'it still saw the processes of this machine',
    first('NoNewPrivs') !== '1' && 'it could still gain privileges',
    !capabilities.every((name) => /^0+$/.test(first(name) ?? '')) && 'it still had capabilities',
    (first('Uid') !== String(user.uid) || first('Gid') !== String(user.gid)) && 'it ran as another user',
    // In a user namespace only one group is mapped. All others show up as nobody.
    how !== 'user-namespace' && !isSameSet(groups, user.groups.map(String)) && 'it ran with other groups',
    first('Home') !== 'written' && 'it could not write its own home',
    first('Layer') !== 'written' && 'it could not write its layer of the checkout',
  ].filter((text) => text !== false);
  return wrong.length === 0 ? undefined : `It was tried, and ${wrong.join(', and ')}.`;
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  new Set([...one, ...other]).size === new Set(one).size && new Set(one).size === new Set(other).size;

const CONTAINER = 'a container without CAP_SYS_ADMIN, or a strict seccomp, AppArmor or SELinux profile';

/** Known failures by the messages of the tools. The first match counts. */
const EXPLANATIONS: readonly { sign: RegExp; why: string }[] = [
  {
    sign: /^sudo: .*(password|askpass|terminal)/m,
    why: 'The runner’s user is not root, and its sudo asks for a password.',
  },
  {
    sign: /not in the sudoers|may not run sudo|is not allowed to/,
    why: 'The runner’s user is not root, and may not use sudo.',
  },
  {
    sign: /no new privileges/,
    why: 'sudo cannot work here: the runner itself was started with no_new_privs, as some containers are.',
  },
  {
    sign: /^unshare: /m,
    why: `Root may not make namespaces here. The usual cause is ${CONTAINER}.`,
  },
  {
    sign: /^(u?mount|mountpoint): /m,
    why: `Root may make namespaces here, but not arrange the file systems in them. The usual cause is ${CONTAINER}.`,
  },
];

/** Why the set-up failed, in one sentence, with the message of the tool that failed. */
export function explainFailure(stderr: string): string {
  const said = stderr.replace(SETUP_PROBLEM, '').trim();
  const known = EXPLANATIONS.find(({ sign }) => sign.test(said));
  const quoted = said === '' ? 'nothing was said about the cause' : `“${said.split('\n')[0] ?? ''}”`;
  return known ? `${known.why} (${quoted})` : `It was tried and could not be set up: ${quoted}.`;
}
