import { askWithin, systemProgram } from '../../core/programs.js';

/**
 * Mount, PID and IPC namespaces do not separate the kernel's keyrings: the agent could read the keys of the
 * runner's user and session. A seccomp filter refuses the three system calls that lead to them. A process cannot
 * remove its filter, and everything it starts inherits it. io_uring is not filtered, but has no operation for keys.
 *
 * perl or python3 installs the filter, because most machines have one of them. `setpriv --seccomp-filter` would
 * need util-linux 2.41, newer than that of Ubuntu 24.04, and a file to read the filter from. A new session
 * keyring would not help: the agent could still ask for the user's keyring.
 */

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
const perlScript = (program: Buffer, prctl: number, ready: string) => `delete $ENV{PERL_BADLANG};
my $code = pack 'H*', '${program.toString('hex')}';
my $header = pack 'S x!8 P', length($code) / 8, $code;
unless (syscall(${prctl}, ${PR_SET_NO_NEW_PRIVS}, 1, 0, 0, 0) == 0
    && syscall(${prctl}, ${PR_SET_SECCOMP}, ${SECCOMP_MODE_FILTER}, $header) == 0) {
  print STDERR "${FAILED}: $!\\n"; exit 125;
}
print STDERR '${ready}';
exec { $ARGV[0] } @ARGV;
print STDERR "$ARGV[0]: $!\\n"; exit 127;`;

/** Python ignores two signals and can add LC_CTYPE to the environment; the program must inherit neither. */
const pythonScript = (program: Buffer, ready: string) => `import ctypes, os, signal, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
code = ctypes.create_string_buffer(bytes.fromhex('${program.toString('hex')}'))
header = struct.pack('HP', len(code) // 8, ctypes.addressof(code))
if libc.prctl(${PR_SET_NO_NEW_PRIVS}, 1, 0, 0, 0) or libc.prctl(${PR_SET_SECCOMP}, ${SECCOMP_MODE_FILTER}, header):
    print('${FAILED}: ' + os.strerror(ctypes.get_errno()), file=sys.stderr); sys.exit(125)
print('''${ready}''', end='', file=sys.stderr, flush=True)
for ignored in (signal.SIGPIPE, signal.SIGXFSZ): signal.signal(ignored, signal.SIG_DFL)
with open('/proc/self/environ', 'rb') as file: variables = file.read().split(b'\\0')
try: os.execvpe(sys.argv[1], sys.argv[1:], dict(one.split(b'=', 1) for one in variables if b'=' in one))
except OSError as error: print(sys.argv[1] + ': ' + error.strerror, file=sys.stderr); sys.exit(127)`;

/**
 * The words to put before a command, which is then started with the filter or not at all. Its environment stays
 * the same, except that perl drops two variables of its own: PERL5OPT could load code before the filter is
 * installed, and PERL_BADLANG is set to silence perl's warning about a locale that is not installed. Once the filter is
 * installed, `ready` is printed to stderr.
 */
export function keyringFilter(interpreter: Interpreter, ready = ''): string[] {
  const program = keyringProgram();
  if (interpreter.language === 'python')
    return [interpreter.path, '-I', '-S', '-c', pythonScript(program, ready)];
  const clean = ['/usr/bin/env', '-u', 'PERL5OPT', 'PERL_BADLANG=0'];
  return [...clean, interpreter.path, '-C0', '-e', perlScript(program, interpreter.prctl, ready), '--'];
}

/** Perl goes first, because it starts sooner. */
function candidatesFor(arch: string): Interpreter[] {
  const prctl = PRCTL_NUMBERS[arch];
  if (prctl === undefined) return [];
  return [
    ...['/usr/bin/perl', '/bin/perl'].map((path) => ({ language: 'perl', path, prctl }) as const),
    ...['/usr/bin/python3', '/bin/python3'].map((path) => ({ language: 'python', path }) as const),
  ];
}

/** The interpreter that works on this machine. Each is tried. */
export async function findInterpreter(
  arch: string = process.arch,
  starts: (command: readonly string[]) => Promise<boolean> = startsTrue,
): Promise<Interpreter | undefined> {
  for (const candidate of candidatesFor(arch)) if (await starts(keyringFilter(candidate))) return candidate;
  return undefined;
}

async function startsTrue([file = '', ...args]: readonly string[]): Promise<boolean> {
  const program = { file, args: [...args, systemProgram('true')], cwd: '/', env: {} };
  return askWithin(program, { timeout: 10_000 }).then(
    ({ code }) => code === 0,
    () => false,
  );
}

/** The three system calls follow each other everywhere, so the number of the first, `add_key`, is enough. */
const ARCHITECTURES = [
  { name: 'x86_64 and x32', auditArch: 0xc000003e, addKey: 248 },
  { name: 'i386', auditArch: 0x40000003, addKey: 286 },
  { name: 'aarch64', auditArch: 0xc00000b7, addKey: 217 },
  { name: 'arm', auditArch: 0x40000028, addKey: 309 },
];
/** On x32 this bit is set in every number; nowhere else does a number have it. */
const X32_BIT = 0x40000000;

/** Where struct seccomp_data holds the number of the system call and its architecture. */
const OFFSET = { number: 0, arch: 4 };
const EPERM = 1;
/** SECCOMP_RET_ALLOW and SECCOMP_RET_ERRNO. */
const ANSWER = { allow: 0x7fff0000, refuse: 0x00050000 | EPERM };

/**
 * A program for the kernel that refuses `add_key`, `request_key` and `keyctl` and lets everything else pass: an
 * array of struct sock_filter. All architectures are in it, because a 64-bit machine runs 32-bit programs too.
 */
export function keyringProgram(): Buffer {
  const blocks = ARCHITECTURES.map(({ auditArch, addKey }) => {
    const block = [
      load(OFFSET.number),
      clearBit(X32_BIT),
      skipIfBelow(addKey, 2),
      skipIfAbove(addKey + 2, 1),
      answer(ANSWER.refuse),
      answer(ANSWER.allow),
    ];
    return Buffer.concat([skipUnlessEqual(auditArch, block.length), ...block]);
  });
  return Buffer.concat([load(OFFSET.arch), ...blocks, answer(ANSWER.allow)]);
}

// The codes are those of linux/bpf_common.h; `count` is how many of the next instructions are left out.
const load = (offset: number) => instruction(0x20, offset); // BPF_LD | BPF_W | BPF_ABS
const clearBit = (bit: number) => instruction(0x54, ~bit >>> 0); // BPF_ALU | BPF_AND | BPF_K
const skipUnlessEqual = (value: number, count: number) => instruction(0x15, value, { ifFalse: count }); // BPF_JMP | BPF_JEQ
const skipIfBelow = (value: number, count: number) => instruction(0x35, value, { ifFalse: count }); // BPF_JMP | BPF_JGE
const skipIfAbove = (value: number, count: number) => instruction(0x25, value, { ifTrue: count }); // BPF_JMP | BPF_JGT
const answer = (action: number) => instruction(0x06, action); // BPF_RET | BPF_K

/** All of these architectures are little-endian. */
function instruction(code: number, value: number, skip: { ifTrue?: number; ifFalse?: number } = {}): Buffer {
  const bytes = Buffer.from([code, 0, skip.ifTrue ?? 0, skip.ifFalse ?? 0, 0, 0, 0, 0]);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
