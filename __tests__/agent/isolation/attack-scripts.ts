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
  socket: string;
  canary: string;
  credential: string;
}

/** Reading and reaching what is none of the agent's business; each of them works where nothing is isolated. */
export const reachOutside = (outside: Outside): string =>
  ATTEMPT +
  lines({
    'read a token from /proc': `cat /proc/*/environ 2>/dev/null | grep -q ${outside.canary}`,
    'become root by sudo': '[ "$(sudo -n id -u)" = 0 ]',
    'see a process outside': 'kill -0 SENTINEL_PID',
    'write the user home': `write '${outside.userHome}/planted'`,
    'write the runner temp': `write '${outside.runnerTemp}/planted'`,
    'append to a file command': `echo A=b >>'${outside.runnerTemp}/set_env'`,
    'read the credential beside': `grep -q ${outside.credential} '${outside.runnerTemp}/git-credentials-1.config'`,
    'read the credential in .git': `grep -rq ${outside.credential} .git`,
    'read the credential through git': `git config --get-regexp . | grep -q ${outside.credential}`,
    'read a private key': `grep -q ${outside.credential} '${outside.userHome}/.ssh/id_ed25519'`,
    'reach a socket': `node -e 'require("net").connect(process.argv[1]).on("data", () => process.exit(0)).on("error", () => process.exit(1))' '${outside.socket}'`,
    'write /tmp': 'write /tmp/isolation-planted-ACTION_PID',
    'change the file of the action': 'write .cursor/cli.json',
  });

/** Writing where only root could; and the ways to make it possible again. */
export const breakOut = (): string =>
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
    'remount .git in a user namespace':
      'unshare -Urm sh -c "mount -o remount,bind,rw $PWD/.git && touch .git/planted"',
    'unmount .git in a user namespace': 'unshare -Urm sh -c "umount -l $PWD/.git && touch .git/planted"',
    'look below in a user namespace':
      'unshare -Urm sh -c "mount --bind / /mnt && touch /mnt/$PWD/.git/planted"',
    'move .git away in a user namespace': 'unshare -Urm mv .git .git-moved',
    'enter the namespaces of the first process': 'nsenter --target 1 --mount --pid true',
    'read the environment of the first process': 'cat /proc/1/environ',
    'go through the root of the first process': 'ls /proc/1/root/',
    'make a device': 'mknod "$TMPDIR/disk" b 8 0',
    'open a disk': 'for disk in /dev/[svx]d* /dev/nvme*; do [ -e "$disk" ] && exit 0; done; exit 1',
    'become another user': 'setpriv --reuid=12345 true',
    'trace a process outside': '[ -e /proc/ACTION_PID/mem ]',
    'kill a process outside': 'kill -KILL SENTINEL_PID',
    'reach docker': '[ -e /run/docker.sock ] || [ -e /var/run/docker.sock ]',
  });

export const outcomes = (stdout: string): Record<string, string> =>
  Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.lastIndexOf(':')), line.slice(line.lastIndexOf(': ') + 2)]),
  );
