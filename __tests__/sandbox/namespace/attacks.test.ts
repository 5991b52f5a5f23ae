import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { KEYRING_FILES } from '../../../src/sandbox/namespace/keyring.js';
import { breakOut, reachOutside, repositoryAttacks } from './attack-scripts.js';
import { furnishHome, type FurnishedHome } from './furnished-home.js';
import type { Answer } from './job.js';
import {
  command,
  EVERYTHING_READ,
  EVERYTHING_REFUSED,
  installed,
  isFilteredAlready,
} from './keyring-scripts.js';
import { CANARY, CREDENTIAL, runJob } from './stand.js';
import { all, describeWays, fingerprint, outcomes } from './ways.js';

const isSudoInstalled = existsSync('/usr/bin/sudo');

/**
 * A copy of a checkout, to be attacked. The checkout itself must stay where it is: its sockets have to be hidden from the
 * agents of other tests too, and one that is away for a moment cannot be.
 */
async function onCopyOf<T>(folder: string, work: (copy: string) => Promise<T>): Promise<T> {
  const copy = `${folder}-copy`;
  execFileSync('cp', ['-a', folder, copy]);
  try {
    return await work(copy);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

describeWays(
  'an isolated agent',
  (way) => {
    let home: FurnishedHome;
    /** Left by another step. */
    const temporary = Object.fromEntries(
      ['/tmp', '/var/tmp'].map((folder) => [folder, join(folder, `isolation-secret-${process.pid}`)]),
    );
    const give = (folder: string) => {
      if (way.account.kind === 'user') execFileSync('chown', ['-R', '-h', way.account.name, folder]);
    };
    beforeAll(() => {
      home = furnishHome(way.stand);
      give(way.stand.userHome);
      for (const path of Object.values(temporary)) writeFileSync(path, CREDENTIAL);
    });
    afterAll(() => {
      for (const path of Object.values(temporary)) rmSync(path);
    });

    it('is found to be possible by trying it, without a look at what is in the checkout', async () => {
      const { root, runnerTemp } = way.stand;
      const before = readdirSync(runnerTemp);
      // Whoever read it would wait for ever, or leave a trace.
      const workspace = join(root, 'hostile');
      const inside = ['README.md', 'docs', '.cursor'].map((name) => join(workspace, name));
      for (const folder of ['docs', '.cursor']) mkdirSync(join(workspace, folder), { recursive: true });
      writeFileSync(join(workspace, 'README.md'), '');
      execFileSync('mkfifo', [join(workspace, '.git'), join(workspace, '.cursor', 'cli.json')]);
      give(workspace);
      for (const path of inside) utimesSync(path, 1, 1);
      expect(await way.stand.answer({ how: 'probe', workspace })).toMatchObject({
        kind: 'isolated',
        privilege: way.how,
        layer: 'overlay',
      });
      expect(inside.map((path) => statSync(path).atimeMs)).toEqual(inside.map(() => 1000));
      expect(readdirSync(workspace).sort()).toEqual(['.cursor', '.git', 'README.md', 'docs']);
      expect(readdirSync(runnerTemp)).toEqual(before);
    });

    describe('attacking the repository', () => {
      let bare: Record<string, string>;
      let isolated: Record<string, string>[];
      let before: string;
      beforeAll(async () => {
        const { workspace } = way.stand;
        before = fingerprint(workspace);
        bare = await onCopyOf(workspace, async (copy) => {
          const job = { how: 'bare', workspace: copy, run: repositoryAttacks() } as const;
          return outcomes((await runJob(way.stand, job)).stdout);
        });
        const answers = await Promise.all(
          (['overlay', 'copy'] as const).map((layer) => way.run({ layer, run: repositoryAttacks() })),
        );
        isolated = answers.map(({ stdout }) => outcomes(stdout));
      });

      it('would succeed in every way without isolation', () => {
        expect(Object.keys(bare).length).toBeGreaterThan(20);
        expect(bare).toEqual(all(bare, 'done'));
      });

      it('fails in every way, on either kind of layer', () => {
        expect(isolated).toEqual([all(bare, 'refused'), all(bare, 'refused')]);
      });

      it('leaves the checkout as it was, byte for byte, and its .git as well', () => {
        expect(fingerprint(way.stand.workspace)).toBe(before);
      });
    });

    describe('reaching outside', () => {
      const script = () =>
        reachOutside({
          ...way.stand,
          secrets: {
            ...home.secrets,
            ...temporary,
            'the credential beside': join(way.stand.runnerTemp, 'git-credentials-1.config'),
          },
          canary: CANARY,
          credential: CREDENTIAL,
        });
      let isolated: Answer[];
      beforeAll(async () => {
        const before = fingerprint(way.stand.userHome);
        const job = { run: script(), path: home.path };
        isolated = await Promise.all(
          (['overlay', 'copy'] as const).map((layer) => way.run({ ...job, layer })),
        );
        expect(fingerprint(way.stand.userHome)).toBe(before);
      });

      it('would succeed in every way without isolation', async () => {
        const { workspace, userHome, runnerTemp } = way.stand;
        const ownFile = join(workspace, '.cursor', 'cli.json');
        const written = readFileSync(ownFile);
        const bare = outcomes((await runJob(way.stand, { how: 'bare', run: script() })).stdout);
        writeFileSync(ownFile, written);
        writeFileSync(join(runnerTemp, 'set_env'), '');
        for (const folder of [userHome, runnerTemp]) rmSync(join(folder, 'planted'));
        if (!isSudoInstalled || way.how === 'user-namespace') delete bare['become root by sudo'];
        expect(bare).toEqual(all(bare, 'done'));
      });

      it('fails in every way, on either kind of layer', () => {
        for (const { stdout } of isolated) {
          const tried = outcomes(stdout);
          expect(Object.keys(tried).length).toBeGreaterThan(30);
          expect(tried).toEqual(all(tried, 'refused'));
        }
      });

      it('leaves programs on PATH to it, wherever they lie', async () => {
        const answer = await way.run({ run: home.programs, path: home.path });
        expect(answer).toMatchObject({
          stdout: 'cargo-tool\nscript\ntool\nsingle\nown\nlinked\n',
          stderr: '',
        });
      });

      it('fails when it tries to undo the isolation', async () => {
        const before = fingerprint(way.stand.userHome);
        const answer = await way.run({ run: breakOut(way.stand) });
        const tried = outcomes(answer.stdout);
        expect(Object.keys(tried).length).toBeGreaterThan(40);
        expect(tried).toEqual(all(tried, 'refused'));
        expect(answer.isSentinelAlive).toBe(true);
        expect(fingerprint(way.stand.userHome)).toBe(before);
      });

      const [interpreter] = installed;
      (interpreter === undefined || isFilteredAlready ? it.skip : it)(
        'finds no key of the session or the user, and none by name',
        async () => {
          const hold = command(interpreter!, 'hold');
          const steal = command(interpreter!, 'steal');
          const bare = await runJob(way.stand, { how: 'bare', run: steal, before: hold });
          expect(bare.stdout).toBe(EVERYTHING_READ);
          const isolated = await way.run({ run: steal, before: hold });
          expect(isolated.stdout).toBe(EVERYTHING_REFUSED);
          const named = await way.run({ run: ['cat', ...KEYRING_FILES], before: hold });
          expect(named).toMatchObject({ code: 0, stdout: '' });
        },
      );

      it('kills nobody but itself', async () => {
        const answer = await way.run({ run: 'kill -KILL -1; kill -KILL $$' });
        expect(answer).toMatchObject({ code: 137, isSentinelAlive: true });
      });

      it('keeps its shared memory and its temporary files to itself', async () => {
        const name = `isolation-shared-${process.pid}`;
        const places = ['/dev/shm', '/tmp', '/var/tmp'];
        const script = places.map(
          (folder) => `echo ${folder} >${folder}/${name}-x && cat ${folder}/${name}-x`,
        );
        const answer = await way.run({ run: script.join('\n') });
        expect(answer.stdout).toBe(`${places.join('\n')}\n`);
        expect(places.filter((folder) => existsSync(join(folder, `${name}-x`)))).toEqual([]);
      });
    });
  },
  { hasSockets: true },
);
