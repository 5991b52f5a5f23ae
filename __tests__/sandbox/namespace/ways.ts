import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { PrivilegeSource } from '../../../src/sandbox/namespace/isolate.js';
import type { Answer, Job } from './job.js';
import {
  makeStand,
  makeUser,
  obstacle,
  removeUser,
  runJob,
  type Account,
  type Stand,
  type StandOptions,
} from './stand.js';

/** One way to get the rights that isolation takes, with an account that has them; made before the tests run. */
export interface Way {
  how: PrivilegeSource;
  account: Account;
  stand: Stand;
  run(job: Omit<Job, 'how'>): Promise<Answer>;
}

/** The same tests as root, as an ordinary user with sudo, and as one without. */
export function describeWays(title: string, tests: (way: Way) => void, options: StandOptions = {}): void {
  describe.each<PrivilegeSource>(['root', 'sudo', 'user-namespace'])(`${title} (by %s)`, (how) => {
    const missing = obstacle(how);
    if (missing !== undefined) {
      it(`was not tried here: ${missing}`, () => {
        expect(obstacle(how)).toBe(missing);
      });
      return;
    }
    const way = { how, run: (job: Omit<Job, 'how'>) => runJob(way.stand, { how, ...job }) } as Way;
    beforeAll(async () => {
      way.account = how === 'root' ? { kind: 'root' } : makeUser(how === 'sudo');
      way.stand = await makeStand(way.account, options);
    });
    afterAll(() => {
      way.stand.remove();
      if (way.account.kind === 'user') removeUser(way.account.name);
    });
    tests(way);
  });
}

/** Every name below a folder with its mode, owner and content: two that are equal are the same tree. */
export function fingerprint(
  folder: string,
  owners: 'with owners' | 'without owners' = 'with owners',
): string {
  const hash = createHash('sha256');
  for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()]) {
    const path = join(folder, name);
    const stat = lstatSync(path);
    const content = stat.isFile()
      ? readFileSync(path, 'hex')
      : stat.isSymbolicLink()
        ? readlinkSync(path)
        : '';
    // Sockets come and go with the process that listens.
    const owner = owners === 'with owners' ? `${stat.uid}:${stat.gid}` : '';
    if (!stat.isSocket()) hash.update(`${name} ${stat.mode} ${owner} ${content}\n`);
  }
  return hash.digest('hex');
}

/** What a script of attempts said, by the name of each. */
export const outcomes = (stdout: string): Record<string, string> =>
  Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.lastIndexOf(':')), line.slice(line.lastIndexOf(': ') + 2)]),
  );

/** Each of these attempts, with the one outcome. */
export const all = (tried: Readonly<Record<string, string>>, outcome: 'done' | 'refused') =>
  Object.fromEntries(Object.keys(tried).map((name) => [name, outcome]));
