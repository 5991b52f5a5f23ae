import { describe, expect, it } from '@jest/globals';
import { differingEntries, parseIndexEntries } from '../../src/git/file-store.js';

describe('the index', () => {
  const id = 'a'.repeat(40);
  const listing = (...lines: string[]) => Buffer.from(lines.map((line) => `${line}\0`).join(''));

  it('is read with its flags, whatever the names contain', () => {
    const entries = parseIndexEntries(
      listing(
        `H 100644 ${id} 0\ta b\tc\n`,
        `h 100755 ${id} 0\tassumed`,
        `S 120000 ${id} 0\tskipped`,
        `M 100644 ${id} 2\tx`,
      ),
    );
    expect([...entries]).toEqual([
      ['a b\tc\n', { mode: '100644', id, unwatched: false, conflict: false }],
      ['assumed', { mode: '100755', id, unwatched: true, conflict: false }],
      ['skipped', { mode: '120000', id, unwatched: true, conflict: false }],
      ['x', { mode: '100644', id, unwatched: false, conflict: true }],
    ]);
    expect(parseIndexEntries(Buffer.alloc(0)).size).toBe(0);
  });

  it('is compared entry by entry', () => {
    const before = parseIndexEntries(
      listing(`H 100644 ${id} 0\tsame`, `H 100644 ${id} 0\tgone`, `H 100644 ${id} 0\tx`),
    );
    const after = parseIndexEntries(
      listing(`H 100644 ${id} 0\tsame`, `H 100755 ${id} 0\tx`, `H 160000 ${id} 0\tsub`),
    );
    expect(differingEntries(before, before)).toEqual([]);
    expect(differingEntries(before, after)).toEqual(['gone', 'x', 'sub']);
  });

  it('differs in an entry with other content, another flag or a conflict', () => {
    const before = parseIndexEntries(listing(`H 100644 ${id} 0\tx`));
    for (const line of [`H 100644 ${'b'.repeat(40)} 0\tx`, `h 100644 ${id} 0\tx`, `M 100644 ${id} 2\tx`])
      expect(differingEntries(before, parseIndexEntries(listing(line)))).toEqual(['x']);
  });
});
