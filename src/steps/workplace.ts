import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getState, saveState } from '../runner.js';

/** The folder of one run, under the runner's temporary folder and never in the workspace. */
export interface Workplace {
  root: string;
  /** The agent's own home and temporary folder. */
  home: string;
  temp: string;
  /** What was gathered for the agent to read. */
  context: string;
  /** Where things set aside from the workspace wait. */
  holding: string;
  /** Where a CLI is unpacked. */
  install: string;
  transcript: string;
  result: string;
  report: string;
  html: string;
  patch: string;
  sarif: string;
  rdjson: string;
}

export function openWorkplace(runnerTemp: string | undefined): Workplace {
  const parent = runnerTemp || tmpdir();
  mkdirSync(parent, { recursive: true });
  const place = placesBelow(realpathSync(mkdtempSync(join(parent, 'cursor-agent-'))));
  for (const folder of [place.home, place.temp]) mkdirSync(folder, { recursive: true });
  return place;
}

function placesBelow(root: string): Workplace {
  return {
    root,
    home: join(root, 'agent', 'home'),
    temp: join(root, 'agent', 'tmp'),
    context: join(root, 'context'),
    holding: join(root, 'held'),
    install: join(root, 'install'),
    transcript: join(root, 'transcript.ndjson'),
    result: join(root, 'result.md'),
    report: join(root, 'report.json'),
    html: join(root, 'report.html'),
    patch: join(root, 'changes.patch'),
    sarif: join(root, 'findings.sarif'),
    rdjson: join(root, 'findings.rdjson'),
  };
}

const POST_STATE = 'workplace';

/** From here on the post step knows where to look, should this process be killed. */
export function rememberForPost({ root }: Workplace): void {
  saveState(POST_STATE, root);
}

/** The workplace of the run this is the post step of; nothing if it never came to touch the workspace. */
export function recallForPost(): Workplace | undefined {
  const root = getState(POST_STATE);
  return root === '' ? undefined : placesBelow(root);
}

/** Writes files by their path below a folder, for no one's eyes but ours and the agent's. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode: 0o600 });
  }
}
