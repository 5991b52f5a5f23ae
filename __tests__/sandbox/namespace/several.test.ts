import { expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWN_FILE, type Job, type SeveralAnswer } from './job.js';
import { describeWays, fingerprint } from './ways.js';

const SEATS = [0, 1, 2, 3, 4];

describeWays('five agents at the same time', (way) => {
  const run = async (job: Omit<Job, 'how'>) => {
    const before = fingerprint(way.stand.workspace);
    const answer = (await way.stand.answer({ how: way.how, ...job })) as SeveralAnswer | { failure: string };
    if ('failure' in answer) throw new Error(answer.failure);
    expect(fingerprint(way.stand.workspace)).toBe(before);
    expect(readdirSync(way.stand.runnerTemp).filter((name) => name.startsWith('cursor-agent-'))).toEqual([]);
    return answer;
  };

  it.each(['overlay', 'copy'] as const)(
    'have a home, temporary files, processes and a network each, over one checkout (%s)',
    async (layer) => {
      const script = `echo "$HOME"; echo "$TMPDIR"; cat "$HOME/own.txt"; echo; head -n 1 README.md; cat .cursor/cli.json
        : > "$HOME/mine-$SEAT"; : > "$TMPDIR/mine-$SEAT"; sleep 1000 & sleep 0.5
        ls "$HOME" "$TMPDIR" | grep mine | sort -u; ls -d "$HOME/../../../"*/own/home/mine-* | wc -l
        grep -l sleep /proc/[0-9]*/comm | wc -l; (: > written) 2>/dev/null && echo wrote || echo refused
        node -e '
          const net = require("net"), { port } = new URL(process.env.HTTPS_PROXY);
          const socket = net.connect(port, "127.0.0.1", () => socket.write("CONNECT host-" + process.env.SEAT + ".example:443 HTTP/1.1\\r\\n\\r\\n"));
          socket.on("data", (data) => { console.log(String(data).split("\\r")[0]); socket.destroy(); });'`;
      const { starts, violations } = await run({ layer, several: SEATS.map(() => script) });
      expect(new Set(starts.flatMap(({ lines }) => lines.slice(0, 2))).size).toBe(10);
      for (const [seat, { exit, lines, refused }] of starts.entries()) {
        expect(exit).toEqual({ kind: 'exited', code: 0 });
        expect(lines.slice(2)).toEqual([
          ...[lines[0], '# A project', OWN_FILE.trimEnd(), `mine-${seat}`, '1', '1', 'refused'],
          'HTTP/1.1 403 Forbidden',
        ]);
        expect(refused).toEqual([`host-${seat}.example:443`]);
      }
      expect(violations).toEqual([]);
    },
  );

  it('are not held up by one that hangs, and all end within seconds when the job is cancelled', async () => {
    const stubborn = `trap '' TERM INT HUP; (trap '' TERM; setsid sh -c 'trap "" TERM; sleep 1000') & echo "$TMPDIR"
      echo ready; while :; do sleep 1; done`;
    // The last one to be ready has waited for two that have ended.
    const { starts, endedMs } = await run({
      several: ['echo done', stubborn, 'echo done', stubborn, `sleep 2; ${stubborn}`],
      cancelAt: 3,
    });
    expect([starts[0], starts[2]].map((start) => [start?.lines, start?.exit])).toEqual(
      [0, 2].map(() => [['done'], { kind: 'exited', code: 0 }]),
    );
    const hanging = [1, 3, 4].flatMap((seat) => starts[seat] ?? []);
    for (const { exit } of hanging) expect(exit).toMatchObject({ kind: 'ended', why: 'cancelled' });
    // The runner gives a cancelled step 7.5 seconds.
    expect(endedMs).toBeLessThan(6500);
    expect(hanging.flatMap(({ lines }) => runningWith(lines[0] ?? ''))).toEqual([]);
  });
});

/** Processes that have this temporary folder in their environment. */
function runningWith(temp: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const path = join('/proc', pid, 'environ');
      return existsSync(path) && readFileSync(path, 'utf8').includes(`TMPDIR=${temp}\0`);
    } catch {
      return false;
    }
  });
}
