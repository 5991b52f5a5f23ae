import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AGENTS } from '../../src/agent/agent.js';
import { keepChats, MAX_CHAT_BYTES, MAX_CHAT_ENTRIES } from '../../src/sandbox/keep-chats.js';

/** A home with a chat in each folder of an agent, and a secret beside the folder of the run. */
function makeRun(folders: readonly string[]) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'chats-')));
  const root = join(top, 'run');
  const [from, to] = [join(root, 'used', 'home'), join(root, 'agent', 'home')];
  mkdirSync(to, { recursive: true });
  for (const folder of folders) write(join(from, folder, 'deep', 'chat.db'), 'a chat');
  write(join(top, 'outside', 'secret'), 'a secret');
  const keep = () => keepChats({ root, from, to, folders });
  const files = (folder: string) =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
          statSync(join(folder, name)).isFile(),
        )
      : [];
  return { top, root, from, to, keep, kept: () => files(to), outside: join(top, 'outside'), files };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const NOTE = [expect.stringMatching(/^The agent left more than chats .* were not kept\.$/)];

describe.each(Object.values(AGENTS))('the chats of $name', ({ chatFolders }) => {
  const [first = ''] = chatFolders;

  it('are copied with their content, and nothing else of the home', () => {
    const { from, to, keep, kept } = makeRun(chatFolders);
    write(join(from, 'settings.json'), '{}');
    write(join(from, dirname(first), 'cli-config.json'), '{}');
    const large = Buffer.alloc(3_000_001, 'x');
    writeFileSync(join(from, first, 'large'), large);
    expect(keep()).toEqual([]);
    const chats = chatFolders.map((folder) => join(folder, 'deep', 'chat.db'));
    expect(kept().sort()).toEqual([...chats, join(first, 'large')].sort());
    expect(readFileSync(join(to, chats[0]!), 'utf8')).toBe('a chat');
    expect(readFileSync(join(to, first, 'large')).equals(large)).toBe(true);
  });

  it('need not be there', () => {
    const { keep, kept, from } = makeRun([]);
    mkdirSync(from, { recursive: true });
    expect([keep(), kept()]).toEqual([[], []]);
  });

  const levels = chatFolders.flatMap((folder) => {
    const parts = ['used', 'home', ...folder.split('/'), 'deep', 'chat.db'];
    return parts.map((_, index) => [folder, parts.slice(0, index + 1).join('/')] as const);
  });

  it.each(levels)('are not reached through a link (%s): %s', (folder, level) => {
    const { root, keep, kept, outside, to } = makeRun([folder]);
    const moved = join(outside, 'moved');
    renameSync(join(root, level), moved);
    symlinkSync(moved, join(root, level));
    expect(keepChats({ root, from: join(root, 'used', 'home'), to, folders: [folder] })).toEqual(NOTE);
    expect(keep()).toEqual(NOTE);
    expect(kept()).toEqual([]);
  });

  it.each(['', ...first.split('/').map((_, index, all) => all.slice(0, index + 1).join('/'))])(
    'are not written through a link: home/%s',
    (level) => {
      const { to, keep, outside, files } = makeRun([first]);
      const place = join(to, level);
      if (level === '') renameSync(to, `${to}-before`);
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(outside, place);
      expect(keep()).toEqual(NOTE);
      expect(files(outside)).toEqual(['secret']);
    },
  );

  it('bring no link and no special file with them', () => {
    const { from, keep, kept, outside } = makeRun([first]);
    symlinkSync(join(outside, 'secret'), join(from, first, 'link'));
    symlinkSync(outside, join(from, first, 'folder'));
    symlinkSync('/nowhere', join(from, first, 'broken'));
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(from, first, 'pipe')]);
    expect(keep()).toEqual(NOTE);
    expect(kept()).toEqual([join(first, 'deep', 'chat.db')]);
  });

  it('are bounded: a file that is too large is left out at once, sparse or not', () => {
    const { from, to, keep, kept } = makeRun([first]);
    writeFileSync(join(from, first, 'sparse'), '');
    truncateSync(join(from, first, 'sparse'), 6 * 1024 ** 3);
    for (const name of ['one', 'two', 'three']) {
      writeFileSync(join(from, first, name), '');
      truncateSync(join(from, first, name), MAX_CHAT_BYTES / 2 - 100);
    }
    const before = performance.now();
    expect(keep()).toEqual(NOTE);
    expect(performance.now() - before).toBeLessThan(10_000);
    expect(kept()).toContain(join(first, 'deep', 'chat.db'));
    const sizes = kept().map((name) => statSync(join(to, name)).size);
    expect(sizes).toHaveLength(3);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_CHAT_BYTES);
  });

  it('are bounded: only so many files, and only so deep', () => {
    const { from, keep, kept } = makeRun([first]);
    for (let index = 0; index < MAX_CHAT_ENTRIES + 500; index += 1)
      write(join(from, first, 'many', String(index)), '');
    expect(keep()).toEqual(NOTE);
    expect(kept().length).toBeLessThanOrEqual(MAX_CHAT_ENTRIES);
    const deep = makeRun([first]);
    write(join(deep.from, first, ...Array<string>(60).fill('d'), 'chat.db'), '');
    expect(deep.keep()).toEqual(NOTE);
    expect(deep.kept()).toEqual([join(first, 'deep', 'chat.db')]);
  });
});
