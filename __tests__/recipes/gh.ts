import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Replaces GitHub's `gh` in the `run` steps of recipes: the few commands they use, each as its API request, with the
 * token and the repository from the variables that gh reads. An unknown command fails.
 */
export function writeGh(folder: string): string {
  const file = join(folder, 'gh');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(file, `#!${process.execPath}\n${PROGRAM}`);
  chmodSync(file, 0o755);
  return folder;
}

const PROGRAM = String.raw`
import { readFileSync } from 'node:fs';
const fail = (words) => { process.stderr.write('gh: ' + words + '\n'); process.exit(1); };
const { GH_TOKEN, GH_REPO, GITHUB_API_URL } = process.env;
if (!GH_TOKEN) fail('To use GitHub CLI in a GitHub Actions workflow, set the GH_TOKEN environment variable.');

// Flags without a value; all others have one.
const ALONE = ['--silent'];
const words = []; const flags = {}; const fields = {};
const args = process.argv.slice(2);
for (let at = 0; at < args.length; at += 1) {
  const word = args[at];
  if (!word.startsWith('-')) words.push(word);
  else if (ALONE.includes(word)) flags[word] = true;
  else if (word === '-f' || word === '-F') {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(args[++at]) ?? fail('a field is name=value');
    fields[name] = word === '-F' && /^\d+$/.test(value) ? Number(value) : value;
  } else flags[word] = args[++at] ?? fail(word + ' needs a value');
}
const only = (...names) => { for (const name of Object.keys(flags)) if (!names.includes(name)) fail('unknown flag ' + name); };

// gh has jq built in; these are the jq programs of the recipes, written in JavaScript.
const startsWith = (prefix) => ({ headRefName }) => headRefName.startsWith(prefix);
const JQ = {
  '.permission': (data) => data.permission,
  '.head.repo.full_name': (data) => data.head.repo?.full_name ?? null,
  '.head.ref': (data) => data.head.ref,
  '.head.sha': (data) => data.head.sha,
  '[.[] | select(.timestamp <= env.WRITTEN_AT)][0].after': (data) =>
    data.filter(({ timestamp }) => timestamp <= process.env.WRITTEN_AT)[0]?.after ?? null,
  '[.[] | select((.headRefName | startswith("cursor/fix-ci-")) and .createdAt >= env.TODAY)] | length': (data) =>
    data.filter(startsWith('cursor/fix-ci-')).filter(({ createdAt }) => createdAt >= process.env.TODAY).length,
  '[.[] | select(.conclusion != "skipped" and .createdAt >= env.TODAY)] | length': (data) =>
    data.filter(({ conclusion, createdAt }) => conclusion !== 'skipped' && createdAt >= process.env.TODAY).length,
  '[.[] | select(.headRefName | startswith("cursor/maintenance-"))] | length': (data) =>
    data.filter(startsWith('cursor/maintenance-')).length,
};
const show = (data) => {
  const program = flags['--jq'];
  if (flags['--silent']) return;
  if (program === undefined) return void console.log(JSON.stringify(data));
  if (!Object.hasOwn(JQ, program)) fail('the tests do not know this jq: ' + program);
  const shown = JQ[program](data);
  console.log(shown === null ? '' : String(shown));
};

const ask = async (method, path, { query = {}, body } = {}) => {
  const address = new URL(GITHUB_API_URL + '/' + path);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
  const answer = await fetch(address, {
    method,
    headers: { authorization: 'token ' + GH_TOKEN, accept: 'application/vnd.github+json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const data = await answer.json();
  if (!answer.ok) fail((data.message ?? 'no message') + ' (HTTP ' + answer.status + ')');
  return data;
};
const repository = () => 'repos/' + (GH_REPO || fail('not a git repository, and GH_REPO is not set'));
const need = (name) => flags[name] ?? fail(name + ' is needed');

const COMMANDS = {
  api: async ([path]) => {
    only('--method', '--jq', '--silent');
    const method = flags['--method'] ?? (Object.keys(fields).length > 0 ? 'POST' : 'GET');
    const given = method === 'GET' ? { query: fields } : { body: fields };
    show(await ask(method, path, given));
  },
  'pr list': async () => {
    only('--state', '--base', '--limit', '--json', '--jq');
    const query = { state: flags['--state'] ?? 'open', per_page: 100, ...(flags['--base'] ? { base: flags['--base'] } : {}) };
    const pulls = await ask('GET', repository() + '/pulls', { query });
    show(pulls.map((pull) => ({ headRefName: pull.head.ref, createdAt: pull.created_at })));
  },
  'pr create': async () => {
    only('--base', '--head', '--title', '--body-file');
    const body = { base: need('--base'), head: need('--head'), title: need('--title'), body: readFileSync(need('--body-file'), 'utf8') };
    console.log((await ask('POST', repository() + '/pulls', { body })).html_url);
  },
  'run list': async () => {
    only('--workflow', '--limit', '--json', '--jq');
    const query = { per_page: 100 };
    const { workflow_runs } = await ask('GET', repository() + '/actions/workflows/' + need('--workflow') + '/runs', { query });
    show(workflow_runs.map(({ conclusion, created_at }) => ({ conclusion: conclusion ?? '', createdAt: created_at })));
  },
};
const name = Object.hasOwn(COMMANDS, words[0]) ? words.splice(0, 1)[0] : words.splice(0, 2).join(' ');
if (!Object.hasOwn(COMMANDS, name)) fail('the tests do not know gh ' + name);
await COMMANDS[name](words);
`;
