import { shellQuote } from '../../core/programs.js';
import type { PrivilegeSource } from './isolate.js';

/**
 * The set-up prints this line to stderr right before it starts the agent. If the line is missing, the agent was never
 * started. The agent cannot take it back, so it cannot pretend that it was never started.
 */
export const READY = 'The isolation is set up.';

/** Looks for the line in stderr and passes on everything else. */
export function awaitReady(pass: (chunk: Buffer) => void): {
  onStderr(chunk: Buffer): void;
  isReady(): boolean;
  /** What the tools printed if they failed. */
  printed(): string;
} {
  const line = Buffer.from(`${READY}\n`);
  let before = Buffer.alloc(0);
  let isReady = false;
  return {
    onStderr(chunk) {
      if (isReady) {
        pass(chunk);
        return;
      }
      before = Buffer.concat([before, chunk]);
      const at = before.indexOf(line);
      if (at === -1) return;
      isReady = true;
      const rest = Buffer.concat([before.subarray(0, at), before.subarray(at + line.length)]);
      if (rest.length > 0) pass(rest);
    },
    isReady: () => isReady,
    printed: () => before.toString('utf8'),
  };
}

/** A link that names the network namespace of the process that reads it. */
export const NETWORK_NAMESPACE = '/proc/self/ns/net';

/**
 * Runs inside the isolation as the agent's user, before the agent is started. It checks in `$1`, a file such as
 * /proc/self/status, that the process has the user `$2`, the group `$3`, the groups `$4` (or `any`), none of the
 * capabilities in the sets `$5`, and no way to gain more. Its network namespace must not be `$6`, unless that is `any`.
 * All further arguments are paths that must be writable.
 */
const CHECK_SCRIPT = `status=$1 uid=$2 gid=$3 groups=$4 empty=$5 outside=$6; shift 6
refuse() { echo "The isolation does not hold: the agent would $1." >&2; exit 1; }
contains() { for word in $2; do case " $1 " in *" $word "*) ;; *) return 1 ;; esac; done; }
read -r pid rest </proc/self/stat && [ "$pid" = $$ ] || refuse 'see the processes of this machine'
[ "$outside" = any ] || case $(readlink ${NETWORK_NAMESPACE}) in
"$outside" | '') refuse 'use the network of this machine' ;; esac
seen=0
while read -r name value rest; do
  case $name in
  Uid:) [ "$value" = "$uid" ] || refuse 'run as another user' ;;
  Gid:) [ "$value" = "$gid" ] || refuse 'run as another user' ;;
  Groups:)
    [ "$groups" = any ] || { contains "$groups" "$value $rest" && contains "$value $rest" "$groups"; } ||
      refuse 'run with other groups' ;;
  CapEff: | CapPrm: | CapBnd:)
    contains "$empty" "\${name%:}" && case $value in *[!0]*) refuse 'have capabilities' ;; esac ;;
  NoNewPrivs:) [ "$value" = 1 ] || refuse 'be able to gain privileges' ;;
  *) continue ;;
  esac
  seen=$((seen + 1))
done <"$status"
[ $seen = 7 ] || refuse 'run with unknown rights'
for path; do [ -w "$path" ] || refuse "be unable to write to $path"; done
exit 0
`;

interface ExpectedState {
  user: { uid: number; gid: number; groups: readonly number[] };
  /** In a user namespace only one group is mapped, and the bounding set is full, but of no use without new privileges. */
  isUserNamespace: boolean;
  writable: readonly string[];
  /** The network namespace of this machine, if the agent must not be in it. */
  outside?: string | undefined;
}

export function checkCommand(
  { user, isUserNamespace, writable, outside = 'any' }: ExpectedState,
  status = '/proc/self/status',
): string {
  const groups = isUserNamespace ? 'any' : user.groups.join(' ');
  const empty = ['CapEff', 'CapPrm', ...(isUserNamespace ? [] : ['CapBnd'])].join(' ');
  const words = ['check', status, String(user.uid), String(user.gid), groups, empty, outside, ...writable];
  return `sh -c ${[CHECK_SCRIPT, ...words].map(shellQuote).join(' ')} </dev/null`;
}

const CONTAINER = 'a container without CAP_SYS_ADMIN, or a strict seccomp, AppArmor or SELinux profile';

/** Known failures by the messages of the tools, those of sudo-rs included. The first match counts. */
const EXPLANATIONS: readonly { sign: RegExp; why: string; forUsers?: string }[] = [
  {
    sign: /^sudo(-rs)?: .*(password|askpass|terminal|interactive authentication)/m,
    why: 'The runner’s user is not root, and its sudo asks for a password.',
  },
  {
    sign: /not in the sudoers|may not run sudo|is not allowed to|^sudo(-rs)?: .*(not permitted|can't do that)/m,
    why: 'The runner’s user is not root, and may not use sudo.',
  },
  {
    sign: /no new privileges/,
    why: 'sudo cannot work here: the runner itself was started with no_new_privs, as some containers are.',
  },
  {
    sign: /^The (loopback interface|forwarder) /m,
    why: 'A network namespace was created, but its network does not work.',
  },
  {
    sign: /^unshare: /m,
    why: `Root cannot create namespaces here. The usual cause is ${CONTAINER}.`,
    forUsers: 'The kernel does not let ordinary users create namespaces here.',
  },
  {
    sign: /^(u?mount|mountpoint): /m,
    why: `Root can create namespaces here, but cannot mount file systems in them. The usual cause is ${CONTAINER}.`,
    forUsers: 'Ordinary users can create namespaces here, but cannot mount file systems in them.',
  },
];

/** Why the set-up failed, in one sentence, with the message of the tool that failed. */
export function explainSetupFailure(stderr: string, privilege: PrivilegeSource = 'root'): string {
  const said = stderr.trim();
  const known = EXPLANATIONS.find(({ sign }) => sign.test(said));
  const why = (privilege === 'user-namespace' ? known?.forUsers : undefined) ?? known?.why;
  const quoted = said === '' ? 'the tools printed no error message' : `“${said.split('\n')[0] ?? ''}”`;
  return why === undefined ? `The isolation could not be set up: ${quoted}.` : `${why} (${quoted})`;
}
