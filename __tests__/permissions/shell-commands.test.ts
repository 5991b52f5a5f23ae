import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { everyWord, programOf, readShellLine } from '../../src/permissions/shell-commands.js';

const names = (line: string) => readShellLine(line).commands.map(({ name }) => name);

describe('readShellLine', () => {
  it.each<[string, string[]]>([
    ['git push', ['git']],
    ['X=1 Y="a b" npm test 2>&1 | tail -3 && git push > log', ['npm', 'tail', 'git']],
    ['echo "a; rm b" && (cd x; make)', ['echo', 'cd', 'make']],
    ['if true; then git push; fi', ['true', 'git']],
    ['for f in a b; do git add "$f"; done', ['git']],
    ['! git diff', ['git']],
    ['{ git push; }', ['git']],
    ['time -p git push', ['git']],
    ['/usr/bin/git push', ['/usr/bin/git']],
    [`g''it push; g\\it push; "git" push`, ['git', 'git', 'git']],
    [`bash -c 'git push'`, ['bash', 'git']],
    [`bash -o pipefail -lc "cd x && git push"`, ['bash', 'cd', 'git']],
    [`sh -c "bash -c 'git push'"`, ['sh', 'bash', 'git']],
    ['env -i -u X A=1 git push', ['env', 'git']],
    [`env -S 'git push'`, ['env', 'env', 'git']],
    [`env -S'git push'`, ['env', 'env', 'git']],
    [`env -vS 'git push' now`, ['env', 'env', 'git']],
    [`env --split-string='git push'`, ['env', 'env', 'git']],
    [`env --split='git push'`, ['env', 'env', 'git']],
    [`env -S '-u X git push'`, ['env', 'env', 'git']],
    [String.raw`env -S '\_git\_push'`, ['env', 'env', 'git']],
    ['env --argv0 x git push', ['env', 'git']],
    [`script -c 'git push'`, ['script', 'git']],
    [`script --comm 'git push'`, ['script', 'git']],
    [`script -qec 'git push'`, ['script', 'git']],
    [`script --command='git push'`, ['script', 'git']],
    ['script -q /dev/null git push', ['script', 'git']],
    ['coproc git push', ['git']],
    ['coproc P { git push; }', ['git']],
    ['\n\n\tgit push', ['git']],
    ['ls | xargs -0 -n 1 grep git', ['ls', 'xargs', 'grep']],
    ['ls | xargs -I {} git add {}', ['ls', 'xargs', 'git']],
    ['nohup setsid git push &', ['nohup', 'setsid', 'git']],
    ['timeout -s KILL 5 git push', ['timeout', 'git']],
    ['timeout --kill 9 5 git push', ['timeout', 'git']],
    ['nice -n 5 git push', ['nice', 'git']],
    ['nice --adj 5 git push', ['nice', 'git']],
    ['watch -n 5 git push', ['watch', 'git']],
    ['command git push; exec git push', ['command', 'git', 'exec', 'git']],
    ['sudo -u root git push', ['sudo', 'git']],
    ['npx -y git push', ['npx', 'git']],
    ['busybox wget x', ['busybox', 'wget']],
    ['find . -name x -exec git add {} \\; -print', ['find', 'git']],
    ['eval "git push"', ['eval', 'git']],
    [`trap 'git push' EXIT`, ['trap', 'git']],
    ['echo $(git log)', ['git', 'echo']],
    ['echo "$(git log)" `git status`', ['git', 'git', 'echo']],
    ['echo ${X:-$(git log)}', ['git', 'echo']],
    ['diff <(git show a) b', ['git', 'diff']],
    ['cat <<EOF\ngit is good\nEOF\nmake', ['cat', 'make']],
    ['cat <<EOF\n$(git log)\nEOF', ['cat', 'git']],
    [`cat <<'EOF'\n$(git log)\nEOF`, ['cat']],
    ['bash <<-EOF\n\tgit push\n\tEOF', ['bash', 'git']],
    ['bash <<< "git push"', ['bash', 'git']],
    ['echo git # git push', ['echo']],
    ['grep -rn git src', ['grep']],
    ['case $x in git) make;; esac', ['make']],
    ['', []],
    ['X=1', []],
  ])('%j runs %j', (line, expected) => {
    expect(names(line).sort()).toEqual([...expected].sort());
    expect(readShellLine(line).isCertain).toBe(true);
  });

  it.each(['git push "', '$X push', '"$X" push', `$(echo git) push`, 'echo $(git', `bash -c "$X"`])(
    'is not certain about %j',
    (line) => {
      expect(readShellLine(line).isCertain).toBe(false);
    },
  );

  it('keeps what follows a command', () => {
    expect(readShellLine(`npm  publish --tag 'a b'`).commands).toEqual([
      { name: 'npm', args: 'publish --tag a b' },
    ]);
  });

  it('never throws, and is never slow', () => {
    const pieces = [
      ...[
        'git',
        'bash -c',
        'env',
        'xargs',
        'find -exec',
        'eval',
        ' ',
        '\n',
        ';',
        '&&',
        '|',
        '(',
        ')',
        '{',
        '}',
      ],
      ...['$(', '`', '${', '"', "'", '\\', '<<EOF', '<<<', '<(', '>', '2>&1', '#', '$x', "$'", 'EOF', '1'],
    ];
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 300 }),
          fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join('')),
          fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(' ')),
        ),
        (line) => {
          expect(Array.isArray(readShellLine(line).commands)).toBe(true);
          everyWord(line);
        },
      ),
      { numRuns: 3000 },
    );
    // Each of these would not end in the time of a test if the effort were more than proportional to the length.
    for (const piece of [...pieces, 'env ', 'find -exec ', 'bash -c "', '$(a ', '((', '<<EOF\n', '11', '\\"'])
      for (const line of [piece.repeat(30_000), `echo ${piece.repeat(30_000)}`]) readShellLine(line);
  });

  it('does not read on where a line is nested without end, and says so', () => {
    expect(readShellLine(`${'$('.repeat(100)}git${')'.repeat(100)}`).isCertain).toBe(false);
    expect(readShellLine('env '.repeat(100) + 'git').isCertain).toBe(false);
    expect(readShellLine('a;'.repeat(1000) + 'git').isCertain).toBe(false);
    expect(readShellLine('x'.repeat(200_000)).isCertain).toBe(false);
  });
});

describe('programOf', () => {
  it.each([
    ['/usr/bin/git', 'git'],
    ['C:\\Program Files\\Git\\git.EXE', 'git'],
    ['./gradlew', 'gradlew'],
  ])('%j is %j', (name, expected) => {
    expect(programOf(name)).toBe(expected);
  });
});

describe('a name that a shell computes', () => {
  it.each([
    '{git,push}',
    '/usr/bin/g?t push',
    '$"git" push',
    String.raw`$'\x67it' push`,
    'function f { git push; }; f',
  ])('makes the reading of %j uncertain', (line) => {
    expect(readShellLine(line).isCertain).toBe(false);
  });

  it.each(['coproc git push', 'a[0]=1 git push'])('is found in %j', (line) => {
    expect(readShellLine(line).commands.map(({ name }) => name)).toContain('git');
  });
});
