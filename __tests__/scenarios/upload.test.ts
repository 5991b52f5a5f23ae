import { afterEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { ANSWERS, fakeAgent } from './fake-agent.js';
import { runStep, type StepResult } from './step.js';

const servers: Server[] = [];
const services: ArtifactService[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  services.length = 0;
});

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
};

interface ArtifactService {
  url: string;
  /** The requests for artifacts, and what was uploaded. */
  created: Record<string, unknown>[];
  blobs: string[];
  finalized: object[];
}

/** GitHub's artifact service and its storage, as far as an upload without an archive asks them. */
async function startArtifacts(status = 200, refusal?: string): Promise<ArtifactService> {
  const service: ArtifactService = { url: '', created: [], blobs: [], finalized: [] };
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const answer = (code: number, value: object) =>
        response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (pathname.endsWith('/CreateArtifact')) {
        service.created.push({ ...(JSON.parse(body) as object), token: request.headers.authorization });
        if (refusal !== undefined) return response.writeHead(status).end(refusal);
        answer(status, {
          ok: true,
          signed_upload_url: `${service.url}/account/container/page?sig=signature-canary`,
        });
      } else if (pathname.endsWith('/FinalizeArtifact')) {
        service.finalized.push(JSON.parse(body) as object);
        answer(200, { ok: true, artifact_id: '42' });
      } else {
        // Storage takes a blob only with its length and its kind.
        const { 'content-length': length, 'x-ms-blob-type': kind } = request.headers;
        service.blobs.push(body);
        response.writeHead(Number(length) > 0 && kind === 'BlockBlob' ? 201 : 400).end();
      }
    });
  });
  servers.push(server);
  services.push(service);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return service;
}

const claims = Buffer.from(JSON.stringify({ scp: 'Actions.Results:run-id:job-id' })).toString('base64url');
const TOKEN = `e30.${claims}.signature`;

const runWith = (url: string | undefined, inputs: Record<string, string> = {}): Promise<StepResult> =>
  runStep({
    inputs: {
      'upload-report': 'true',
      prompt: 'Look around.',
      'api-key': 'key_1234567890abcdef',
      isolation: 'off',
      'cli-path': fakeAgent(ANSWERS).path,
      ...inputs,
    },
    env: {
      ...{ ACTIONS_RUNTIME_TOKEN: TOKEN, ACTIONS_RESULTS_URL: url },
      ...{ GITHUB_SERVER_URL: 'http://github.localhost', GITHUB_REPOSITORY: 'octo/repo', GITHUB_RUN_ID: '7' },
      ...{ GITHUB_JOB: 'review (1)', GITHUB_RUN_ATTEMPT: '2' },
    },
  });

const PAGE_URL = 'http://github.localhost/octo/repo/actions/runs/7/artifacts/42';

describe('upload-report', () => {
  it('uploads the page as it is, and links it from the log, the summary, the report and an output', async () => {
    const service = await startArtifacts();
    const { code, outputs, summary, stdout } = await runWith(service.url);
    expect(code).toBe(0);
    expect(outputs.get('report-url')).toBe(PAGE_URL);
    expect(summary).toContain(`[Open the page of this run](${PAGE_URL})`);
    expect(stdout).toContain(`The page of this run, with every tool call: ${PAGE_URL}`);
    expect(JSON.parse(readFileSync(outputs.get('report-file') ?? '', 'utf8'))).toMatchObject({
      pageUrl: PAGE_URL,
    });
    const page = readFileSync(outputs.get('report-html') ?? '', 'utf8');
    expect(service.blobs.join('')).toBe(page);
    const hash = createHash('sha256').update(page).digest('hex');
    expect(service.finalized).toEqual([
      expect.objectContaining({ hash: `sha256:${hash}`, size: String(Buffer.byteLength(page)) }),
    ]);
    expect(stdout).toContain('::add-mask::signature-canary');
    expect(service.created).toEqual([
      expect.objectContaining({
        name: expect.stringMatching(/^cursor-agent-review--1--2-\w+\.html$/),
        mime_type: 'text/html',
        token: `Bearer ${TOKEN}`,
      }),
    ]);
  });

  it('uploads the page of a failed run as well', async () => {
    const service = await startArtifacts();
    const { code, outputs } = await runWith(service.url, { 'cli-path': fakeAgent('process.exit(3);').path });
    expect(code).toBe(1);
    expect(outputs.get('report-url')).toBe(PAGE_URL);
    expect(service.blobs.join('')).toContain('crashed');
  });

  it.each<[string, () => Promise<string | undefined>, RegExp]>([
    ['has no artifact service', () => Promise.resolve(undefined), /ACTIONS_RESULTS_URL is not set/],
    [
      'refuses the upload',
      async () => (await startArtifacts(403, '{"msg": "storage quota has been hit"}')).url,
      /answered 403: storage quota has been hit\./,
    ],
    [
      'is too old for it',
      async () => (await startArtifacts(404, '<html>Not found</html>')).url,
      /answered 404: the server may be too old/,
    ],
    [
      'answers something else',
      async () => (await startArtifacts(200, '<html>Sign in</html>')).url,
      /does not take artifacts of this kind/,
    ],
    [
      'cannot be reached',
      () => Promise.resolve('http://127.0.0.1:9'),
      /was not reached \(.*ECONNREFUSED.*\)/,
    ],
  ])('is a note that says why and no failure if GitHub %s', async (_, url, why) => {
    const { code, outputs, summary, warnings } = await runWith(await url());
    expect(code).toBe(0);
    expect(outputs.get('report-url')).toBe('');
    expect(outputs.get('report-html')).not.toBe('');
    expect(warnings.join('\n')).toMatch(/The page was not uploaded: \S/);
    expect(warnings.join('\n')).toMatch(why);
    expect(summary).toContain('The page was not uploaded:');
    // Nobody waits for a second try.
    expect(services.flatMap(({ created }) => created).length).toBeLessThanOrEqual(1);
  });

  it('uploads nothing if it is told not to', async () => {
    const service = await startArtifacts();
    const { code, summary } = await runWith(service.url, { 'upload-report': 'false' });
    expect({ code, created: service.created }).toEqual({ code: 0, created: [] });
    expect(summary).not.toContain('page was not uploaded');
  });
});
