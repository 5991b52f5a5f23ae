import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { reasonOf } from '../core/errors.js';
import { setSecret } from '../core/runner.js';
import { parseJson } from '../text/json.js';
import { truncate } from '../text/plain-text.js';

/** A file that becomes an artifact by itself, without an archive, so that it opens in the browser. */
interface ArtifactRequest {
  path: string;
  /** With its ending. Unique in a run of the workflow. */
  name: string;
  contentType: string;
  env: NodeJS.ProcessEnv;
}

interface Sent {
  headers: Record<string, string>;
  body: string;
}

/** The service's part of a token's scope: `Actions.Results:<run>:<job>`. */
const ScopeSchema = z.object({ scp: z.string() });
const CreatedSchema = z.object({ ok: z.literal(true), signed_upload_url: z.url() });
const MessageSchema = z.object({ msg: z.string() });
const FinalizedSchema = z.object({
  ok: z.literal(true),
  artifact_id: z.string().check(z.regex(/^\d{1,20}$/)),
});

const SERVICE = 'twirp/github.actions.results.api.v1.ArtifactService';
/** The first version of the service that takes files without an archive. */
const VERSION = 7;
/** A connection on which nothing happens for so long is given up. */
const SILENCE_MS = 20_000;

/**
 * Uploads one file as an artifact, with the three requests that it takes, and returns the artifact's id. The official
 * package would bring 250 others to send them. Nothing is tried again, because the page is also a file.
 */
export async function uploadArtifact({ path, name, contentType, env }: ArtifactRequest): Promise<string> {
  const content = readFileSync(path, 'utf8');
  const token = env['ACTIONS_RUNTIME_TOKEN'] ?? '';
  const [, run, job] = /(?:^| )Actions\.Results:([^: ]+):([^: ]+)/.exec(scopeOf(token)) ?? [];
  if (run === undefined) throw new Error('the token of this runner does not name the run');
  const artifact = { workflow_run_backend_id: run, workflow_job_run_backend_id: job, name };
  const ask = async <T>(method: string, body: object, shape: z.ZodMiniType<T>): Promise<T> => {
    const address = new URL(`/${SERVICE}/${method}`, env['ACTIONS_RESULTS_URL']).href;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await send('POST', address, { headers, body: JSON.stringify(body) });
    const parsed = shape.safeParse(parseJson(answer));
    if (parsed.success) return parsed.data;
    throw new Error(
      `${new URL(address).host} does not take artifacts of this kind; the server may be too old`,
    );
  };
  const wanted = { ...artifact, version: VERSION, mime_type: contentType };
  const { signed_upload_url: target } = await ask('CreateArtifact', wanted, CreatedSchema);
  setSecret(new URL(target).searchParams.get('sig') ?? target);
  const type = { 'content-type': contentType, 'x-ms-blob-content-type': contentType };
  await send('PUT', target, { headers: { ...type, 'x-ms-blob-type': 'BlockBlob' }, body: content });
  const hash = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  const whole = { ...artifact, size: String(Buffer.byteLength(content)), hash };
  return (await ask('FinalizeArtifact', whole, FinalizedSchema)).artifact_id;
}

/** What a JWT allows; empty if the token is none. */
function scopeOf(token: string): string {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
  return ScopeSchema.safeParse(parseJson(claims)).data?.scp ?? '';
}

/** The body of the answer. Any status but success is an error that says who answered what. */
async function send(method: 'POST' | 'PUT', address: string, { headers, body }: Sent): Promise<string> {
  const { HttpClient } = await import('@actions/http-client');
  const client = new HttpClient('cursor-agent-action', [], {
    allowRedirects: false,
    allowRetries: false,
    socketTimeout: SILENCE_MS,
  });
  const server = new URL(address).host;
  try {
    const response = await client.request(method, address, body, headers).catch((error: unknown) => {
      throw new Error(`${server} was not reached (${reasonOf(error)})`, { cause: error });
    });
    const answer = await response.readBody();
    const status = response.message.statusCode ?? 0;
    if (status >= 200 && status < 300) return answer;
    const said = MessageSchema.safeParse(parseJson(answer)).data?.msg ?? '';
    const why = status === 404 ? 'the server may be too old for artifacts of this kind' : said;
    throw new Error(`${server} answered ${status}${why === '' ? '' : `: ${truncate(why, 200)}`}`);
  } finally {
    client.dispose();
  }
}
