import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  mountOf,
  parseMounts,
  planMounts,
  reachableMounts,
  type Mount,
  type MountPlan,
  type Rule,
} from '../../../src/sandbox/namespace/mounts.js';

const line = (id: number, parent: number, path: string): string =>
  `${id} ${parent} 0:1 / ${path} rw,relatime shared:1 - ext4 /dev/sda1 rw`;
const paths = (mountinfo: readonly string[]): string[] =>
  reachableMounts(parseMounts(mountinfo.join('\n'))).map(({ id }) => id);

describe('the mounts of a machine', () => {
  it('are read with their flags, and with whatever is in their names', () => {
    expect(
      parseMounts(`${line(5, 1, '/mnt/a\\040b\\134c\\012').replace('rw,relatime', 'ro,nosuid')}\n`),
    ).toEqual([{ id: '5', parent: '1', path: '/mnt/a b\\c\n', flags: ['ro', 'nosuid'] }]);
  });

  it('leave out what no path leads to, because its folder is gone', () => {
    expect(parseMounts(line(5, 1, '/mnt/gone//deleted'))).toEqual([]);
  });

  it('are all reachable as long as none covers another', () => {
    expect(
      paths([line(1, 0, '/'), line(2, 1, '/home'), line(3, 2, '/home/a'), line(4, 1, '/homely')]),
    ).toEqual(['1', '2', '3', '4']);
  });

  it('are hidden by one on the same spot', () => {
    expect(paths([line(1, 0, '/'), line(2, 1, '/dev/shm'), line(3, 2, '/dev/shm')])).toEqual(['1', '3']);
  });

  it('are hidden, with all below them, by a later one above', () => {
    expect(
      paths([
        line(1, 0, '/'),
        line(2, 1, '/a/b'),
        line(3, 2, '/a/b/c'),
        line(4, 1, '/a'),
        line(5, 4, '/a/b'),
      ]),
    ).toEqual(['1', '4', '5']);
  });

  it('are found by what lies on them', () => {
    const mounts = parseMounts([line(1, 0, '/'), line(2, 1, '/home'), line(3, 1, '/home2')].join('\n'));
    expect(mountOf('/home/a/b', mounts)?.id).toBe('2');
    expect(mountOf('/home', mounts)?.id).toBe('2');
    expect(mountOf('/homes', mounts)?.id).toBe('1');
  });
});

type Kind = 'writable' | 'readable' | 'hidden' | 'shown' | 'private' | 'overlay' | 'copy';
type Found = Exclude<Kind, 'shown'>;

/** What stands in for a folder is called by what it is for, so that a plan tells it by name. */
function folder(kind: Kind, path: string): Rule {
  if (kind === 'private') return { kind, path, is: 'folder', by: `/by/private${path}` };
  if (kind === 'overlay' || kind === 'copy')
    return { kind: 'layered', path, is: 'folder', by: `/by/${kind}${path}`, as: kind };
  return { kind, path, is: 'folder' };
}
const mount = (path: string, ...flags: string[]): Mount => ({ id: path, parent: '', path, flags });
const ROOT = mount('/', 'rw', 'relatime');

const isIn = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/`);

/** The paths whose originals the plan puts somewhere. */
const originals = ({ place }: MountPlan): string[] =>
  place.flatMap((one) =>
    one.kind === 'bind' ? [one.source] : one.kind === 'overlay' ? [one.path, one.by] : [],
  );

/** What someone at a path finds once the plan was carried out, as the kernel would have it. */
function found(path: string, plan: MountPlan): Found {
  const last = plan.place.filter((placement) => isIn(path, placement.path)).at(-1);
  const isLocked = plan.lock.some((lock) => lock.path === (last?.path ?? '/'));
  if (last?.kind === 'overlay') return isLocked ? 'readable' : 'overlay';
  if (last !== undefined && last.kind !== 'bind') return 'hidden';
  const original = last?.source;
  const standIn = /^\/by\/(private|copy)\//.exec(original ?? '')?.[1] as Found | undefined;
  if (standIn === undefined && original !== last?.path) throw new Error(`${original} at ${last?.path}`);
  return isLocked ? 'readable' : (standIn ?? 'writable');
}

const ORDER = ['hidden', 'replaced', 'private', 'readable', 'layered', 'writable', 'shown'];

/** The same by the meaning of the rules: the longest path counts, the strictest of several for one path. */
function meant(path: string, rules: readonly Rule[]): Found {
  const [rule, ...outer] = rules
    .filter((one) => isIn(path, one.path))
    .sort((a, b) => b.path.length - a.path.length || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  if (rule === undefined || rule.kind === 'replaced') return 'readable';
  const above = () => {
    const others = new Set(outer.filter((one) => one.path !== rule.path));
    return meant(
      path,
      rules.filter((one) => others.has(one) || !isIn(path, one.path)),
    );
  };
  switch (rule.kind) {
    case 'shown':
      return ['hidden', 'private'].includes(above()) ? 'readable' : above();
    case 'hidden':
      // In a folder of the agent's own there is nothing to hide.
      return above() === 'private' ? 'private' : 'hidden';
    case 'private':
      return leadsSomewhere(path, rule.path, rules) ? 'hidden' : 'private';
    case 'layered':
      return rule.as === 'copy' ? 'copy' : 'overlay';
    default:
      return rule.kind;
  }
}

/** Whether a path in a private folder lies on the way to something else that is seen in there. */
function leadsSomewhere(path: string, folder: string, rules: readonly Rule[]): boolean {
  const first = path
    .split('/')
    .slice(0, folder.split('/').length + 1)
    .join('/');
  const isHidden = (at: string) => rules.some((one) => one.path === at && one.kind === 'hidden');
  return path !== folder && rules.some((one) => one.path.startsWith(`${first}/`) && !isHidden(one.path));
}

describe('a plan of mounts', () => {
  it('makes every path what the rules say of it', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'a-b'), { minLength: 1, maxLength: 4 });
    const path = names.map((parts) => `/${parts.join('/')}`);
    const kinds = ['writable', 'readable', 'hidden', 'shown', 'private', 'overlay', 'copy'] as const;
    const rule = fc.tuple(fc.constantFrom(...kinds), path);
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 8 }), path, (pairs, somewhere) => {
        const rules = pairs.map(([kind, at]) => folder(kind, at));
        const plan = planMounts(rules, [ROOT]);
        for (const at of [somewhere, ...rules.map((one) => one.path)]) {
          expect([at, found(at, plan)]).toEqual([at, meant(at, rules)]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('makes what lies in a hidden folder before it is put there', () => {
    const plan = planMounts([folder('hidden', '/t'), folder('writable', '/t/own/home')], [ROOT]);
    expect(plan.place).toEqual([
      { kind: 'empty-folder', path: '/t', isNew: false },
      { kind: 'bind', path: '/t/own/home', is: 'folder', source: '/t/own/home', isNew: true },
    ]);
    expect(originals(plan)).toEqual(['/t/own/home']);
  });

  it('locks every mount that nobody may write, with the flags it has', () => {
    const mounts = [ROOT, mount('/boot', 'rw', 'nosuid'), mount('/snap', 'ro'), mount('/w/volume', 'rw')];
    const plan = planMounts(
      [folder('writable', '/w')],
      [...mounts, mount('/proc', 'rw'), mount('/dev/shm', 'rw')],
    );
    expect(plan.lock).toEqual([
      { path: '/', flags: ['relatime'] },
      { path: '/boot', flags: ['nosuid'] },
    ]);
  });

  it('leaves alone what is hidden anyway, and locks mounts in what is shown of it', () => {
    const rules = [folder('hidden', '/run'), folder('shown', '/run/tools')];
    const plan = planMounts(rules, [ROOT, mount('/run/lock', 'rw'), mount('/run/tools/a', 'rw', 'nodev')]);
    expect(plan.lock.map(({ path }) => path)).toEqual(['/', '/run/tools/a', '/run', '/run/tools']);
  });

  it('puts another file in the place of one', () => {
    const config: Rule = { kind: 'replaced', path: '/w/.git/config', is: 'file', by: '/c/config' };
    const plan = planMounts([folder('writable', '/w'), folder('readable', '/w/.git'), config], [ROOT]);
    expect(originals(plan)).toEqual(['/w', '/w/.git', '/c/config']);
    expect(plan.lock.map(({ path }) => path)).toEqual(['/', '/w/.git', '/w/.git/config']);
  });

  it('puts the layer over the checkout, and makes its place where the folder around is hidden', () => {
    const checkout = folder('overlay', '/home/work');
    const overlay = { kind: 'overlay', path: '/home/work', by: '/by/overlay/home/work' };
    expect(planMounts([checkout], [ROOT]).place).toEqual([{ ...overlay, isNew: false }]);
    const plan = planMounts([folder('hidden', '/home'), checkout], [ROOT]);
    expect(plan.place).toEqual([
      { kind: 'empty-folder', path: '/home', isNew: false },
      { ...overlay, isNew: true },
    ]);
    expect(originals(plan)).toEqual(['/home/work', '/by/overlay/home/work']);
    expect(plan.lock.map(({ path }) => path)).toEqual(['/', '/home']);
  });

  it('puts a copy in the place of the checkout, and what is read-only in it on top', () => {
    const plan = planMounts([folder('copy', '/w'), folder('readable', '/w/.git')], [ROOT]);
    expect(plan.place).toEqual([
      { kind: 'bind', path: '/w', is: 'folder', source: '/by/copy/w', isNew: false },
      { kind: 'bind', path: '/w/.git', is: 'folder', source: '/w/.git', isNew: false },
    ]);
    expect(originals(plan)).toEqual(['/by/copy/w', '/w/.git']);
    expect(plan.lock.map(({ path }) => path)).toEqual(['/', '/w/.git']);
  });

  it('shows what is needed inside of a private folder, read-only, and leaves the folder itself writable', () => {
    const rules = [folder('private', '/tmp'), folder('shown', '/tmp/tool'), folder('hidden', '/tmp/other')];
    const plan = planMounts(rules, [ROOT, mount('/tmp', 'rw', 'nosuid')]);
    expect(plan.place).toEqual([
      { kind: 'bind', path: '/tmp', is: 'folder', source: '/by/private/tmp', isNew: false },
      { kind: 'bind', path: '/tmp/tool', is: 'folder', source: '/tmp/tool', isNew: true },
    ]);
    expect(originals(plan)).toEqual(['/by/private/tmp', '/tmp/tool']);
    expect(plan.lock).toEqual([
      { path: '/', flags: ['relatime'] },
      { path: '/tmp/tool', flags: ['nosuid'] },
    ]);
  });

  it('leaves nobody a folder to rename on the way to something in a private folder', () => {
    const rules = [folder('private', '/tmp'), folder('hidden', '/tmp/a'), folder('overlay', '/tmp/a/b/c')];
    const places = planMounts(rules, [ROOT]).place;
    expect(places.map(({ kind, path }) => [kind, path])).toEqual([
      ['bind', '/tmp'],
      ['empty-folder', '/tmp/a'],
      ['overlay', '/tmp/a/b/c'],
    ]);
    expect(places.map((one) => 'isNew' in one && one.isNew)).toEqual([false, true, true]);
    expect(
      planMounts(
        rules.filter(({ path }) => path !== '/tmp/a'),
        [ROOT],
      ).place,
    ).toEqual(places);
  });
});
