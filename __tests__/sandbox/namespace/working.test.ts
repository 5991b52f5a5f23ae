import { expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWN_FILE, type Answer } from './job.js';
import { allowSudo, runJob } from './stand.js';
import { describeWays } from './ways.js';

/** Where Debian puts them, beside the usual ones. */
const UUTILS = '/usr/lib/cargo/bin/coreutils';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

describeWays('an isolated agent does its work', (way) => {
  it('reads but cannot write the workspace where that is read-only', async () => {
    const script = `cat README.md .cursor/cli.json && git log --oneline | wc -l
      for file in README.md new .cursor/new; do (echo x >>$file) 2>/dev/null && echo "wrote $file"; done
      mkdir new-folder 2>/dev/null && echo made; rm -f README.md 2>/dev/null && echo removed
      echo x >"$HOME/h" && echo x >"$TMPDIR/t" && cat "$HOME/h" "$TMPDIR/t" /tmp/t`;
    for (const layer of ['overlay', 'copy'] as const) {
      const answer = await way.run({ run: script, access: 'read', layer });
      expect(answer).toMatchObject({
        stdout: `# A project\n${OWN_FILE}1\nx\nx\nx\n`,
        changes: [],
        tampering: [],
      });
    }
  });

  it('writes the workspace where it may, as the user it was started by', async () => {
    const script = `mkdir -p docs && echo text >docs/new.md && git status --short docs && stat -c %u:%g docs/new.md
      echo more >>README.md && chmod 755 README.md`;
    const owner = way.account.kind === 'user' ? `${way.account.uid}:${way.account.gid}` : '0:0';
    for (const layer of ['overlay', 'copy'] as const) {
      const answer = await way.run({ run: script, layer });
      expect(answer).toMatchObject({ stdout: `?? docs/\n${owner}\n`, changes: ['README.md', 'docs/new.md'] });
    }
  });

  it('has exactly the environment, arguments, folder and user it was given', async () => {
    const env = { ODD: `a'b"c\n$(id) \\ \`id\` é 漢\t`, EMPTY: '' };
    const args = ['--', '', ' ', "it's", '$HOME', 'line\nbreak', '-n', '*', 'é'];
    const show = `console.log(JSON.stringify({ env: process.env, args: process.argv.slice(1), cwd: process.cwd(),
      ids: [process.getuid(), process.getgid()], groups: process.getgroups().sort(), umask: process.umask() }))`;
    const command = ['node', '-e', show, ...args];
    const [bare, isolated] = await Promise.all([
      runJob(way.stand, { how: 'bare', run: command, env }),
      way.run({ run: command, env }),
    ]);
    const seenBy = ({ stdout }: Answer) =>
      JSON.parse(stdout.replaceAll(/cursor-agent-\w{6}/g, 'own')) as Record<string, unknown>;
    const seen = seenBy(isolated);
    // A user namespace knows one group alone.
    const groups = way.how === 'user-namespace' ? { groups: expect.anything() } : {};
    expect(seen).toEqual({ ...seenBy(bare), ...groups });
    expect(seen['env']).toMatchObject(env);
    expect(Object.keys(seen['env'] as object).sort()).toEqual([
      'AGENT_KEY',
      'EMPTY',
      'HOME',
      'ODD',
      'PATH',
      'TMPDIR',
    ]);
    expect(seen['args']).toEqual(args.slice(1));
  });

  it('can use the devices every program expects, and finds the name servers', async () => {
    const answer = await way.run({
      run: `echo x >/dev/null && head -c 8 /dev/urandom | wc -c && head -c 2 /dev/zero | wc -c
        echo out >/dev/stderr 2>/dev/null; [ -c /dev/ptmx ] && [ -c /dev/tty ] && ls /proc/self/fd >/dev/null && echo fine
        [ -r /etc/resolv.conf ] && echo names`,
    });
    expect(answer.stdout).toBe('8\n2\nfine\nnames\n');
  });

  it('finds its program and what it is told to read in a folder that is hidden else', async () => {
    const { runnerTemp } = way.stand;
    const [tool, context] = [join(runnerTemp, 'tool'), join(runnerTemp, 'own', 'diff.txt')];
    for (const folder of [join(tool, 'build'), join(runnerTemp, 'own')])
      mkdirSync(folder, { recursive: true });
    writeFileSync(join(tool, 'build', 'part'), 'part\n');
    writeFileSync(join(tool, 'build', 'agent'), '#!/bin/sh\ncat "$(dirname "$(realpath "$0")")/part" "$1"\n');
    chmodSync(join(tool, 'build', 'agent'), 0o755);
    symlinkSync('build/agent', join(tool, 'agent'));
    writeFileSync(context, 'diff\n');
    const cli = join(tool, 'agent');
    const answer = await way.run({ run: [cli, context], cli, shown: [context] });
    expect(answer).toMatchObject({ code: 0, stdout: 'part\ndiff\n', stderr: '' });
  });

  it('may write a folder of programs in the workspace', async () => {
    const script = 'mkdir -p bin && echo x >bin/y && cat bin/y';
    const answer = await way.run({ run: script, path: [join(way.stand.workspace, 'bin')] });
    expect(answer).toMatchObject({ stdout: 'x\n', changes: ['bin/y'] });
  });

  it('gets all of a large input, and all of its output comes out', async () => {
    const input = 'a line of input, with an é and a 漢\n'.repeat(200_000);
    const answer = await way.run({ run: 'cat; echo end >&2', input });
    expect(answer).toMatchObject({ code: 0, signal: null, stderr: 'end\n' });
    expect(hashOf(answer.stdout)).toBe(hashOf(input));
  });

  it('ends as it ends: with success, a code, a signal, a kill, a missing program', async () => {
    const scripts = [
      'exit 0',
      'exit 42',
      'kill -TERM $$',
      'kill -KILL $$',
      'exec /does/not/exist 2>/dev/null',
    ];
    const answers = await Promise.all(scripts.map((run) => way.run({ run })));
    expect(answers.map(({ code }) => code)).toEqual([0, 42, 143, 137, 127]);
    for (const answer of answers) expect(answer).toMatchObject({ signal: null, stderr: '' });
  });

  if (way.how === 'root') {
    it('says why it cannot where root lacks the rights', async () => {
      const before = ['setpriv', '--bounding-set=-sys_admin', '--inh-caps=-sys_admin', '--'];
      expect(await way.stand.answer({ how: 'probe', before })).toEqual({
        kind: 'not-isolated',
        why: expect.stringMatching(/^Root cannot create namespaces here.*CAP_SYS_ADMIN/),
      });
    });
  }

  if (way.how === 'sudo') {
    it('does without sudo where that asks for a password or cannot work', async () => {
      const withoutPrivileges = ['setpriv', '--no-new-privs', '--'];
      const name = way.account.kind === 'user' ? way.account.name : '';
      allowSudo(name, false);
      try {
        const answer = await way.stand.answer({ how: 'probe' });
        expect(answer).toMatchObject(
          expect.objectContaining({ kind: expect.stringMatching(/^(not-)?isolated$/) }),
        );
        if ((answer as { kind: string }).kind === 'isolated')
          expect(answer).toMatchObject({ privilege: 'user-namespace' });
        else expect(answer).toMatchObject({ why: expect.stringMatching(/its sudo asks for a password/) });
      } finally {
        allowSudo(name, true);
      }
      const answer = await way.stand.answer({ how: 'probe', before: withoutPrivileges });
      expect(answer).not.toMatchObject({ privilege: 'sudo' });
    });

    it('says why it cannot where neither sudo nor user namespaces can be had', async () => {
      const name = way.account.kind === 'user' ? way.account.name : '';
      // In a user namespace that was made with no room for more, nobody makes another.
      const noRoom = 'echo 0 >/proc/sys/user/max_user_namespaces; exec setpriv --no-new-privs -- "$@"';
      const before = [
        'unshare',
        '--user',
        '--map-current-user',
        '--keep-caps',
        'sh',
        '-c',
        noRoom,
        'no-room',
      ];
      allowSudo(name, false);
      try {
        expect(await way.stand.answer({ how: 'probe', before })).toEqual({
          kind: 'not-isolated',
          why: expect.stringMatching(
            /no_new_privs.*The kernel does not let ordinary users create namespaces here/s,
          ),
        });
      } finally {
        allowSudo(name, true);
      }
    });
  }

  const missing = existsSync(join(UUTILS, 'cp')) ? undefined : 'uutils is not installed';
  (missing === undefined && way.how === 'root' ? it : it.skip)(
    'does so with the coreutils of newer systems (uutils), too',
    async () => {
      const swap = `for tool in cp rm mkdir chown env mkfifo readlink dd; do
        mount --bind ${UUTILS}/$tool "$(readlink -f "$(command -v $tool)")"; done`;
      const before = ['unshare', '-m', 'sh', '-c', `${swap}; exec "$@"`, 'swap'];
      const script = 'cp --version | head -n 1; cat .cursor/cli.json; echo text >new.md';
      const answer = await way.run({ run: script, before });
      expect(answer).toMatchObject({ changes: ['new.md'], tampering: [] });
      expect(answer.stdout).toMatch(/^cp \d[^\n]*\n\{"permissions"/);
    },
  );
});
