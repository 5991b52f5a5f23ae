import type * as Expressions from '@actions/expressions';
import type * as Service from '@actions/languageservice';
import type * as Parsing from '@actions/workflow-parser';
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export type GitHubLibrary = typeof Parsing &
  Pick<typeof Expressions, 'data' | 'Evaluator' | 'Lexer' | 'Parser'>;

const require = createRequire(import.meta.url);

/** GitHub's own parser of workflows and evaluator of expressions. */
export const loadGitHub = (): GitHubLibrary =>
  bundle(
    'github',
    `export * from '@actions/workflow-parser';
     export { data, Evaluator, Lexer, Parser } from '@actions/expressions';`,
  ) as GitHubLibrary;

/** GitHub's own validation, from its editor extension. */
export const loadLanguageService = (): typeof Service =>
  bundle('language-service', `export * from '@actions/languageservice';`) as typeof Service;

/** As published, these packages import JSON in a way that Node rejects, so they are bundled. */
function bundle(name: string, source: string): unknown {
  const file = join(mkdtempSync(join(tmpdir(), 'github-library-')), `${name}.cjs`);
  const esbuild = resolve('node_modules', 'esbuild', 'bin', 'esbuild');
  const options = ['--bundle', '--format=cjs', '--platform=node', '--log-level=error', `--outfile=${file}`];
  // On Windows this is a script that Node has to run; elsewhere it can be a program.
  const [program, ...args] = process.platform === 'win32' ? [process.execPath, esbuild] : [esbuild];
  execFileSync(program, [...args, ...options], { input: source });
  return require(file) as unknown;
}
