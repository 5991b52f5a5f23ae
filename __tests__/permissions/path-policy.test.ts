import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isDotGit } from '../../src/text/paths.js';
import { pathJudge } from '../../src/permissions/path-policy.js';
import { policyOf } from '../sandbox/layer/scratch-repository.js';

const ROOT = '/home/runner/work/repo';

function allowed(path: string, allow: string[], { deny = [] as string[], directory = ROOT } = {}): boolean {
  return pathJudge(policyOf('custom', allow, deny), { root: ROOT, directory })(path) === undefined;
}

describe('pathJudge', () => {
  it.each<[string, string, boolean]>([
    ['docs/a.md', 'Write(docs/**)', true],
    ['docs/deep/a.md', 'Write(docs/**)', true],
    ['docs/deep/a.md', 'Write(docs/*)', true],
    ['docs', 'Write(docs/**)', false],
    ['docs/a.rst', 'Write(docs/**.rst)', true],
    ['docs/deep/a.rst', 'Write(docs/**.rst)', true],
    ['docs/a.rst.py', 'Write(docs/**.rst)', false],
    ['a.rst', 'Write(docs/**.rst)', false],
    ['docsx/a.md', 'Write(docs/**)', false],
    ['packages/a/docs/a.md', 'Write(docs/**)', false],
    ['packages/a/docs/a.md', 'Write(**/docs/**)', true],
    ['docs/a.md', 'Write(**/docs/**)', true],
    ['README.md', 'Write(**/*.md)', true],
    ['a/b/README.md', 'Write(**/*.md)', true],
    ['README.mdx', 'Write(**/*.md)', false],
    ['docs/a.md', 'Write(./docs/**)', true],
    ['docs/a.md', `Write(${ROOT}/docs/**)`, true],
    ['docs/a.md', 'Write(/elsewhere/docs/**)', false],
    ['DOCS/a.md', 'Write(docs/**)', true],
    ['a.txt', 'Write(a*a.txt)', false],
    ['anything', 'Write(**)', true],
    ['docs/a.md', 'Read(docs/**)', false],
    ['do\u200ccs/a.md', 'Write(docs/**)', false],
  ])('%j under %s: allowed is %s', (path, token, expected) => {
    expect(allowed(path, [token])).toBe(expected);
  });

  it.each<[string, string]>([
    ['secret/a', 'Write(secret/**)'],
    ['deep/secret/a', 'Write(secret/**)'],
    ['secret', 'Write(secret/**)'],
    ['SECRET/A', 'Write(secret/**)'],
    ['se\u200dcret/a', 'Write(secret/**)'],
    ['\u017fecret/a', 'Write(secret/**)'],
    ['cafe\u0301/a', 'Write(caf\u00e9/**)'],
    ['secret/a', `Write(${ROOT}/secret/**)`],
    ['secret', `Write(${ROOT}/secret/**)`],
    ['.env.local', 'Write(**/.env*)'],
    ['a', 'Write(**)'],
  ])('%j is denied by %s although everything is allowed', (path, token) => {
    expect(allowed(path, ['Write(**)'], { deny: [token] })).toBe(false);
  });

  it('does not take the folders above the repository for part of a pattern', () => {
    expect(allowed('a.txt', ['Write(**)'], { deny: ['Write(home/**)'] })).toBe(true);
  });

  it('starts relative patterns at the working directory', () => {
    const directory = `${ROOT}/packages/a`;
    expect(allowed('packages/a/docs/x', ['Write(docs/**)'], { directory })).toBe(true);
    expect(allowed('docs/x', ['Write(docs/**)'], { directory })).toBe(false);
    expect(allowed('packages/ab/x', ['Write(**)'], { directory })).toBe(false);
    expect(allowed('package.json', [`Write(${ROOT}/package.json)`], { directory })).toBe(true);
  });

  it('never lets an allow rule override a deny rule', () => {
    const segment = fc.constantFrom('a', 'b', '.github', 'docs', 'x.md', '*', '**');
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    // Allowing the rule of a preset by its name lifts that rule on purpose.
    const isPresetRule = (pattern: string) => pattern === '**/.github/**';
    fc.assert(
      fc.property(path, fc.array(path.filter((one) => !isPresetRule(one))), path, (denied, others, asked) => {
        const deny = [`Write(${denied})`];
        if (allowed(asked, ['Write(**)'], { deny })) return;
        expect(allowed(asked, ['Write(**)', ...others.map((one) => `Write(${one})`)], { deny })).toBe(false);
      }),
    );
  });
});

describe('isDotGit', () => {
  it.each(['.git', '.GIT', '.Git ', '.git.', 'git~1', 'GIT~1', '.g\u200cit', '.git::$INDEX_ALLOCATION'])(
    '%j is .git somewhere',
    (name) => {
      expect(isDotGit(name)).toBe(true);
    },
  );
  it.each(['.gitignore', '.github', 'git', 'x.git', '.gitx', 'git~10'])('%j is not', (name) => {
    expect(isDotGit(name)).toBe(false);
  });
});
