import { createHash } from 'node:crypto';
import {
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
import * as z from 'zod';
import { RunFailure } from '../failure.js';
import { messageOf } from '../error-message.js';

/** One thing done to the workspace, with what is needed to undo it. */
const StepSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('moved'), path: z.string(), held: z.string() }),
  z.object({ kind: z.literal('made-folder'), path: z.string() }),
  z.object({ kind: z.literal('made-writable'), path: z.string(), mode: z.number() }),
  z.object({ kind: z.literal('wrote'), path: z.string(), sha256: z.string() }),
]);
const JournalSchema = z.array(StepSchema);
type Step = z.infer<typeof StepSchema>;

export interface Quarantine {
  /** Puts everything back; says what was not as we left it. Calling it again does nothing. */
  restore(): string[];
}

/**
 * Puts our own files into the workspace, and whatever stands in their way aside. Each step is written to a
 * journal before it is taken, so that it can be undone even when this process is killed.
 */
export function placeFiles(
  files: Readonly<Record<string, string>>,
  workspace: string,
  holding: string,
): Quarantine {
  mkdirSync(holding, { recursive: true });
  const journal = join(holding, 'journal.json');
  const steps: Step[] = [];
  const take = (step: Step, action: () => void) => {
    steps.push(step);
    writeFileSync(journal, JSON.stringify(steps));
    action();
  };
  const moveAside = (path: string) => {
    const held = join(holding, String(steps.length));
    take({ kind: 'moved', path, held }, () => {
      move(path, held);
    });
  };
  /** A folder of ours that its mode keeps from being written is opened for as long as it has to be. */
  const makeWritable = (folder: string) => {
    const mode = lstatSync(folder).mode & 0o7777;
    if ((mode & 0o300) === 0o300) return;
    take({ kind: 'made-writable', path: folder, mode }, () => {
      chmodSync(folder, mode | 0o300);
    });
  };
  const place = (name: string, content: string) => {
    const path = join(workspace, name);
    const folder = dirname(path);
    // A link or a file where the folder should be is never followed: it is put aside like any other.
    if (kindOf(folder) === 'other') moveAside(folder);
    if (kindOf(folder) === 'nothing') {
      take({ kind: 'made-folder', path: folder }, () => {
        mkdirSync(folder);
      });
    }
    makeWritable(folder);
    if (kindOf(path) !== 'nothing') moveAside(path);
    take({ kind: 'wrote', path, sha256: sha256(content) }, () => {
      writeFileSync(path, content, { flag: 'wx' });
    });
  };

  const restore = () => {
    const problems = undo(steps.splice(0));
    rmSync(journal, { force: true });
    return problems;
  };
  try {
    for (const [name, content] of Object.entries(files)) place(name, content);
  } catch (error) {
    restore();
    throw new RunFailure('invalid-input', unwritable(workspace, error), { cause: error });
  }
  return { restore };
}

function unwritable(workspace: string, error: unknown): string {
  const reason = messageOf(error);
  return `working-directory: the policy cannot be written into ${workspace}: ${reason}. Make it writable for the runner’s user.`;
}

/** What an earlier process left undone, by its journal; nothing if it put everything back itself. */
export function restoreFromJournal(holding: string): { wasNeeded: boolean; problems: string[] } {
  const journal = join(holding, 'journal.json');
  if (kindOf(journal) === 'nothing') return { wasNeeded: false, problems: [] };
  const problems = undo(JournalSchema.parse(JSON.parse(readFileSync(journal, 'utf8'))));
  rmSync(journal, { force: true });
  return { wasNeeded: true, problems };
}

/** Backwards, each step by itself: one that cannot be undone does not keep the others from it. */
function undo(steps: readonly Step[]): string[] {
  return [...steps].reverse().flatMap((step) => {
    try {
      return undoStep(step);
    } catch (error) {
      return [`${step.path} could not be put back: ${messageOf(error)}`];
    }
  });
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
    case 'moved':
      if (kindOf(step.held) === 'nothing') return [];
      rmSync(step.path, { recursive: true, force: true });
      mkdirSync(dirname(step.path), { recursive: true });
      move(step.held, step.path);
      return [];
  }
}

function removeIfEmpty(folder: string): string[] {
  try {
    rmdirSync(folder);
    return [];
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
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
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
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

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
