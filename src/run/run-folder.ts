import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder of one run, under the runner's temporary folder and never in the workspace. */
export interface RunFolder {
  root: string;
  /** What was gathered for the agent to read. */
  context: string;
  /** The sandbox, in which the agent works. */
  sandbox: string;
  /** Where it is tried what this machine can do. */
  probe: string;
  /** Repositories of our own, for private git commands. */
  git: string;
  /** The unpacked CLI. */
  install: string;
  transcript: string;
  result: string;
  report: string;
  html: string;
  patch: string;
  rejectedPatch: string;
  sarif: string;
  rdjson: string;
}

export function openRunFolder(runnerTemp: string | undefined): RunFolder {
  const parent = runnerTemp || tmpdir();
  mkdirSync(parent, { recursive: true });
  return pathsBelow(realpathSync(mkdtempSync(join(parent, 'cursor-agent-'))));
}

function pathsBelow(root: string): RunFolder {
  return {
    root,
    context: join(root, 'context'),
    sandbox: join(root, 'sandbox'),
    probe: join(root, 'probe'),
    git: join(root, 'git'),
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
