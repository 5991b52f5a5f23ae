// Writes the files that follow from another one: run/action.yml from action.yml, and the name of this repository, which
// package.json has, into every file that names the action.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The repository of this action as `owner/name`. Before the first release its owner is `<owner>`, which cannot be a login:
 * a workflow that was pasted too early must not hand its key to whoever registers the placeholder.
 * @param {string} root the path of the project
 * @returns {string}
 */
export function readRepository(root) {
  const { name, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, owner] = /^github:([^/]+)\/([^/]+)$/.exec(repository) ?? [];
  if (owner === undefined || repository !== `github:${owner}/${name}`)
    throw new Error(`package.json: repository must be "github:<owner>/${name}", and is "${repository}".`);
  return `${owner}/${name}`;
}

/**
 * The text with this repository wherever it names the action, and with its owner before the teams of CODEOWNERS.
 * @param {string} text
 * @param {string} repository
 */
export function withRepository(text, repository) {
  const [owner, name] = repository.split('/');
  const login = String.raw`(?:<[a-z]+>|[A-Za-z\d][A-Za-z\d-]*)`;
  // Not the end of a path, such as that of a folder, but of an address.
  const start = String.raw`(?<![\w.<>-]|(?<!github\.com)\/)`;
  return text
    .replace(new RegExp(`${start}${login}(?=/${name}\\b)`, 'g'), owner)
    .replace(new RegExp(`(?<=@)${login}(?=/(?:maintainers|security)$)`, 'gm'), owner);
}

/**
 * The files that may name the action: what git knows, or would add, without what is built or recorded.
 * @param {string} root the path of the project
 * @returns {string[]}
 */
export function readTextFiles(root) {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { stdout } = spawnSync('git', list, { cwd: root, encoding: 'utf8' });
  return stdout
    .split('\0')
    .filter((path) => /\.(?:md|ya?ml|[cm]?[jt]s|json)$|CODEOWNERS$/.test(path))
    .filter((path) => !/^(?:dist|fixtures|__tests__)\//.test(path) && existsSync(join(root, path)));
}

/**
 * The action of the root as the action of the folder run: `$/run` can stand in a workflow, and `$/` alone cannot.
 * @param {string} action the text of action.yml
 */
export function makeRunAction(action) {
  const runs = action.lastIndexOf('\nruns:\n');
  return [
    '# The action of action.yml, for workflows that say $/run. Written by npm run docs: change action.yml instead.\n',
    action.slice(0, runs),
    action.slice(runs).replaceAll(': dist/', ': ../dist/'),
  ].join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const repository = readRepository(root);
  mkdirSync(join(root, 'run'), { recursive: true });
  writeFileSync(
    join(root, 'run', 'action.yml'),
    makeRunAction(readFileSync(join(root, 'action.yml'), 'utf8')),
  );
  for (const path of readTextFiles(root)) {
    const text = readFileSync(join(root, path), 'utf8');
    const derived = withRepository(text, repository);
    if (derived !== text) writeFileSync(join(root, path), derived);
  }
}
