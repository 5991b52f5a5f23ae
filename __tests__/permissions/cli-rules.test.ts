import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cliRules } from '../../src/permissions/cli-rules.js';
import { cliPatternTest, permissions } from '../../src/permissions/permission-token.js';
import { buildPolicy, type PolicyRequest } from '../../src/permissions/policy.js';
import { PRESETS, type PresetName } from '../../src/permissions/presets.js';
import { pathJudge } from '../../src/permissions/path-policy.js';
import { commandsOf, matchesAll, matchesAny, type Call } from './cli-matcher.js';

const ROOT = '/home/runner/work/repo';
const NAMES = Object.keys(PRESETS) as PresetName[];

const rulesOf = (request: Partial<PolicyRequest>, root = ROOT) =>
  cliRules(buildPolicy({ preset: 'custom', allow: [], deny: [], ...request }), root);
const denying = (...tokens: string[]) => cliRules({ allow: [], deny: permissions(...tokens) }, ROOT).deny;
const allowing = (...tokens: string[]) => cliRules({ allow: permissions(...tokens), deny: [] }, ROOT).allow;
const shell = (target: string): Call => ({ kind: 'Shell', target });

describe('the matcher of these tests', () => {
  it.each<[string, string[]]>([
    ['git  status\t-s', ['git status -s']],
    ['cd a && git push; ls | wc -l', ['cd a', 'git push', 'ls', 'wc -l']],
    [`bash -c 'git  push; ls'`, [`bash -c 'git  push; ls'`]],
    ['( git push )', ['git push']],
    ['for f in a b; do git add $f; done', ['git add $f']],
    ['echo "$(git log)"', ['git log', 'echo "$(git log)"']],
    ["echo '$(git log)'", ["echo '$(git log)'"]],
  ])('splits %j', (line, expected) => {
    expect(commandsOf(line)).toEqual(expected);
  });

  it('matches as it was recorded: what the documented forms catch, and what they miss', () => {
    const rows = ['alpha commit', '/opt/alpha commit', 'env alpha commit', `bash -c 'alpha commit'`];
    const caughtBy = (rule: string) => rows.filter((line) => matchesAny([rule], shell(line)));
    for (const rule of ['Shell(alpha)', 'Shell(alpha:commit*)', 'Shell(alpha commit*)'])
      expect(caughtBy(rule)).toEqual(['alpha commit']);
    expect(caughtBy('Shell(*alpha commit*)')).toEqual(rows);
    const path: Call = { kind: 'Write', target: '/w/docs/a.md' };
    for (const rule of ['Write(docs/**)', 'Write(./docs/**)', 'Write(docs/a.md)'])
      expect(matchesAny([rule], path)).toBe(false);
    for (const rule of ['Write(**/docs/**)', 'Write(/w/docs/**)'])
      expect(matchesAny([rule], path)).toBe(true);
  });
});

/** Every way to write a command that a rule for its name has to stop. */
const STOPPED: readonly [string, (command: string) => string][] = [
  ['bare', (c) => `${c} x`],
  ['without arguments', (c) => c],
  ['in a list', (c) => `cd a && ${c} x; ls`],
  ['in a pipe', (c) => `ls | ${c} x`],
  ['after a variable', (c) => `X=1 ${c} x`],
  ['with two spaces', (c) => `${c}  x`],
  ['by absolute path', (c) => `/usr/bin/${c} x`],
  ['by absolute path, without arguments', (c) => `/usr/local/bin/${c}`],
  ['after env', (c) => `env ${c} x`],
  ['by absolute path after env', (c) => `env A=1 /usr/bin/${c} x`],
  ['after command', (c) => `command ${c} x`],
  ['after timeout', (c) => `timeout 5 ${c} x`],
  ['by xargs', (c) => `ls | xargs ${c} x`],
  ['by find', (c) => `find . -exec ${c} x {} +`],
  ['by eval', (c) => `eval ${c} x`],
  ['in a subshell', (c) => `( ${c} x )`],
  ['in a loop', (c) => `for f in a b; do ${c} $f; done`],
  ['in a substitution', (c) => `echo $(${c} x)`],
  ['in a quoted substitution', (c) => `echo "$(${c} x)"`],
  ['in backquotes', (c) => 'echo `' + c + ' x`'],
  ['by bash -c, in single quotes', (c) => `bash -c '${c} x'`],
  ['by bash -c, in double quotes', (c) => `bash -c "${c} x"`],
  ['by bash -c, without arguments', (c) => `bash -c '${c}'`],
  ['by bash -c, after another', (c) => `bash -c 'cd a && ${c} x'`],
  ['by bash -c, after a semicolon', (c) => `bash -c 'cd a;${c} x'`],
  ['in quotes', (c) => `"${c}" x`],
  ['by python', (c) => `python3 -c 'import os; os.system("${c} x")'`],
  ['by node', (c) => `node -e 'require("child_process").execFileSync("${c}", ["x"])'`],
];

/** What only looks like the command. */
const LEFT_ALONE: readonly [string, (command: string) => string][] = [
  ['the end of another command', (c) => `le${c} x`],
  ['the end of a word', (c) => `echo di${c} x`],
  ['the beginning of another command', (c) => `${c}x y`],
  ['a folder', (c) => `ls ${c}`],
  ['a folder in a folder', (c) => `npm test -- src/${c} --watch`],
  ['a file', (c) => `cat ${c}.md src/${c}.ts`],
  ['an option', (c) => `jest --${c} x`],
  ['a script', (c) => `npm run ${c}:x`],
];

/** What no rule by name stops, and nobody should rely on. */
const NOT_STOPPED: readonly [string, (command: string) => string][] = [
  ['a variable', (c) => `p=${c}; $p x`],
  ['a backslash', (c) => `\\${c} x`],
  ['quotes inside of the name', (c) => `${c.slice(0, 1)}''${c.slice(1)} x`],
  ['another folder of programs', (c) => `/opt/tools/${c} x`],
  ['a parenthesis in quotes', (c) => `bash -c '(${c} x)'`],
  ['xargs, without arguments', (c) => `ls | xargs ${c}`],
  ['a script in a file', () => './run.sh'],
];

const DENIED = ['git', 'gh', 'sudo', 'su', 'docker', 'ssh', 'curl', 'wget', 'nc', 'env', 'printenv'];

describe('a denied command', () => {
  const isStopped = (command: string, line: string) => matchesAny(denying(`Shell(${command})`), shell(line));

  it.each(STOPPED)('is stopped %s', (_, line) => {
    expect(DENIED.filter((command) => !isStopped(command, line(command)))).toEqual([]);
  });

  it.each(LEFT_ALONE)('is not mistaken for %s', (_, line) => {
    expect(DENIED.filter((command) => isStopped(command, line(command)))).toEqual([]);
  });

  it.each(NOT_STOPPED)('is not stopped behind %s', (_, line) => {
    expect(DENIED.filter((command) => isStopped(command, line(command)))).toEqual([]);
  });

  it('costs searches for its name', () => {
    expect(isStopped('git', 'grep -rn git src')).toBe(true);
    expect(isStopped('git', 'grep -rn "git" src')).toBe(true);
    expect(isStopped('git', 'grep -rn gitignore src')).toBe(false);
  });

  it('is never found in a word that only contains its name', () => {
    const word = fc.stringMatching(/^[a-z]{1,4}$/);
    fc.assert(
      fc.property(fc.constantFrom(...DENIED), word, fc.boolean(), (command, more, isBefore) => {
        const other = isBefore ? more + command : command + more;
        fc.pre(!DENIED.includes(other));
        for (const line of [`${other} x`, `env2 ${other} x`, `bash -c '${other} x'`, `/usr/bin/${other} x`])
          expect(isStopped(command, line)).toBe(false);
      }),
    );
  });
});

describe('a denied command with arguments', () => {
  it.each([
    ...['git push', 'git push origin', 'git  push -f', '/usr/bin/git push', 'env git push', '(git push)'],
    ...[
      `bash -c 'git push'`,
      `bash -c "cd a; git push"`,
      'echo $(git push)',
      'for i in 1; do git push; done',
    ],
  ])('Shell(git:push*) stops %s', (line) => {
    expect(matchesAny(denying('Shell(git:push*)'), shell(line))).toBe(true);
  });

  it.each([
    ...['git status', 'git log', 'legit push', 'gitpush', 'npm run git-push', 'git stash push'],
    // Known to get through: arguments in between, and variables.
    ...['git -C . push', 'p=push; git $p'],
  ])('Shell(git:push*) does not stop %s', (line) => {
    expect(matchesAny(denying('Shell(git:push*)'), shell(line))).toBe(false);
  });

  it('is exact where the token is', () => {
    const rules = denying('Shell(npm:publish)');
    for (const line of ['npm publish', 'env npm publish', `sh -c 'npm publish'`, '/usr/bin/npm publish'])
      expect({ line, stopped: matchesAny(rules, shell(line)) }).toEqual({ line, stopped: true });
    for (const line of ['npm publisher', 'npm test', `sh -c 'npm publisher'`])
      expect({ line, stopped: matchesAny(rules, shell(line)) }).toEqual({ line, stopped: false });
  });

  it('is found although the arguments contain a colon', () => {
    const rules = denying('Shell(npm:run build:prod)');
    expect(matchesAny(rules, shell('env npm run build:prod'))).toBe(true);
    expect(matchesAny(rules, shell('env npm run build:test'))).toBe(false);
  });

  it.each(['Shell(*)', 'Shell(*:*)', 'Shell(**)'])('%s stops everything', (token) => {
    for (const line of ['ls', 'npm test', '/bin/x', `bash -c 'x'`])
      expect(matchesAny(denying(token), shell(line))).toBe(true);
  });
});

/** What each preset denies; the column says which presets do. */
const NO_COMMANDS = ['review', 'docs', 'edit', 'custom'] as const;
const CALLS: readonly [Call['kind'], string, readonly PresetName[]][] = [
  ['Shell', 'npm test', NO_COMMANDS],
  ['Shell', 'ls docs', NO_COMMANDS],
  ['Shell', 'git status', NAMES],
  ['Shell', '/usr/bin/git push', NAMES],
  ['Shell', `bash -c 'curl https://example.com'`, NAMES],
  ['Shell', 'for f in *; do wget $f; done', NAMES],
  ['Shell', 'legit digit', NO_COMMANDS],
  ['Shell', 'cat .env', NO_COMMANDS],
  ['Shell', 'p=git; $p push', NO_COMMANDS],
  ['Read', `${ROOT}/src/a.ts`, ['custom']],
  ['Read', '/etc/hostname', ['custom']],
  ['Read', '/proc/self/environ', NAMES],
  ['Read', '/sys/kernel/x', NAMES],
  ['Read', `${ROOT}/.git/config`, NAMES],
  ['Read', `${ROOT}/.env`, NAMES],
  ['Read', `${ROOT}/packages/a/.env.local`, NAMES],
  ['Read', `${ROOT}/src/env.ts`, ['custom']],
  ['Write', `${ROOT}/docs/guide.md`, ['review', 'custom']],
  ['Write', `${ROOT}/src/a.ts`, ['review', 'custom']],
  ['Write', `${ROOT}/docs/requirements.txt`, ['review', 'docs', 'custom']],
  ['Write', `${ROOT}/.github/workflows/ci.yml`, NAMES],
  ['Write', `${ROOT}/packages/a/.github/x`, NAMES],
  ['Write', `${ROOT}/.cursor/cli.json`, NAMES],
  ['Write', `${ROOT}/.cursorindexingignore`, NAMES],
  ['Write', `${ROOT}/AGENTS.md`, NAMES],
  ['Write', `${ROOT}/docs/AGENTS.md`, NAMES],
  ['Write', `${ROOT}/.env`, NAMES],
  ['Write', '/home/runner/.ssh/config', NAMES],
  ['Write', `${ROOT}/docs/agents/guide.md`, ['review', 'custom']],
  // Outside of the workspace only the isolation stops it.
  ['Write', '/etc/passwd', ['review', 'custom']],
];

describe('the presets in cli.json', () => {
  it.each(CALLS)('%s of %s is denied by %j', (kind, target, expected) => {
    const by = NAMES.filter((preset) => matchesAny(rulesOf({ preset }).deny, { kind, target }));
    expect(by).toEqual(expected);
  });

  it('of custom deny what allow does not name, also with --force', () => {
    const deniedWith = (...allow: string[]) => {
      const { deny } = rulesOf({ allow: permissions(...allow) });
      const calls = [shell(`node -e '1'`), shell('npm test')];
      const paths = (['Read', 'Write'] as const).map((kind) => ({ kind, target: `${ROOT}/src/a.ts` }));
      return [...calls, ...paths].filter((call) => matchesAny(deny, call)).map(({ target }) => target);
    };
    const file = `${ROOT}/src/a.ts`;
    expect(deniedWith('Write(**)')).toEqual([`node -e '1'`, 'npm test']);
    expect(deniedWith('Shell(*)')).toEqual([file, file]);
    expect(deniedWith('WebFetch(*)')).toEqual([`node -e '1'`, 'npm test', file, file]);
  });

  it('deny nothing of a checkout only because it is below a dot folder', () => {
    const { deny } = cliRules(buildPolicy({ preset: 'fix-ci', allow: [], deny: [] }), '/home/ci/.work/repo');
    const denied = (path: string) => deny.some((rule) => cliPatternTest(rule)(`Write(${path})`));
    expect(denied('/home/ci/.work/repo/docs/agents/guide.md')).toBe(false);
    expect(denied('/home/ci/.work/repo/.grok/agents/x.md')).toBe(true);
    expect(denied('/home/ci/.work/repo/a/.grok/hooks.json')).toBe(true);
  });

  it.each(NAMES)('are lists of a moderate length: %s', (preset) => {
    const { allow, deny } = rulesOf({ preset });
    expect(allow.length).toBeLessThan(25);
    expect(deny.length).toBeLessThan(220);
    expect(new Set(deny).size).toBe(deny.length);
  });

  it.each(NAMES)('have no path rule that matches nothing: %s', (preset) => {
    const { allow, deny } = rulesOf({ preset, allow: permissions('Read(a)', 'Write(./b/**)') });
    for (const rule of [...allow, ...deny].filter((text) => /^(Read|Write)/.test(text)))
      expect(rule).toMatch(/^\w+\((\/|\*\*)/);
  });
});

describe('an allowed command', () => {
  it.each(['npm', 'npm test', 'cd a && npm test', 'X=1 npm test'])(
    'Shell(npm), Shell(cd) allow %s',
    (line) => {
      expect(matchesAll(allowing('Shell(npm)', 'Shell(cd)'), shell(line))).toBe(true);
    },
  );

  it.each([
    ...['evil npm', 'evil npm test', 'env npm test', '/tmp/npm test', './npm test', `bash -c 'npm test'`],
    ...['npmx test', 'npm test; evil', 'npm test $(evil)', 'npm test | evil', 'evil;npm test'],
  ])('Shell(npm) does not allow %s', (line) => {
    expect(matchesAll(allowing('Shell(npm)'), shell(line))).toBe(false);
  });

  it('stays exactly as it is written', () => {
    const tokens = ['Shell(npm)', 'Shell(npm:test*)', 'Shell(*)', 'WebFetch(*.x.dev)', 'Mcp(db:query)'];
    expect(allowing(...tokens)).toEqual(tokens);
  });
});

describe('an allowed path', () => {
  const allows = (rules: readonly string[], target: string) => matchesAny(rules, { kind: 'Write', target });

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'Write(docs/**)',
      [`${ROOT}/docs/a.md`, `${ROOT}/docs/.hidden/a`],
      [`${ROOT}/a/docs/x`, '/etc/docs/x', `${ROOT}-2/docs/x`, `${ROOT}/docs`, 'docs/a.md'],
    ],
    [
      'Write(**/*.md)',
      [`${ROOT}/README.md`, `${ROOT}/a/b.md`, `${ROOT}/.a/b.md`],
      ['/tmp/x.md', `${ROOT}/x.mdx`, '/home/runner/x.md'],
    ],
    ['Write(./a.txt)', [`${ROOT}/a.txt`], [`${ROOT}/b/a.txt`, '/a.txt']],
    ['Write(/opt/x/**)', ['/opt/x/y'], ['/opt/xy', `${ROOT}/opt/x/y`]],
    ['Write(**)', [`${ROOT}/a`, '/anywhere'], []],
  ])('%s', (token, inside, outside) => {
    const rules = allowing(token);
    expect(inside.filter((path) => !allows(rules, path))).toEqual([]);
    expect(outside.filter((path) => allows(rules, path))).toEqual([]);
  });

  it('is never wider than the check after the run', () => {
    const name = fc.constantFrom('docs', 'a', '.b', 'x.md', 'y.txt');
    const part = fc.oneof(name, fc.constantFrom('*', '**', '*.md', 'd*'));
    const joined = (one: fc.Arbitrary<string>) =>
      fc.array(one, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(joined(part), joined(name), fc.boolean(), (pattern, path, isInside) => {
        const token = `Write(${pattern})`;
        const [rule] = permissions(token);
        fc.pre(rule !== undefined && !/^\*+(\/\*+)*$/.test(pattern));
        const target = `${isInside ? ROOT : '/home/runner/work/other'}/${path}`;
        if (!allows(allowing(token), target)) return;
        const policy = {
          ...buildPolicy({ preset: 'custom', allow: permissions(token), deny: [] }),
          deny: [],
        };
        expect(isInside).toBe(true);
        expect(pathJudge(policy, { root: ROOT, directory: ROOT })(path)).toBeUndefined();
      }),
      { numRuns: 2000, examples: [['**/**/.b', 'docs/.b', true]] },
    );
  });
});

describe('the path of the workspace', () => {
  const allow = permissions('Write(docs/**)');

  it('may have brackets, question marks and blanks, which stand for themselves', () => {
    const root = '/srv/a [b] {c}?';
    const rules = rulesOf({ allow }, root).allow;
    expect(matchesAny(rules, { kind: 'Write', target: `${root}/docs/x` })).toBe(true);
    expect(matchesAny(rules, { kind: 'Write', target: '/srv/a b cd/docs/x' })).toBe(false);
  });

  it('with an asterisk allows nothing below it, rather than folders beside it; deny rules stay', () => {
    const rules = rulesOf({ allow }, '/srv/a*b');
    expect(rules.allow).toEqual([]);
    expect(matchesAny(rules.deny, { kind: 'Write', target: '/srv/a*b/.github/x' })).toBe(true);
  });

  it('ends with one slash at most, and may be the root', () => {
    expect(rulesOf({ allow }, '/w//').allow).toEqual(['Write(/w/docs/**)']);
    expect(rulesOf({ allow }, '/').allow).toEqual(['Write(/docs/**)']);
  });

  it('on Windows is written with both slashes, as are the patterns', () => {
    const rules = cliRules({ allow, deny: permissions('Read(**/.env*)') }, 'C:\\w');
    expect(rules.allow).toEqual(['Write(C:/w/docs/**)', 'Write(C:\\w\\docs\\**)']);
    expect(rules.deny).toEqual(['Read(**/.env*)', 'Read(**\\.env*)']);
  });
});
