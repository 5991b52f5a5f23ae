import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findInterpreter,
  KEYRING_FILES,
  keyringFilter,
  keyringProgram,
} from '../../../src/sandbox/namespace/keyring.js';
import {
  command,
  EVERYTHING_READ,
  EVERYTHING_REFUSED,
  installed,
  isFilteredAlready,
  KEY_CANARY,
} from './keyring-scripts.js';

const ALLOW = 0x7fff0000;
const REFUSE_WITH_EPERM = 0x00050001;

/** What the kernel would answer to a system call: the few instructions of classic BPF that the filter uses. */
function judge(program: Buffer, arch: number, nr: number): number {
  const data = new Map([
    [0, nr],
    [4, arch],
  ]);
  for (let at = 0, value = 0; at < program.length; at += 8) {
    const k = program.readUInt32LE(at + 4);
    const jump = (isTrue: boolean) => (at += 8 * program[at + (isTrue ? 2 : 3)]!);
    switch (program.readUInt16LE(at)) {
      case 0x20: // BPF_LD | BPF_W | BPF_ABS
        value = data.get(k) ?? Number.NaN;
        break;
      case 0x54: // BPF_ALU | BPF_AND | BPF_K
        value = (value & k) >>> 0;
        break;
      case 0x15: // BPF_JMP | BPF_JEQ | BPF_K
        jump(value === k);
        break;
      case 0x25: // BPF_JMP | BPF_JGT | BPF_K
        jump(value > k);
        break;
      case 0x35: // BPF_JMP | BPF_JGE | BPF_K
        jump(value >= k);
        break;
      case 0x06: // BPF_RET | BPF_K
        return k;
      default:
        throw new Error(`Instruction ${at / 8} is unknown.`);
    }
  }
  throw new Error('The program has no end.');
}

describe('the filter program', () => {
  it.each([
    ['x86_64', 0xc000003e, 248],
    ['x32', 0xc000003e, 0x40000000 + 248],
    ['i386', 0x40000003, 286],
    ['aarch64', 0xc00000b7, 217],
    ['arm', 0x40000028, 309],
  ])('refuses add_key, request_key and keyctl on %s, and nothing else', (_name, arch, addKey) => {
    const base = addKey >= 0x40000000 ? 0x40000000 : 0;
    const refused = Array.from({ length: 1024 }, (_, nr) => base + nr).filter(
      (nr) => judge(keyringProgram(), arch, nr) === REFUSE_WITH_EPERM,
    );
    expect(refused).toEqual([addKey, addKey + 1, addKey + 2]);
    expect(judge(keyringProgram(), arch, 0xffffffff)).toBe(ALLOW);
  });
});

describe('the search for an interpreter', () => {
  const found = async (working: readonly string[], arch = 'x64') => {
    const tried: string[] = [];
    const starts = (argv: readonly string[]) => {
      const path = argv.find((word) => /(perl|python3)$/.test(word))!;
      tried.push(path);
      return Promise.resolve(working.includes(path));
    };
    return { interpreter: await findInterpreter(arch, starts), tried };
  };

  it('prefers perl, which starts sooner, and takes python3 otherwise', async () => {
    expect((await found(['/usr/bin/perl', '/usr/bin/python3'])).interpreter?.path).toBe('/usr/bin/perl');
    expect((await found(['/bin/perl', '/usr/bin/python3'])).interpreter?.path).toBe('/bin/perl');
    expect((await found(['/bin/python3'])).interpreter).toEqual({ language: 'python', path: '/bin/python3' });
  });

  it('finds nothing where none works, and looks nowhere else', async () => {
    const { interpreter, tried } = await found(['/usr/local/bin/perl']);
    expect(interpreter).toBeUndefined();
    expect(tried).toEqual(['/usr/bin/perl', '/bin/perl', '/usr/bin/python3', '/bin/python3']);
  });

  it('knows the number of prctl on each machine, and gives up on others', async () => {
    expect((await found(['/usr/bin/perl'])).interpreter).toMatchObject({ prctl: 157 });
    expect((await found(['/usr/bin/perl'], 'arm64')).interpreter).toMatchObject({ prctl: 167 });
    expect(await found(['/usr/bin/perl'], 'riscv64')).toEqual({ interpreter: undefined, tried: [] });
  });
});

const pairs = installed.flatMap((one) =>
  installed.map((other) => [one.language, other.language, one, other] as const),
);

/** Root can play all of them: itself, itself without capabilities as the agent is, and an ordinary user. */
const ACCOUNTS: [string, string[]][] = [
  ['the user of the tests', []],
  ...(process.getuid?.() === 0
    ? ([
        ['root without capabilities', ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--']],
        ['an ordinary user', ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--']],
      ] as [string, string[]][])
    : []),
];

interface Options {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

function run(argv: readonly string[], options: Options = {}) {
  const { status, stdout, stderr } = spawnSync(argv[0]!, argv.slice(1), {
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    ...options,
    encoding: 'latin1',
  });
  return { status, stdout, stderr };
}

const GRANDCHILD = ['sh', '-c', `setsid -w sh -c '"$@"; :' grandchild "$@"; :`, 'child'];
/** Where no such namespace can be made, the attack is run without one. */
const ENTER = 'unshare --user true 2>/dev/null && exec unshare --user "$@"; exec "$@"';
const IN_USER_NAMESPACE = ['sh', '-c', ENTER, 'namespace'];
(installed.length === 0 ? describe.skip : describe)('a process behind the filter', () => {
  describe.each(ACCOUNTS)('run by %s', (_name, account) => {
    describe.each(pairs)('%s installs it, %s attacks', (_installs, _attacks, installer, attacker) => {
      const attack = (through: readonly string[]) =>
        run([...account, ...command(installer, 'hold'), ...through, ...command(attacker, 'steal')]);

      (isFilteredAlready ? it.skip : it)('(without it, the keys are read)', () => {
        expect(attack([]).stdout).toBe(EVERYTHING_READ);
      });

      it.each([
        ['reads no key and adds none', []],
        ['gets no further by its children', GRANDCHILD],
        ['gets no further in a user namespace', IN_USER_NAMESPACE],
      ])('%s', (_case, through) => {
        expect(attack([...keyringFilter(installer), ...through])).toEqual({
          status: 0,
          stdout: EVERYTHING_REFUSED,
          stderr: '',
        });
      });
    });
  });

  describe.each(installed.map((one) => [one.language, one] as const))(
    'installed by %s',
    (_name, interpreter) => {
      const filter = keyringFilter(interpreter);
      let folder: string;
      beforeAll(() => {
        folder = mkdtempSync(join(tmpdir(), 'keyring-'));
      });
      afterAll(() => {
        rmSync(folder, { recursive: true, force: true });
      });

      it('has the arguments and the input it was given', () => {
        const words = ['', '-e', '--', 'two\nlines', `'"$@\\`, 'Gr\u00fc\u00dfe', '\u4f60\u597d'];
        const show = ['sh', '-c', 'cat; printf "[%s]" "$@"', '-x', ...words];
        expect(run([...filter, ...show])).toEqual(run(show));
        expect(run(['sh', '-c', 'echo input | "$@"', 'sh', ...filter, 'cat']).stdout).toBe('input\n');
      });

      it.each([
        ['no locale', {}],
        ['a locale that is not installed', { LANG: 'xx_YY.UTF-8', LC_ALL: 'xx_YY.UTF-8' }],
        [
          'settings of the interpreters',
          { PERL5LIB: '/lib', PERL_UNICODE: 'SDA', PYTHONPATH: '/lib', PYTHONUTF8: '0' },
        ],
        ['any text', { LINES_: 'one\ntwo', EMPTY: '', WIDE: '\u4f60' }],
      ])('has the environment it was given: %s', (_case, variables) => {
        const env = { PATH: '/usr/bin:/bin', ...variables };
        const sorted = (argv: readonly string[]) => {
          const { stdout, stderr } = run(argv, { env });
          return { variables: stdout.split('\0').sort(), stderr };
        };
        expect(sorted([...filter, 'env', '-0'])).toEqual(sorted(['env', '-0']));
      });

      it('has the signals, privileges and open files of any other process', () => {
        const look = [
          'sh',
          '-c',
          'grep -E "^(Sig|Shd)(Blk|Ign|Pnd)|^Umask|^Groups" /proc/self/status; ls /proc/self/fd',
        ];
        expect(run([...filter, ...look])).toEqual(run(look));
        expect(run([...filter, 'grep', 'NoNewPrivs', '/proc/self/status']).stdout).toMatch(/1$/m);
      });

      it('ends as the program ends', () => {
        expect(run([...filter, 'sh', '-c', 'exit 7']).status).toBe(7);
        expect(run([...filter, '/does/not/exist'])).toMatchObject({
          status: 127,
          stderr: expect.stringContaining('/does/not/exist: No such file or directory'),
        });
      });

      it('was not changed by modules in the folder it starts in', () => {
        for (const name of ['ctypes', 'os', 'struct', 'signal']) {
          writeFileSync(join(folder, `${name}.py`), 'print("planted")');
        }
        writeFileSync(join(folder, 'Planted.pm'), 'print "planted"; 1');
        const env = { PATH: '/usr/bin:/bin', PYTHONPATH: folder, PERL5LIB: folder, PERL5OPT: '-MPlanted' };
        expect(run([...filter, 'echo', 'started'], { cwd: folder, env })).toEqual({
          status: 0,
          stdout: 'started\n',
          stderr: '',
        });
      });
    },
  );

  it('is not started if the filter cannot be installed', () => {
    const perl = installed.find(({ language }) => language === 'perl');
    if (perl === undefined) return;
    const { status, stdout, stderr } = run([
      ...keyringFilter({ language: 'perl', path: perl.path, prctl: 99_999 }),
      ...['echo', 'started'],
    ]);
    expect({ status, stdout }).toEqual({ status: 125, stdout: '' });
    expect(stderr).toMatch(/^The keyring filter could not be installed: .+\n$/);
  });

  it('is possible on this machine, as the search finds out', async () => {
    expect((await findInterpreter())?.path).toBe(installed[0]!.path);
  });

  it('still reads the names of keys in files, so these have to be hidden', () => {
    const hold = command(installed[0]!, 'hold');
    const { stdout } = run([...hold, ...keyringFilter(installed[0]!), 'cat', ...KEYRING_FILES]);
    expect(stdout).toContain(KEY_CANARY);
  });
});
