import { globTest } from '../text/glob.js';

/**
 * Files that nobody reviews line by line, because tools or other projects wrote them. A plan leaves them out, and they
 * are the first to be dropped from a diff that is too long. Folders that people also write in, such as `build`, are
 * not listed.
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
