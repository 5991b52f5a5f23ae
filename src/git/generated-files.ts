import { globTest } from '../text/glob.js';

/**
 * What nobody reads line by line: written by tools, or somebody else's. A plan leaves it out, and it is the first to
 * go from a diff that is too long. Folders in which people write too, such as `build`, are not in here.
 */
export const GENERATED_FILES: readonly string[] = [
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb'],
  ...[
    'deno.lock',
    'Cargo.lock',
    'composer.lock',
    'Gemfile.lock',
    'Podfile.lock',
    'poetry.lock',
    'Pipfile.lock',
  ],
  ...['uv.lock', 'pdm.lock', 'go.sum', 'flake.lock', 'packages.lock.json', 'gradle.lockfile', 'mix.lock'],
  ...['pubspec.lock', '*.min.js', '*.min.mjs', '*.min.css', '*.bundle.js', '*.map', '*.snap'],
  ...['*.pb.go', '*.pb.ts', '*_pb2.py', '*_pb2_grpc.py', '*.g.dart', '*.designer.cs', '*.Designer.cs'],
  ...['*.generated.*', '*_generated.*', '**/generated/**', '**/__generated__/**', '**/__snapshots__/**'],
  ...['**/node_modules/**', '**/vendor/**', '**/third_party/**', '**/dist/**'],
];

const TESTS = GENERATED_FILES.map(globTest);

export const isGenerated = (path: string): boolean => TESTS.some((matches) => matches(path));
