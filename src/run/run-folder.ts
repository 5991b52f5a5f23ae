import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type RunFolder = ReturnType<typeof openRunFolder>;

/** The folder of one run, under the runner's temporary folder and never in the workspace. */
export function openRunFolder(runnerTemp: string | undefined) {
  const parent = runnerTemp || tmpdir();
  mkdirSync(parent, { recursive: true });
  const root = realpathSync(mkdtempSync(join(parent, 'cursor-agent-')));
  return {
    root,
    /** What was gathered for the agent to read. */
    context: join(root, 'context'),
    /** The sandbox, in which the agent works. */
    sandbox: join(root, 'sandbox'),
    /** Where it is tried what this machine can do. */
    probe: join(root, 'probe'),
    /** Repositories of our own, for private git commands. */
    git: join(root, 'git'),
    /** The unpacked CLI. */
    install: join(root, 'install'),
    transcript: join(root, 'transcript.ndjson'),
    result: join(root, 'result.md'),
    report: join(root, 'report.json'),
    html: join(root, 'report.html'),
    patch: join(root, 'changes.patch'),
    rejectedPatch: join(root, 'rejected.patch'),
    sarif: join(root, 'findings.sarif'),
    rdjson: join(root, 'findings.rdjson'),
  };
}
