import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planMounts, type MountPlan, type Rule } from '../../../src/agent/isolation/access.js';
import type { Mount } from '../../../src/agent/isolation/mounts.js';

const folder = (kind: 'writable' | 'readable' | 'hidden' | 'shown', path: string): Rule => ({
  kind,
  path,
  is: 'folder',
});
const mount = (path: string, ...flags: string[]): Mount => ({ id: path, parent: '', path, flags });
const ROOT = mount('/', 'rw', 'relatime');

const isIn = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/`);

/** What someone at a path finds once the plan was carried out, as the kernel would have it. */
function found(path: string, plan: MountPlan): 'writable' | 'readable' | 'hidden' {
  const last = plan.place.filter((placement) => isIn(path, placement.path)).at(-1);
  const isLocked = plan.lock.some((lock) => lock.path === (last?.path ?? '/'));
  if (last !== undefined && last.kind !== 'kept') return 'hidden';
  return isLocked ? 'readable' : 'writable';
}

/** The same by the meaning of the rules: the longest path counts, the strictest of several for one path. */
function meant(path: string, rules: readonly Rule[]): 'writable' | 'readable' | 'hidden' {
  const order = ['hidden', 'replaced', 'readable', 'writable', 'shown'];
  const [rule, ...outer] = rules
    .filter((one) => isIn(path, one.path))
    .sort((a, b) => b.path.length - a.path.length || order.indexOf(a.kind) - order.indexOf(b.kind));
  if (rule === undefined) return 'readable';
  if (rule.kind === 'replaced') return 'readable';
  if (rule.kind !== 'shown') return rule.kind;
  const above = meant(
    path,
    outer.filter((one) => one.path !== rule.path),
  );
  return above === 'hidden' ? 'readable' : above;
}

describe('a plan of mounts', () => {
  it('makes every path what the rules say of it', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'a-b'), { minLength: 1, maxLength: 4 });
    const path = names.map((parts) => `/${parts.join('/')}`);
    const rule = fc.tuple(fc.constantFrom('writable', 'readable', 'hidden', 'shown'), path);
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
      { kind: 'empty-folder', path: '/t' },
      { kind: 'kept', path: '/t/own/home', is: 'folder', kept: 0, isNew: true },
    ]);
    expect(plan.keep).toEqual([{ original: '/t/own/home', is: 'folder' }]);
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
    expect(plan.keep.map(({ original }) => original)).toEqual(['/w', '/w/.git', '/c/config']);
    expect(plan.lock.map(({ path }) => path)).toEqual(['/', '/w/.git', '/w/.git/config']);
  });
});
