import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { messageOf } from '../error-message.js';
import { RunFailure } from '../failure.js';

/** One thing done to the workspace, with what is needed to undo it. */
const StepSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('moved'), path: z.string(), held: z.string() }),
  z.object({ kind: z.literal('made-folder'), path: z.string() }),
  z.object({ kind: z.literal('made-writable'), path: z.string(), mode: z.number() }),
  z.object({ kind: z.literal('wrote'), path: z.string(), sha256: z.string() }),
]);
type Step = z.infer<typeof StepSchema>;

/** What the workspace has to look like while the agent runs; paths are relative to its root. */
export interface Arrangement {
  /** What must not be there. */
  setAside: readonly string[];
  /** What must be there, with this content. */
  files: Readonly<Record<string, string | Buffer>>;
}

/** What was not as it had been left when it was put back. */
export interface Restoration {
  /** What the agent did to files that were ours, or that had been set aside: each a violation. */
  tampered: string[];
  /** What could not be put back. */
  failed: string[];
}

export interface Quarantine {
  /** Puts everything back. Calling it again does nothing. */
  restore(): Restoration;
}

/**
 * Sets aside what must not be seen and puts our own files in place. Each step is written to a journal before it
 * is taken, so that it can be undone even when this process is killed.
 */
export function arrangeWorkspace(arrangement: Arrangement, root: string, holding: string): Quarantine {
  const journal = openJournal(holding);
  const { steps } = journal;
  const restore = () => {
    const restoration = undo(steps.splice(0));
    journal.remove();
    return restoration;
  };
  try {
    for (const name of arrangement.setAside) setAside(journal, join(root, name));
    for (const [name, content] of Object.entries(arrangement.files))
      placeFile(journal, join(root, name), content);
  } catch (error) {
    restore();
    throw new RunFailure('invalid-input', unwritable(root, error), { cause: error });
  }
  return { restore };
}

interface Journal {
  steps: Step[];
  /** A place for something that is set aside. */
  nextHeld(): string;
  /** Writes the step down, then takes it. */
  take(step: Step, action: () => void): void;
  remove(): void;
}

/** One step a line, so that writing the next costs the same however many there are. */
const journalFile = (holding: string): string => join(holding, 'journal.ndjson');

function openJournal(holding: string): Journal {
  mkdirSync(holding, { recursive: true });
  const steps: Step[] = [];
  return {
    steps,
    nextHeld: () => join(holding, String(steps.length)),
    take(step, action) {
      steps.push(step);
      appendFileSync(journalFile(holding), `${JSON.stringify(step)}\n`);
      action();
    },
    remove() {
      rmSync(journalFile(holding), { force: true });
    },
  };
}

function setAside(journal: Journal, path: string): void {
  if (kindOf(path) === 'nothing') return;
  makeWritable(journal, dirname(path));
  const held = journal.nextHeld();
  journal.take({ kind: 'moved', path, held }, () => {
    move(path, held);
  });
}

function placeFile(journal: Journal, path: string, content: string | Buffer): void {
  makeFolder(journal, dirname(path));
  setAside(journal, path);
  makeWritable(journal, dirname(path));
  journal.take({ kind: 'wrote', path, sha256: sha256(content) }, () => {
    writeFileSync(path, content, { flag: 'wx' });
  });
}

/** A link or a file where a folder should be is never followed: it is put aside like any other. */
function makeFolder(journal: Journal, folder: string): void {
  const kind = kindOf(folder);
  if (kind === 'folder') return;
  makeFolder(journal, dirname(folder));
  if (kind === 'other') setAside(journal, folder);
  makeWritable(journal, dirname(folder));
  journal.take({ kind: 'made-folder', path: folder }, () => {
    mkdirSync(folder);
  });
}

/** A folder of ours that its mode keeps from being written is opened for as long as it has to be. */
function makeWritable(journal: Journal, folder: string): void {
  const mode = lstatSync(folder).mode & 0o7777;
  if ((mode & 0o300) === 0o300) return;
  journal.take({ kind: 'made-writable', path: folder, mode }, () => {
    chmodSync(folder, mode | 0o300);
  });
}

function unwritable(root: string, error: unknown): string {
  return `working-directory: the policy cannot be written into ${root}: ${messageOf(error)}. Make it writable for the runner’s user.`;
}

/** What an earlier process left undone, by its journal; nothing if it put everything back itself. */
export function restoreFromJournal(holding: string): Restoration | undefined {
  const file = journalFile(holding);
  if (kindOf(file) === 'nothing') return undefined;
  const restoration = undo(readJournal(readFileSync(file, 'utf8')));
  rmSync(file, { force: true });
  return restoration;
}

/** A line that is cut off, or that nobody can read, is passed over: the other steps are undone all the same. */
function readJournal(text: string): Step[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [StepSchema.parse(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}

/** Backwards, each step by itself: one that cannot be undone does not keep the others from it. */
function undo(steps: readonly Step[]): Restoration {
  const restoration: Restoration = { tampered: [], failed: [] };
  for (const step of [...steps].reverse()) {
    try {
      restoration.tampered.push(...undoStep(step));
    } catch (error) {
      restoration.failed.push(`${step.path} could not be put back: ${messageOf(error)}`);
    }
  }
  return restoration;
}

function undoStep(step: Step): string[] {
  switch (step.kind) {
    case 'wrote': {
      const isOurs = kindOf(step.path) === 'other' && isUnchanged(step);
      rmSync(step.path, { recursive: true, force: true });
      return isOurs
        ? []
        : [`${step.path}, which the action had written, was changed or removed by the agent`];
    }
    case 'made-folder':
      return removeIfEmpty(step.path);
    case 'made-writable':
      chmodSync(step.path, step.mode);
      return [];
    case 'moved': {
      if (kindOf(step.held) === 'nothing') return [];
      const isTaken = kindOf(step.path) !== 'nothing';
      rmSync(step.path, { recursive: true, force: true });
      mkdirSync(dirname(step.path), { recursive: true });
      move(step.held, step.path);
      return isTaken ? [`${step.path}, which was set aside, was written anew by the agent`] : [];
    }
  }
}

function removeIfEmpty(folder: string): string[] {
  try {
    rmdirSync(folder);
    return [];
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return [];
    if (code === 'ENOTEMPTY' || code === 'EEXIST')
      return [`${folder} was left in place: the agent wrote into it`];
    throw error;
  }
}

function isUnchanged(step: { path: string; sha256: string }): boolean {
  return lstatSync(step.path).isFile() && sha256(readFileSync(step.path)) === step.sha256;
}

/** A rename keeps every byte, mode and time; only across file systems is a copy needed. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    rmSync(from, { recursive: true, force: true });
  }
}

/** Looks without following links: a link counts as `other`, wherever it leads. */
function kindOf(path: string): 'nothing' | 'folder' | 'other' {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return 'nothing';
  return stat.isDirectory() ? 'folder' : 'other';
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
