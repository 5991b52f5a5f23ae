import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { request as askApi } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { listen } from '../github/listen.js';
import { makeFolder } from '../scenarios/workspace.js';

/** A `gh` for the `run` steps of recipes that talks to the API of the tests. */
export interface Gh {
  /** The folder with the program, for PATH. */
  folder: string;
  close(): Promise<void>;
}

const installed = (program: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));

/** Whether the recipes' commands run on the real `gh` here. */
const HAS_GH = installed('gh') !== undefined && installed('openssl') !== undefined;

/** GitHub's own `gh` where it is installed; elsewhere a replacement that knows the commands of the recipes. */
export const provideGh = (apiUrl: string): Promise<Gh> =>
  HAS_GH
    ? frontRealGh(apiUrl)
    : Promise.resolve({ folder: writeReplacement(), close: () => Promise.resolve() });

/**
 * The real one insists on HTTPS, and takes another host than github.com for an Enterprise Server, which wants its
 * token in another variable. So there is a server with a certificate of its own before the API.
 */
async function frontRealGh(apiUrl: string): Promise<Gh> {
  const { key, certificate } = makeCertificate();
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (request, response) => {
      const path = (request.url ?? '').replace(/^\/api\/v3/, '');
      const { method, headers } = request;
      const passed = askApi(`${apiUrl}${path}`, { method, headers }, (answer) => {
        const { link, ...others } = answer.headers;
        const own = `https://${headers.host ?? ''}/api/v3`;
        const links = link === undefined ? {} : { link: String(link).replaceAll(apiUrl, own) };
        response.writeHead(answer.statusCode ?? 500, { ...others, ...links });
        answer.pipe(response);
      });
      passed.on('error', () => response.destroy());
      request.pipe(passed);
    },
  );
  const { host, close } = await listen(server);
  const folder = writeProgram(`#!/bin/sh
if [ -z "$GH_TOKEN" ]; then echo 'gh: set GH_TOKEN in the step' >&2; exit 4; fi
export GH_HOST=${host} GH_ENTERPRISE_TOKEN="$GH_TOKEN" SSL_CERT_FILE='${certificate}'
exec '${installed('gh') ?? ''}' "$@"
`);
  return { folder, close };
}

let made: { key: string; certificate: string } | undefined;

function makeCertificate(): { key: string; certificate: string } {
  if (made) return made;
  const folder = mkdtempSync(join(tmpdir(), 'gh-certificate-'));
  chmodSync(folder, 0o755);
  made = { key: join(folder, 'key.pem'), certificate: join(folder, 'certificate.pem') };
  const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  execFileSync(
    'openssl',
    ['req', '-x509', ...algorithm, ...subject, '-keyout', made.key, '-out', made.certificate],
    { stdio: 'ignore' },
  );
  return made;
}

function writeProgram(text: string): string {
  const folder = makeFolder('gh');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'gh'), text);
  chmodSync(join(folder, 'gh'), 0o755);
  return folder;
}

const writeReplacement = (): string => writeProgram(`#!${process.execPath}\n${REPLACEMENT}`);

/** The command `gh api` as the recipes use it. Anything else fails. */
const REPLACEMENT = String.raw`
const fail = (words) => { process.stderr.write('gh: ' + words + '\n'); process.exit(1); };
const { GH_TOKEN, GITHUB_API_URL } = process.env;
if (!GH_TOKEN) fail('set GH_TOKEN in the step');

// gh has jq built in; these are the jq programs of the recipes, written in JavaScript.
const JQ = {
  '.permission': (data) => [data.permission],
  '.head | "\\(.sha) \\(.repo.full_name) \\(.ref)"': ({ head }) => [head.sha + ' ' + head.repo?.full_name + ' ' + head.ref],
  '.[0] | select(.timestamp < env.WRITTEN_AT).after': ([newest]) =>
    newest && newest.timestamp < process.env.WRITTEN_AT ? [newest.after] : [],
  '.workflow_runs[] | select(.conclusion != "skipped").actor.login': ({ workflow_runs }) =>
    workflow_runs.filter(({ conclusion }) => conclusion !== 'skipped').map(({ actor }) => actor.login),
  '.workflow_runs[] | select(.conclusion != "skipped").id': ({ workflow_runs }) =>
    workflow_runs.filter(({ conclusion }) => conclusion !== 'skipped').map(({ id }) => id),
  '"\\(.head_repository.full_name):\\(.head_branch)"': (run) => [run.head_repository?.full_name + ':' + run.head_branch],
  '.workflow_runs[] | select(.conclusion != "skipped") | "\\(.head_repository.full_name):\\(.head_branch)"': ({ workflow_runs }) =>
    workflow_runs
      .filter(({ conclusion }) => conclusion !== 'skipped')
      .map((run) => run.head_repository?.full_name + ':' + run.head_branch),
  '.[].head.ref | select(startswith("cursor-agent/maintenance-"))': (data) =>
    data.map(({ head }) => head.ref).filter((ref) => ref.startsWith('cursor-agent/maintenance-')),
};

const [command, ...args] = process.argv.slice(2);
if (command !== 'api') fail('the tests do not know gh ' + command);
let path; let method; let jq; let isPaginated = false; let isSilent = false; const fields = {};
for (let at = 0; at < args.length; at += 1) {
  const word = args[at];
  if (word === '--paginate') isPaginated = true;
  else if (word === '--silent') isSilent = true;
  else if (word === '--method') method = args[++at];
  else if (word === '--jq') jq = args[++at];
  else if (word === '-f') {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(args[++at]) ?? fail('a field is name=value');
    fields[name] = value;
  } else if (word.startsWith('-') || path !== undefined) fail('the tests do not know ' + word);
  else path = word;
}
method ??= Object.keys(fields).length > 0 ? 'POST' : 'GET';
let address = new URL(GITHUB_API_URL + '/' + path);
if (method === 'GET') for (const [name, value] of Object.entries(fields)) address.searchParams.set(name, value);
if (isPaginated) address.searchParams.set('per_page', '100');
while (address) {
  const answer = await fetch(address, {
    method,
    headers: { authorization: 'token ' + GH_TOKEN },
    ...(method === 'GET' ? {} : { body: JSON.stringify(fields) }),
  });
  const data = await answer.json();
  if (!answer.ok) fail((data.message ?? 'no message') + ' (HTTP ' + answer.status + ')');
  if (!isSilent && jq === undefined) console.log(JSON.stringify(data));
  if (jq !== undefined && !Object.hasOwn(JQ, jq)) fail('the tests do not know this jq: ' + jq);
  if (jq !== undefined) for (const shown of JQ[jq](data)) console.log(String(shown));
  address = isPaginated ? /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] : undefined;
}
`;
