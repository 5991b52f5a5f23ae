import { linkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../core/errors.js';

/** The page is for people. Nobody should wait for it longer than this. */
const MOST_MS = 60_000;

/**
 * Uploads the page as an artifact that opens in the browser without unzipping, and returns its address. It never fails
 * the run: where there are no artifacts, the page is still a file, and a note says why.
 */
export async function uploadPage(
  page: string,
  env: NodeJS.ProcessEnv,
): Promise<{ url: string } | { note: string }> {
  const missing = NEEDED.filter((name) => !env[name]);
  if (missing.length > 0) {
    const why = `this runner has no artifacts (${missing.join(', ')} is not set)`;
    return { note: `The page was not uploaded: ${why}.` };
  }
  try {
    const named = nameForArtifact(page, env);
    linkSync(page, named);
    const id = await inTime(uploadFile(named));
    if (id === undefined) return { note: 'The page was not uploaded: GitHub gave it no id.' };
    const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
    return { url: `${server ?? ''}/${repository ?? ''}/actions/runs/${run ?? ''}/artifacts/${id}` };
  } catch (error) {
    return { note: `The page was not uploaded: ${messageOf(error)}` };
  }
}

const NEEDED = [
  ...['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RESULTS_URL'],
  ...['GITHUB_SERVER_URL', 'GITHUB_REPOSITORY', 'GITHUB_RUN_ID'],
];

/**
 * An artifact that is not an archive has the name of its file. The name has to be unique in a run of the workflow: jobs
 * of a matrix have the same id, and a job can be tried again. The folder of this run ends in random letters.
 */
function nameForArtifact(page: string, env: NodeJS.ProcessEnv): string {
  const job = (env['GITHUB_JOB'] ?? 'job').replace(/[^\w-]/g, '-').slice(0, 60);
  const unique = basename(dirname(page)).replace(/^cursor-agent-/, '');
  return join(dirname(page), `cursor-agent-${job}-${env['GITHUB_RUN_ATTEMPT'] ?? '1'}-${unique}.html`);
}

/** Uploads one file as an artifact that is not an archive, and returns the artifact's id. */
async function uploadFile(path: string): Promise<number | undefined> {
  const { DefaultArtifactClient } = await import('@actions/artifact');
  const { id } = await new DefaultArtifactClient().uploadArtifact(basename(path), [path], dirname(path), {
    skipArchive: true,
  });
  return id;
}

function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((done, failed) => {
    const timer = setTimeout(() => {
      failed(new Error(`GitHub did not take it within ${MOST_MS / 1000} seconds.`));
    }, MOST_MS);
    work.then(done, failed).finally(() => {
      clearTimeout(timer);
    });
  });
}
