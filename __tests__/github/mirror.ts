import { execFileSync } from 'node:child_process';

/** Asks the REST API of the emulator, as the owner of the repository. */
export type Call = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

export function gitIn(folder: string, args: readonly string[], input?: Buffer, env = {}): string {
  return bytesOf(folder, args, input, env).toString('utf8').trim();
}

function bytesOf(folder: string, args: readonly string[], input?: Buffer, env = {}): Buffer {
  return execFileSync('git', args, {
    cwd: folder,
    input: input ?? '',
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', ...env },
    maxBuffer: 2 ** 28,
  });
}

/** The commit of a branch of a bare repository, if it exists. */
export function tipOf(folder: string, branch: string): string | undefined {
  try {
    return gitIn(folder, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
  } catch {
    return undefined;
  }
}

/** A bare copy of a repository, as GitHub has it. */
export function copyBare(from: string, to: string): string {
  execFileSync('git', ['clone', '--quiet', '--bare', from, to], { stdio: 'pipe' });
  return to;
}

interface Entry {
  path: string;
  mode: string;
  type: 'blob' | 'tree' | 'commit';
  sha: string;
}
interface Person {
  name: string;
  email: string;
  date: string;
}
interface Commit {
  message: string;
  tree: { sha: string };
  parents: { sha: string }[];
  author: Person;
  committer: Person;
}

/**
 * Keeps a bare repository on this machine and a repository of the emulator the same, object by object. Checkouts are
 * cloned from the first, and the API answers from the second. An object that gets another id there fails the test.
 */
export class Mirror {
  private readonly shared = new Set<string>();
  private branches = new Map<string, string>();

  constructor(
    private readonly folder: string,
    private readonly call: Call,
  ) {}

  /** Sends what git has got since. */
  async send(): Promise<void> {
    const heads = this.readHeads();
    for (const [name, sha] of heads) {
      if (this.branches.get(name) === sha) continue;
      await this.sendObject('commit', sha);
      if (this.branches.has(name)) await this.call('PATCH', `/git/refs/heads/${name}`, { sha, force: true });
      else await this.call('POST', '/git/refs', { ref: `refs/heads/${name}`, sha });
    }
    for (const name of this.branches.keys())
      if (!heads.has(name)) await this.call('DELETE', `/git/refs/heads/${name}`);
    this.branches = heads;
  }

  /** Fetches a branch that was written through the API. */
  async fetch(branch: string): Promise<void> {
    const { object } = (await this.call('GET', `/git/ref/heads/${branch}`)) as { object: { sha: string } };
    await this.fetchObject('commit', object.sha);
    gitIn(this.folder, ['update-ref', `refs/heads/${branch}`, object.sha]);
    this.branches.set(branch, object.sha);
  }

  private readHeads(): Map<string, string> {
    const format = '--format=%(objectname) %(refname:lstrip=2)';
    const lines = gitIn(this.folder, ['for-each-ref', format, 'refs/heads']).split('\n').filter(Boolean);
    return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]));
  }

  private async sendObject(type: Entry['type'], id: string): Promise<void> {
    if (this.shared.has(id)) return;
    this.shared.add(id);
    const create = async (path: string, body: object) => {
      const { sha } = await this.call('POST', path, body);
      if (sha !== id) throw new Error(`git calls a ${type} ${id}, and the emulator ${String(sha)}`);
    };
    if (type === 'blob') {
      const bytes = bytesOf(this.folder, ['cat-file', 'blob', id]);
      await create('/git/blobs', { content: bytes.toString('base64'), encoding: 'base64' });
    } else if (type === 'tree') {
      const tree = this.readTree(id);
      for (const entry of tree) if (entry.type !== 'commit') await this.sendObject(entry.type, entry.sha);
      await create('/git/trees', { tree });
    } else {
      const { tree, parents, ...rest } = this.readCommit(id);
      await this.sendObject('tree', tree);
      for (const parent of parents) await this.sendObject('commit', parent);
      await create('/git/commits', { tree, parents, ...rest });
    }
  }

  private readTree(id: string): Entry[] {
    const lines = bytesOf(this.folder, ['ls-tree', '-z', id]).toString('utf8').split('\0').filter(Boolean);
    return lines.map((line) => {
      const [, mode = '', type = '', sha = '', path = ''] = /^(\d+) (\w+) (\w+)\t(.*)$/s.exec(line) ?? [];
      return { path, mode, type: type as Entry['type'], sha };
    });
  }

  private readCommit(id: string) {
    const format = '--format=%T%n%P%n%an%n%ae%n%aI%n%cn%n%ce%n%cI%n%B';
    const lines = gitIn(this.folder, ['log', '-1', format, id]).split('\n');
    const [tree = '', parents = '', ...rest] = lines;
    const person = ([name = '', email = '', date = '']: string[]): Person => ({ name, email, date });
    return {
      ...{ tree, parents: parents.split(' ').filter(Boolean), message: rest.slice(6).join('\n') },
      ...{ author: person(rest.slice(0, 3)), committer: person(rest.slice(3, 6)) },
    };
  }

  private async fetchObject(type: Entry['type'], id: string): Promise<void> {
    if (this.shared.has(id)) return;
    this.shared.add(id);
    const made = await this[`${type}From`](id);
    if (made !== id) throw new Error(`the emulator calls a ${type} ${id}, and git ${made}`);
  }

  private async blobFrom(id: string): Promise<string> {
    const { content } = (await this.call('GET', `/git/blobs/${id}`)) as { content: string };
    return gitIn(this.folder, ['hash-object', '-w', '--stdin'], Buffer.from(content, 'base64'));
  }

  private async treeFrom(id: string): Promise<string> {
    const { tree } = (await this.call('GET', `/git/trees/${id}`)) as { tree: Entry[] };
    for (const { type, sha } of tree) if (type !== 'commit') await this.fetchObject(type, sha);
    const lines = tree.map(({ mode, type, sha, path }) => `${mode} ${type} ${sha}\t${path}\0`);
    return gitIn(this.folder, ['mktree', '-z', '--missing'], Buffer.from(lines.join('')));
  }

  private async commitFrom(id: string): Promise<string> {
    const commit = (await this.call('GET', `/git/commits/${id}`)) as unknown as Commit;
    const { author, committer, message, tree, parents } = commit;
    for (const { sha } of parents) await this.fetchObject('commit', sha);
    await this.fetchObject('tree', tree.sha);
    // Git does not read the milliseconds that the emulator writes.
    const variables = (who: string, { name, email, date }: Person) => ({
      [`GIT_${who}_NAME`]: name,
      [`GIT_${who}_EMAIL`]: email,
      [`GIT_${who}_DATE`]: date.replace(/\.\d+Z$/, 'Z'),
    });
    const args = ['commit-tree', tree.sha, ...parents.flatMap(({ sha }) => ['-p', sha]), '-F', '-'];
    const env = { ...variables('AUTHOR', author), ...variables('COMMITTER', committer) };
    return gitIn(this.folder, args, Buffer.from(message.replace(/\n?$/, '\n')), env);
  }
}
