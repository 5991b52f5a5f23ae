import { basename, dirname } from 'node:path';

/** Tries a command and says in one line whether it worked. */
const ATTEMPT = `attempt() {
  name=$1; shift
  if "$@" >/dev/null 2>&1; then echo "$name: done"; else echo "$name: refused"; fi
}
write() { echo x >"$1"; }
`;

const COMMIT = '-c user.name=a -c user.email=a@example.com commit --allow-empty -m planted';

/** Ways around a rule that knows git by its name. */
const GIT_SPELLINGS: Readonly<Record<string, string>> = {
  plain: `git ${COMMIT}`,
  'bash -c': `bash -c 'git ${COMMIT}'`,
  'absolute path': `"$(command -v git)" ${COMMIT}`,
  env: `env git ${COMMIT}`,
  command: `command git ${COMMIT}`,
  backslash: `\\git ${COMMIT}`,
  quotes: `"g"it ${COMMIT}`,
  xargs: `echo '${COMMIT}' | xargs git`,
  'find -exec': `find . -maxdepth 0 -exec git ${COMMIT} \\; -print | grep -qx .`,
  eval: `eval "gi""t ${COMMIT}"`,
  'a Node child': `node -e 'require("child_process").execFileSync("git", process.argv.slice(1))' -- ${COMMIT}`,
  'a copy of the program': `cp "$(command -v git)" "$TMPDIR/harmless" && "$TMPDIR/harmless" ${COMMIT}`,
};

/** Each asks for one change of the repository. */
const REPOSITORY_ATTACKS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(GIT_SPELLINGS).map(([name, line]) => [`git commit (${name})`, line])),
  'git branch': 'git branch planted',
  'git tag': 'git tag planted',
  'git config': 'git config core.hooksPath /tmp/planted',
  'git update-index': 'git update-index --assume-unchanged README.md',
  'plant a hook': 'write .git/hooks/pre-commit',
  'write a ref': 'git rev-parse HEAD >.git/refs/heads/planted',
  'append to the config': 'echo "[core]" >>.git/config',
};

/** After these the repository is of no use any more. */
const REPOSITORY_REMOVALS: Readonly<Record<string, string>> = {
  'remove the refs': 'rm -r .git/refs',
  'move .git away': 'mv .git .git-moved',
};

const lines = (attacks: Readonly<Record<string, string>>): string =>
  Object.entries(attacks)
    .map(([name, line], index) => `attack_${index}() ( ${line} )\nattempt '${name}' attack_${index}\n`)
    .join('');

export const repositoryAttacks = (): string =>
  ATTEMPT + lines(REPOSITORY_ATTACKS) + lines(REPOSITORY_REMOVALS);

export interface Outside {
  runnerTemp: string;
  userHome: string;
  /** Sockets by what they are. */
  sockets: Readonly<Record<string, string>>;
  /** Files that hold the credential, by what they are. */
  secrets: Readonly<Record<string, string>>;
  canary: string;
  credential: string;
}

const REACH = `require("net").connect(process.argv[1]).on("data", () => process.exit(0)).on("error", () => process.exit(1))`;

/** Reading and reaching what is none of the agent's business; each of them works where nothing is isolated. */
export const reachOutside = (outside: Outside): string => {
  const { credential, userHome, runnerTemp } = outside;
  const each = (word: string, paths: Readonly<Record<string, string>>, line: (path: string) => string) =>
    Object.fromEntries(Object.entries(paths).map(([what, path]) => [`${word} ${what}`, line(path)]));
  return (
    ATTEMPT +
    lines({
      'read a token from /proc': `cat /proc/*/environ 2>/dev/null | grep -q ${outside.canary}`,
      'become root by sudo': '[ "$(sudo -n id -u)" = 0 ]',
      'see a process outside': 'kill -0 SENTINEL_PID',
      'write the user home': `write '${userHome}/planted'`,
      'write the runner temp': `write '${runnerTemp}/planted'`,
      'append to a file command': `echo A=b >>'${runnerTemp}/set_env'`,
      'read the credential in .git': `grep -rq ${credential} .git`,
      'read the credential through git': `git config --get-regexp . | grep -q ${credential}`,
      'read the credential in any file': `grep -rqI ${credential} . '${userHome}'`,
      'change the file of the action': 'write .cursor/cli.json',
      ...each('read', outside.secrets, (path) => `grep -q ${credential} '${path}'`),
      ...each('reach a socket', outside.sockets, (path) => `node -e '${REACH}' '${path}'`),
    })
  );
};

/** Runs a command as root of a namespace of its own, where it may arrange mounts. */
const inNamespace = (command: string): string => `unshare -Urm sh -c '${command}'`;

/** Writing where only root could; and the ways to make it possible again. */
export const breakOut = ({ userHome, runnerTemp }: Pick<Outside, 'userHome' | 'runnerTemp'>): string =>
  ATTEMPT +
  lines({
    'write /etc': 'write /etc/isolation-planted',
    'write /usr': 'write /usr/isolation-planted',
    'write /var': 'write /var/isolation-planted',
    'write /run': 'write /run/isolation-planted',
    'write /dev': 'write /dev/isolation-planted',
    'write /sys': 'write /sys/kernel/uevent_helper',
    'write /proc/sys': 'write /proc/sys/kernel/core_pattern',
    'remount /': 'mount -o remount,bind,rw /',
    'remount .git': 'mount -o remount,bind,rw "$PWD/.git"',
    'unmount .git': 'umount -l "$PWD/.git"',
    'unmount the layer': 'umount -l "$PWD"',
    'remount the layer': 'mount -o remount,ro "$PWD"',
    'unmount the home folder': `umount -l '${userHome}'`,
    'remount .git in a user namespace': inNamespace(
      'mount -o remount,bind,rw "$PWD/.git" && touch .git/planted',
    ),
    'unmount .git in a user namespace': inNamespace('umount -l "$PWD/.git" && touch .git/planted'),
    'unmount the layer in a user namespace': inNamespace('umount "$PWD" || umount -l "$PWD"'),
    'unmount the home folder in a user namespace': inNamespace(`umount -l "${userHome}"`),
    'unmount /tmp in a user namespace': inNamespace('umount -l /tmp || umount -l /var/tmp'),
    'unmount our file in a user namespace': inNamespace('umount -l "$PWD/.cursor/cli.json"'),
    'write our file in a user namespace': inNamespace(
      'mount -o remount,bind,rw "$PWD/.cursor/cli.json" && echo x >.cursor/cli.json',
    ),
    'move the layer in a user namespace': inNamespace('mount --move "$PWD" /mnt'),
    'look below in a user namespace': inNamespace('mount --bind / /mnt && touch "/mnt$PWD/.git/planted"'),
    'look below the home folder in a user namespace': inNamespace(
      `mount --bind "$(dirname "${userHome}")" /mnt && ls -A /mnt/*/.ssh`,
    ),
    'change the root in a user namespace': inNamespace(`mount --rbind / /mnt && umount -l "/mnt${userHome}"`),
    'mount the layer again in a user namespace': inNamespace(
      'mount -t overlay -o "lowerdir=/sys/kept-0:/sys/kept-1,userxattr" overlay /mnt',
    ),
    'move .git away in a user namespace': 'unshare -Urm mv .git .git-moved',
    'move the checkout away': 'mv "$PWD" "$PWD-moved"',
    'see what the layer is made of': 'ls -d /sys/kept-* /sys/empty /sys/dev || ls -d /sys/kept-0',
    'see the folders of the action': `find '${runnerTemp}' | grep -E '/(layer|control|planted|upper|git)(/|$)'`,
    'see what else is in the runner temp': `find '${runnerTemp}' -type f | grep .`,
    // Other tests run at the same time, and their pipes are not those of this agent.
    'find the pipe of the keeper': `find / -xdev -name alive -type p 2>/dev/null | grep -F '${basename(dirname(dirname(userHome)))}'`,
    'enter the namespaces of the first process': 'nsenter --target 1 --mount --pid true',
    'read the environment of the first process': 'cat /proc/1/environ',
    'go through the root of the first process': 'ls /proc/1/root/',
    'make a device': 'mknod "$TMPDIR/disk" b 8 0',
    'make a device in the layer': 'mknod disk b 8 0',
    'make a whiteout in the layer': 'mknod whiteout c 0 0',
    'find an open file of the set-up':
      '[ -e /proc/self/fd/3 ] || [ -e /proc/self/fd/4 ] || [ -e /proc/self/fd/5 ]',
    'open a disk': 'for disk in /dev/[svx]d* /dev/nvme*; do [ -e "$disk" ] && exit 0; done; exit 1',
    'become another user': 'setpriv --reuid=12345 true',
    'trace a process outside': '[ -e /proc/ACTION_PID/mem ]',
    'kill a process outside': 'kill -KILL SENTINEL_PID',
    'reach docker': '[ -e /run/docker.sock ] || [ -e /var/run/docker.sock ]',
  });

/** Getting another file into the place of ours; `at` is the folder of ours. */
export const replaceOurFile = (at: string, ours: string): string =>
  ATTEMPT +
  `changed() { ! printf '%s' '${ours}' | cmp -s - ${at}/cli.json; }\n` +
  lines({
    'write it': `write ${at}/cli.json; changed`,
    'remove it': `rm -f ${at}/cli.json; changed`,
    'rename it': `mv ${at}/cli.json ${at}/other; changed`,
    'put another over it': `write ${at}/other; mv -f ${at}/other ${at}/cli.json; changed`,
    'link another over it': `ln -sf /dev/null ${at}/cli.json; changed`,
    'change its mode': `chmod 777 ${at}/cli.json`,
    'cut it': `truncate -s 0 ${at}/cli.json; changed`,
    'remove its folder': `rm -rf ${at}; changed`,
    'rename its folder': `mv -T ${at} moved || node -e 'fs.renameSync("${at}", "moved")'; changed`,
    'swap its folder': `mkdir swapped; write swapped/cli.json; mv --exchange -T swapped ${at}; changed`,
    'rename a folder above': `mv -T "${at}/.." ../moved; top=${at}; node -e 'fs.renameSync("'"\${top%%/*}"'", "moved-top")'; changed`,
  });
