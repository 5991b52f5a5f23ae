import { existsSync, readFileSync } from 'node:fs';
import type { Interpreter } from '../../../src/sandbox/namespace/keyring.js';

/** A key that somebody else keeps, and its name. */
export const KEY_CANARY = 'canary-in-the-keyring';

const [addKey, requestKey, keyctl] = process.arch === 'arm64' ? [217, 218, 219] : [248, 249, 250];
const SESSION = -3;
const USER = -4;

/**
 * For each language: `hold` puts the canary into a new session keyring and into the user's keyring, runs a
 * command, and takes the second canary away again. `steal` says what it could read, or why it could not.
 */
const SCRIPTS = {
  perl: {
    hold: `my ($type, $name, $text) = ('user', '${KEY_CANARY}', '${KEY_CANARY}');
      syscall(${keyctl}, 1, 0) > 0 or die "no session keyring: $!";
      syscall(${keyctl}, 8, ${USER}, ${SESSION}); # links the user's keyring, as a login does
      my @keys = map { syscall(${addKey}, $type, $name, $text, length $text, $_) } (${SESSION}, ${USER});
      system { $ARGV[0] } @ARGV;
      syscall(${keyctl}, 9, $keys[1], ${USER});`,
    steal: `my ($type, $name) = ('user', '${KEY_CANARY}');
      sub report { my ($what, $key) = @_; my $text = "\\0" x 64;
        if ($key < 0) { print "$what: ", 0 + $!, "\\n"; return }
        my $size = syscall(${keyctl}, 11, $key, $text, 64);
        print "$what: ", $size < 0 ? 0 + $! : substr($text, 0, $size), "\\n" }
      report('session', syscall(${keyctl}, 10, ${SESSION}, $type, $name, 0));
      report('user', syscall(${keyctl}, 10, ${USER}, $type, $name, 0));
      report('request', syscall(${requestKey}, $type, $name, 0, 0));
      report('add', syscall(${addKey}, $type, $name, $name, length $name, ${SESSION}));`,
  },
  python: {
    hold: `import ctypes, subprocess, sys
libc = ctypes.CDLL(None)
text = b'${KEY_CANARY}'
assert libc.syscall(${keyctl}, 1, None) > 0, 'no session keyring'
libc.syscall(${keyctl}, 8, ${USER}, ${SESSION})
keys = [libc.syscall(${addKey}, b'user', text, text, len(text), ring) for ring in (${SESSION}, ${USER})]
subprocess.call(sys.argv[1:])
libc.syscall(${keyctl}, 9, keys[1], ${USER})`,
    steal: `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
name = b'${KEY_CANARY}'
def report(what, key):
    text = ctypes.create_string_buffer(64)
    size = -1 if key < 0 else libc.syscall(${keyctl}, 11, key, text, 64)
    print(what + ':', ctypes.get_errno() if size < 0 else text.value.decode())
report('session', libc.syscall(${keyctl}, 10, ${SESSION}, b'user', name, 0))
report('user', libc.syscall(${keyctl}, 10, ${USER}, b'user', name, 0))
report('request', libc.syscall(${requestKey}, b'user', name, None, 0))
report('add', libc.syscall(${addKey}, b'user', name, name, len(name), ${SESSION}))`,
  },
};

export const command = ({ language, path }: Interpreter, script: keyof (typeof SCRIPTS)['perl']): string[] =>
  language === 'perl' ? [path, '-e', SCRIPTS.perl[script], '--'] : [path, '-I', '-c', SCRIPTS.python[script]];

export const installed: Interpreter[] =
  process.platform === 'linux'
    ? [
        { language: 'perl' as const, path: '/usr/bin/perl', prctl: process.arch === 'arm64' ? 167 : 157 },
        { language: 'python' as const, path: '/usr/bin/python3' },
      ].filter(({ path }) => existsSync(path))
    : [];
/** Where the machine has a filter already, as a container has, the keyrings can be out of reach without ours. */
export const isFilteredAlready =
  process.platform === 'linux' && /^Seccomp:\s*2$/m.test(readFileSync('/proc/self/status', 'utf8'));

const everywhere = (answer: string) =>
  ['session', 'user', 'request', 'add'].map((way) => `${way}: ${answer}\n`).join('');
export const EVERYTHING_READ = everywhere(KEY_CANARY);
export const EVERYTHING_REFUSED = everywhere('1');
