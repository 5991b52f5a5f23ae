import { join } from 'node:path';
import { buildSync } from 'esbuild';

/**
 * Bundles a TypeScript program that only developers run. Returns its path.
 * @param {string} source
 * @param {string} folder
 */
export function bundleScript(source, folder) {
  const outfile = join(folder, 'index.mjs');
  buildSync({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Some packages are CommonJS and require modules of Node.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return outfile;
}
