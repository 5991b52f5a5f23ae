import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The folder of one run, under the runner's temporary folder and never in the workspace. */
export interface Workplace {
  root: string;
  /** The agent's own home and temporary folder. */
  home: string;
  temp: string;
  /** Where things set aside from the workspace wait. */
  holding: string;
  /** Where a CLI is unpacked. */
  install: string;
  transcript: string;
  result: string;
  report: string;
}

export function openWorkplace(runnerTemp: string | undefined): Workplace {
  const parent = runnerTemp || tmpdir();
  mkdirSync(parent, { recursive: true });
  const root = realpathSync(mkdtempSync(join(parent, 'cursor-agent-')));
  const place: Workplace = {
    root,
    home: join(root, 'agent', 'home'),
    temp: join(root, 'agent', 'tmp'),
    holding: join(root, 'held'),
    install: join(root, 'install'),
    transcript: join(root, 'transcript.ndjson'),
    result: join(root, 'result.md'),
    report: join(root, 'report.json'),
  };
  for (const folder of [place.home, place.temp]) mkdirSync(folder, { recursive: true });
  return place;
}

/** Writes files by their path below a folder, for no one's eyes but ours and the agent's. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode: 0o600 });
  }
}
