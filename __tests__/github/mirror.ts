import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
    const changed = [...heads].filter(([name, id]) => this.branches.get(name) !== id);
    if (changed.length > 0) {
      const objects = this.readObjects();
      for (const [name, id] of changed) {
        await this.sendObject(id, objects);
        if (this.branches.has(name))
          await this.call('PATCH', `/git/refs/heads/${name}`, { sha: id, force: true });
        else await this.call('POST', '/git/refs', { ref: `refs/heads/${name}`, sha: id });
      }
    }
    for (const name of this.branches.keys())
      if (!heads.has(name)) await this.call('DELETE', `/git/refs/heads/${name}`);
    this.branches = heads;
  }

  /** Fetches a branch that was written through the API. */
  async fetch(branch: string): Promise<void> {
    const { object } = (await this.call('GET', `/git/ref/heads/${branch}`)) as { object: { sha: string } };
    await this.fetchCommit(object.sha);
    gitIn(this.folder, ['update-ref', `refs/heads/${branch}`, object.sha]);
    this.branches.set(branch, object.sha);
  }

  private readHeads(): Map<string, string> {
    const format = '--format=%(objectname) %(refname:lstrip=2)';
    const lines = gitIn(this.folder, ['for-each-ref', format, 'refs/heads']).split('\n').filter(Boolean);
    return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]));
  }

  private readObjects(): Map<string, { type: string; bytes: Buffer }> {
    const all = bytesOf(this.folder, ['cat-file', '--batch-all-objects', '--batch', '--unordered']);
    const objects = new Map<string, { type: string; bytes: Buffer }>();
    for (let at = 0; at < all.length;) {
      const start = all.indexOf('\n', at) + 1;
      const [id = '', type = '', size = ''] = all.toString('latin1', at, start - 1).split(' ');
      objects.set(id, { type, bytes: all.subarray(start, start + Number(size)) });
      at = start + Number(size) + 1;
    }
    return objects;
  }

  private async sendObject(id: string, objects: ReturnType<Mirror['readObjects']>): Promise<void> {
    if (this.shared.has(id)) return;
    this.shared.add(id);
    const { type, bytes } = objects.get(id) ?? { type: 'missing', bytes: Buffer.alloc(0) };
    const create = async (path: string, body: object) => {
      const { sha } = await this.call('POST', path, body);
      if (sha !== id) throw new Error(`git calls a ${type} ${id}, and the emulator ${String(sha)}`);
    };
    if (type === 'blob') {
      await create('/git/blobs', { content: bytes.toString('base64'), encoding: 'base64' });
    } else if (type === 'tree') {
      const tree = readTree(bytes);
      for (const entry of tree) if (entry.type !== 'commit') await this.sendObject(entry.sha, objects);
      await create('/git/trees', { tree });
    } else {
      const { tree, parents, ...rest } = readCommit(bytes.toString('utf8'));
      for (const needed of [tree, ...parents]) await this.sendObject(needed, objects);
      await create('/git/commits', { tree, parents, ...rest });
    }
  }

  private async fetchCommit(id: string): Promise<void> {
    if (this.shared.has(id)) return;
    this.shared.add(id);
    const commit = (await this.call('GET', `/git/commits/${id}`)) as unknown as Commit & {
      tree: { sha: string };
      parents: { sha: string }[];
    };
    for (const { sha } of commit.parents) await this.fetchCommit(sha);
    const tree = await this.fetchTree(commit.tree.sha);
    const parents = commit.parents.flatMap(({ sha }) => ['-p', sha]);
    const { author, committer } = commit;
    const made = gitIn(
      this.folder,
      ['commit-tree', tree, ...parents, '-F', '-'],
      Buffer.from(commit.message.replace(/\n?$/, '\n')),
      {
        ...{ GIT_AUTHOR_NAME: author.name, GIT_AUTHOR_EMAIL: author.email, GIT_AUTHOR_DATE: dateOf(author) },
        ...{
          GIT_COMMITTER_NAME: committer.name,
          GIT_COMMITTER_EMAIL: committer.email,
          GIT_COMMITTER_DATE: dateOf(committer),
        },
      },
    );
    if (made !== id) throw new Error(`the emulator calls a commit ${id}, and git ${made}`);
  }

  private async fetchTree(id: string): Promise<string> {
    const { tree } = (await this.call('GET', `/git/trees/${id}?recursive=1`)) as { tree: Entry[] };
    const files = tree.filter(({ type }) => type !== 'tree');
    for (const { type, sha } of files) {
      if (type === 'commit' || this.shared.has(sha)) continue;
      const { content } = (await this.call('GET', `/git/blobs/${sha}`)) as { content: string };
      gitIn(this.folder, ['hash-object', '-w', '--stdin'], Buffer.from(content, 'base64'));
      this.shared.add(sha);
    }
    const scratch = mkdtempSync(join(tmpdir(), 'tree-'));
    const env = { GIT_INDEX_FILE: join(scratch, 'index') };
    const lines = files.map(({ path, mode, sha }) => `${mode} ${sha}\t${path}\0`).join('');
    try {
      gitIn(this.folder, ['update-index', '-z', '--index-info'], Buffer.from(lines), env);
      return gitIn(this.folder, ['write-tree'], undefined, env);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
}

function readTree(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at);
    const [, digits = '', path = ''] = /^(\d+) (.*)$/s.exec(bytes.toString('utf8', at, end)) ?? [];
    const mode = digits.padStart(6, '0');
    const type = mode === '040000' ? 'tree' : mode === '160000' ? 'commit' : 'blob';
    entries.push({ path, mode, type, sha: bytes.toString('hex', end + 1, end + 21) });
    at = end + 21;
  }
  return entries;
}

/** Git does not read the milliseconds that the emulator writes. */
const dateOf = ({ date }: Person): string => date.replace(/\.\d+Z$/, 'Z');

interface Person {
  name: string;
  email: string;
  date: string;
}
interface Commit {
  message: string;
  author: Person;
  committer: Person;
}

function readCommit(text: string): Commit & { tree: string; parents: string[] } {
  const end = text.indexOf('\n\n');
  const lines = text.slice(0, end).split('\n');
  const all = (name: string) =>
    lines.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
  const [[tree = ''], parents] = [all('tree'), all('parent')];
  const [[author = ''], [committer = '']] = [all('author'), all('committer')];
  return {
    ...{ tree, parents, message: text.slice(end + 2) },
    ...{ author: readPerson(author), committer: readPerson(committer) },
  };
}

function readPerson(line: string): Person {
  const [, name = '', email = '', seconds = '', sign = '', hours = '', minutes = ''] =
    /^(.*) <(.*)> (\d+) ([+-])(\d\d)(\d\d)$/.exec(line) ?? [];
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60;
  const local = new Date((Number(seconds) + offset) * 1000).toISOString().slice(0, 19);
  return { name, email, date: `${local}${sign}${hours}:${minutes}` };
}
