import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The folder of one run, under the runner's temporary folder and never in the workspace. */
export interface RunFolder {
  root: string;
  /** The agent's own home and temporary folder. */
  home: string;
  temp: string;
  /** What was gathered for the agent to read. */
  context: string;
  /** Our hook and its policy. */
  hook: string;
  /** The socket of the proxy. */
  network: string;
  /** What the isolation needs while it is set up. */
  control: string;
  /** The layer that the agent works on. */
  layer: string;
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
  const folder = pathsBelow(realpathSync(mkdtempSync(join(parent, 'cursor-agent-'))));
  makeAgentFolders(folder);
  return folder;
}

function makeAgentFolders({ home, temp }: RunFolder): void {
  for (const path of [home, temp]) mkdirSync(path, { recursive: true });
}

function pathsBelow(root: string): RunFolder {
  return {
    root,
    home: join(root, 'agent', 'home'),
    temp: join(root, 'agent', 'tmp'),
    context: join(root, 'context'),
    hook: join(root, 'hook'),
    network: join(root, 'network'),
    control: join(root, 'control'),
    layer: join(root, 'layer'),
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

/** Replaces the home and the temporary folder of the agent with empty ones. Returns the path of the earlier home. */
export function renewAgentFolders(folder: RunFolder): string {
  const earlier = join(folder.root, `used-${randomUUID()}`);
  renameSync(join(folder.root, 'agent'), earlier);
  makeAgentFolders(folder);
  return join(earlier, 'home');
}

/** Does something while the agent's home and temporary folder are empty ones. Afterwards the agent's own are back. */
export async function withEmptyFolders<T>(folder: RunFolder, work: () => Promise<T>): Promise<T> {
  const { root } = folder;
  const [agent, kept] = [join(root, 'agent'), join(root, 'agent-kept')];
  renameSync(agent, kept);
  try {
    makeAgentFolders(folder);
    return await work();
  } finally {
    renameSync(agent, join(root, `used-${randomUUID()}`));
    renameSync(kept, agent);
  }
}

/** Writes files by their path below a folder. Only the runner's user can read them. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode: 0o600 });
  }
}
