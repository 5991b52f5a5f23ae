import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { runChild, type JobPlace, type StepWork } from './job-place.js';

type Inputs = Readonly<Record<string, string>>;
type StandIn = (inputs: Inputs, place: JobPlace) => Promise<StepWork>;

/**
 * Replacements for the third-party actions that the recipes use, by pinned commit. Each does what this version does as
 * far as a recipe can tell. Any other action or commit fails the test.
 */
export const STAND_INS: Readonly<
  Record<string, { version: string; inputs: readonly string[]; outputs: readonly string[]; run: StandIn }>
> = {
  'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1': {
    version: 'v7.0.1',
    inputs: ['ref', 'fetch-depth', 'persist-credentials', 'token'],
    outputs: ['ref', 'commit'],
    run: checkOut,
  },
  'actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f': {
    version: 'v7.0.0',
    inputs: ['name', 'path', 'if-no-files-found', 'retention-days'],
    outputs: ['artifact-id', 'artifact-url', 'artifact-digest'],
    run: upload,
  },
  'actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c': {
    version: 'v8.0.1',
    inputs: ['name', 'path', 'pattern', 'merge-multiple'],
    outputs: ['download-path'],
    run: download,
  },
  'actions/create-github-app-token@1b10c78c7865c340bc4f6099eb2f838309f1e8c3': {
    version: 'v3.1.1',
    inputs: ['client-id', 'private-key', 'permission-contents', 'permission-pull-requests'],
    outputs: ['token', 'installation-id', 'app-slug'],
    run: createAppToken,
  },
};

const done = (log = ''): StepWork => ({ ok: true, log });
const failed = (log: string): StepWork => ({ ok: false, log });

/** Fetches the ref into an empty workspace and checks it out, like the real action. */
async function checkOut(inputs: Inputs, place: JobPlace): Promise<StepWork> {
  const { workspace, github } = place;
  const ref = inputs['ref'] || (github.ref.startsWith('refs/pull/') ? github.ref : github.sha);
  if (isForeignHead(ref, place)) return failed('Refusing to check out fork pull request code here.');
  const token = inputs['token'] ?? github.token;
  const header = `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  const depth = inputs['fetch-depth'] ?? '1';
  const all = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
  const isCommit = /^[0-9a-f]{40}$/.test(ref);
  const target = isCommit ? ref : `refs/remotes/${ref.replace(/^refs\/(heads|remotes)?\/?/, '')}`;
  const wanted = isCommit ? [ref] : [`+${ref.startsWith('refs/') ? ref : `refs/heads/${ref}`}:${target}`];
  const fetch =
    depth === '0'
      ? ['fetch', '--no-tags', 'origin', ...all, ...wanted]
      : ['fetch', '--no-tags', `--depth=${depth}`, 'origin', ...wanted];
  const steps = [
    ['init', '--quiet', '--initial-branch=main', workspace],
    ['remote', 'add', 'origin', `${github.server_url}/${github.repository}`],
    ['-c', `http.extraheader=${header}`, ...fetch],
    [
      '-c',
      'advice.detachedHead=false',
      'checkout',
      '--quiet',
      '--force',
      '--detach',
      isCommit ? ref : target,
    ],
  ];
  let log = '';
  for (const args of steps) {
    const ended = await runChild(['git', ...args], place, place.baseEnv);
    log += ended.log;
    if (ended.code !== 0) return failed(`git ${args.slice(0, 1).join()} failed: ${log}`);
  }
  if ((inputs['persist-credentials'] ?? 'true') === 'true') keepCredential(place, header);
  return done(log);
}

/** Since v7, the head of a fork's pull request is not checked out in workflows that have secrets. */
function isForeignHead(ref: string, { github }: JobPlace): boolean {
  const run = github.event['workflow_run'] as
    { head_sha: string; head_repository: { full_name: string } | null } | undefined;
  if (github.event_name !== 'workflow_run' || !run) return false;
  return ref === run.head_sha && run.head_repository?.full_name !== github.repository;
}

/** Since v6, the credential is in a separate file that the repository's configuration includes. */
function keepCredential({ workspace, temp }: JobPlace, header: string): void {
  const file = join(temp, `git-credentials-${basename(workspace)}.config`);
  writeFileSync(file, `[http]\n\textraheader = ${header}\n`);
  writeFileSync(join(workspace, '.git', 'config'), `[include]\n\tpath = ${file}\n`, { flag: 'a' });
}

/** Files keep their path relative to the folder that all given paths share. Hidden files are not uploaded. */
function upload(inputs: Inputs, { workspace, artifacts }: JobPlace): Promise<StepWork> {
  const paths = (inputs['path'] ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((path) => resolve(workspace, path));
  const files = paths.flatMap(filesBelow);
  const name = inputs['name'] ?? 'artifact';
  if (/["<>|*?\r\n\\/:]/.test(name))
    return Promise.resolve(failed(`The artifact name is not valid: ${name}`));
  if (files.length === 0) {
    const isError = inputs['if-no-files-found'] === 'error';
    const words = `No files were found with the provided path: ${paths.join(', ')}.`;
    return Promise.resolve(isError ? failed(words) : done(words));
  }
  const folder = join(artifacts, name);
  if (existsSync(folder))
    return Promise.resolve(failed(`an artifact with this name already exists: ${name}`));
  const root = sharedFolder(paths.map((path) => (statSync(path).isDirectory() ? path : dirname(path))));
  for (const file of files) {
    mkdirSync(dirname(join(folder, relative(root, file))), { recursive: true });
    cpSync(file, join(folder, relative(root, file)));
  }
  const id = String(readdirSync(artifacts).length);
  return Promise.resolve({ ...done(), outputs: new Map([['artifact-id', id]]) });
}

function filesBelow(path: string): string[] {
  if (!existsSync(path) || basename(path).startsWith('.')) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
}

function sharedFolder(folders: readonly string[]): string {
  return folders.reduce((shared, folder) => {
    let at = shared;
    while (relative(at, folder).startsWith('..')) at = dirname(at);
    return at;
  });
}

/** Without `owner` and `repositories`, the token is for the repository of the workflow. */
function createAppToken(inputs: Inputs, { mintToken }: JobPlace): Promise<StepWork> {
  if (!inputs['client-id'] || !inputs['private-key']) return Promise.resolve(failed('Input required'));
  const permissions = Object.entries(inputs).flatMap(([name, level]) =>
    name.startsWith('permission-') ? [[name.slice('permission-'.length), level]] : [],
  );
  const token = mintToken(Object.fromEntries(permissions) as Record<string, string>);
  return Promise.resolve({ ...done(), outputs: new Map([['token', token]]) });
}

function download(inputs: Inputs, { workspace, artifacts }: JobPlace): Promise<StepWork> {
  const target = resolve(workspace, inputs['path'] ?? '.');
  const there = existsSync(artifacts) ? readdirSync(artifacts).sort() : [];
  const name = inputs['name'];
  if (name !== undefined && name !== '') {
    if (!there.includes(name)) return Promise.resolve(failed(`Artifact not found for name: ${name}`));
    cpSync(join(artifacts, name), target, { recursive: true });
    return Promise.resolve(done());
  }
  const pattern = new RegExp(`^${(inputs['pattern'] ?? '*').replaceAll('*', '[^/]*')}$`);
  const isMerged = inputs['merge-multiple'] === 'true';
  for (const artifact of there.filter((each) => pattern.test(each)))
    cpSync(join(artifacts, artifact), isMerged ? target : join(target, artifact), { recursive: true });
  return Promise.resolve(done());
}
