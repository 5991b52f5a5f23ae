import { spawnSync } from 'node:child_process';
import { keyringProgram } from './keyring-program.js';

/**
 * Mount, PID and IPC namespaces do not separate the kernel's keyrings: the agent could read the keys of the
 * runner's user and session. A seccomp filter refuses the three system calls that lead to them. A process cannot
 * remove its filter, and everything it starts inherits it. io_uring is not filtered, but has no operation for keys.
 *
 * perl or python3 installs the filter, because most machines have one of them. `setpriv --seccomp-filter` would
 * need util-linux 2.41, newer than that of Ubuntu 24.04, and a file to read the filter from. A new session
 * keyring would not help: the agent could still ask for the user's keyring.
 */

/** What installs the filter. */
export type Interpreter =
  { language: 'perl'; path: string; prctl: number } | { language: 'python'; path: string };

/** Files that name keys. The filter does not cover them, so they have to be hidden where they exist. */
export const KEYRING_FILES = ['/proc/keys', '/proc/key-users'] as const;

/** For a description of the isolation where no interpreter was found. */
export const WITHOUT_KEYRING_FILTER =
  'The agent can read the keys that the kernel keeps for the runner’s user: to prevent that, the action needs perl or python3 in /usr/bin, on x86-64 or ARM64.';

/** Perl has no name for this system call. The keys are values of `process.arch`. */
const PRCTL_NUMBERS: Readonly<Record<string, number>> = { x64: 157, arm64: 167 };
const [PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER] = [38, 22, 2];
const FAILED = 'The keyring filter could not be installed';

/** Uses no module, because perl would look for it in folders that the environment names. */
const perlScript = (program: Buffer, prctl: number) => `delete $ENV{PERL_BADLANG};
my $code = pack 'H*', '${program.toString('hex')}';
my $header = pack 'S x!8 P', length($code) / 8, $code;
unless (syscall(${prctl}, ${PR_SET_NO_NEW_PRIVS}, 1, 0, 0, 0) == 0
    && syscall(${prctl}, ${PR_SET_SECCOMP}, ${SECCOMP_MODE_FILTER}, $header) == 0) {
  print STDERR "${FAILED}: $!\\n"; exit 125;
}
exec { $ARGV[0] } @ARGV;
print STDERR "$ARGV[0]: $!\\n"; exit 127;`;

/** Python ignores two signals and can add LC_CTYPE to the environment; the program must inherit neither. */
const pythonScript = (program: Buffer) => `import ctypes, os, signal, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
code = ctypes.create_string_buffer(bytes.fromhex('${program.toString('hex')}'))
header = struct.pack('HP', len(code) // 8, ctypes.addressof(code))
if libc.prctl(${PR_SET_NO_NEW_PRIVS}, 1, 0, 0, 0) or libc.prctl(${PR_SET_SECCOMP}, ${SECCOMP_MODE_FILTER}, header):
    print('${FAILED}: ' + os.strerror(ctypes.get_errno()), file=sys.stderr); sys.exit(125)
for ignored in (signal.SIGPIPE, signal.SIGXFSZ): signal.signal(ignored, signal.SIG_DFL)
with open('/proc/self/environ', 'rb') as file: variables = file.read().split(b'\\0')
try: os.execvpe(sys.argv[1], sys.argv[1:], dict(one.split(b'=', 1) for one in variables if b'=' in one))
except OSError as error: print(sys.argv[1] + ': ' + error.strerror, file=sys.stderr); sys.exit(127)`;

/**
 * The words to put before a command, which is then started with the filter or not at all. Its environment stays
 * the same, except that perl drops two variables of its own: PERL5OPT could load code before the filter is
 * installed, and PERL_BADLANG is set to silence perl's warning about a locale that is not installed.
 */
export function keyringFilter(interpreter: Interpreter): string[] {
  const program = keyringProgram();
  if (interpreter.language === 'python') return [interpreter.path, '-I', '-S', '-c', pythonScript(program)];
  const clean = ['/usr/bin/env', '-u', 'PERL5OPT', 'PERL_BADLANG=0'];
  return [...clean, interpreter.path, '-C0', '-e', perlScript(program, interpreter.prctl), '--'];
}

/** The interpreter to use on this machine. Each is tried; perl goes first because it starts sooner. */
export function findInterpreter(arch: string = process.arch, starts = startsTrue): Interpreter | undefined {
  const prctl = PRCTL_NUMBERS[arch];
  if (prctl === undefined) return undefined;
  const candidates: Interpreter[] = [
    ...['/usr/bin/perl', '/bin/perl'].map((path) => ({ language: 'perl', path, prctl }) as const),
    ...['/usr/bin/python3', '/bin/python3'].map((path) => ({ language: 'python', path }) as const),
  ];
  return candidates.find((candidate) => starts(keyringFilter(candidate)));
}

function startsTrue([file = '', ...args]: readonly string[]): boolean {
  const options = { env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore', timeout: 10_000 } as const;
  return spawnSync(file, [...args, 'true'], options).status === 0;
}
