import { describe, expect, it } from '@jest/globals';
import { GENERATED_FILES, isGenerated } from '../../src/git/generated-files.js';

describe('isGenerated', () => {
  it.each([
    ['package-lock.json'],
    ['web/yarn.lock'],
    ['deno.lock'],
    ['ios/Podfile.lock'],
    ['a/app.min.js'],
    ['public/main.bundle.js'],
    ['dist/index.js'],
    ['a/vendor/b/c.go'],
    ['api/service_pb2_grpc.py'],
    ['Form.Designer.cs'],
    ['src/schema.generated.ts'],
    ['src/__generated__/types.ts'],
  ])('holds for %s', (path) => {
    expect(isGenerated(path)).toBe(true);
  });

  it.each([
    ['src/lock.ts'],
    ['distance/a.ts'],
    ['build/release.sh'],
    ['src/generated.ts'],
    ['minxjs'],
    ['constructor'],
  ])('does not hold for %s', (path) => {
    expect(isGenerated(path)).toBe(false);
  });

  it('lists everything once', () => {
    expect(new Set(GENERATED_FILES).size).toBe(GENERATED_FILES.length);
  });
});
