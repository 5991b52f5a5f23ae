import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Policy } from '../agent/policy.js';
import { messageOf } from '../error-message.js';
import { changedFiles, type Inspection, type Violation } from '../guard/changes.js';
import { findGit } from '../guard/git-program.js';
import { inspectChanges } from '../guard/inspect.js';
import { revertViolations } from '../guard/revert.js';
import { takeSnapshot, type Snapshot } from '../guard/snapshot.js';
import type { Redact } from '../report/redact.js';
import { redactPatch } from '../report/redact-patch.js';
import type { Changes } from '../report/run-record.js';
import type { Workplace } from './workplace.js';

export interface GuardRequest {
  directory: string;
  workspace: string;
  policy: Policy;
  workplace: Workplace;
  /** The PATH that git may be found on. */
  path: string | undefined;
  onViolation: 'fail' | 'revert' | 'warn';
  redact: Redact;
}

export interface WorkspaceGuard {
  /** What has changed since, and whether it was allowed; what was not is put back where that is asked for. */
  inspect(): Changes;
}

/** Looks at the workspace before the agent does anything to it. */
export function guardWorkspace(request: GuardRequest): WorkspaceGuard {
  const { directory, workspace, policy, workplace } = request;
  const untrusted = [workspace, workplace.root, tmpdir()];
  const git = findGit({ platform: process.platform, path: request.path, untrusted });
  if (git === undefined)
    return cannotTell('There is no git on this machine, so what changed cannot be told.');
  try {
    const snapshot = takeSnapshot({ directory, policy, git, folder: join(workplace.root, 'guard') });
    return { inspect: () => inspectSafely(snapshot, request) };
  } catch (error) {
    return cannotTell(
      `The repository could not be read, so what changed cannot be told: ${messageOf(error)}`,
    );
  }
}

const cannotTell = (note: string): WorkspaceGuard => ({
  inspect: () => ({ kind: 'unknown', note, violations: [] }),
});

/** A repository that could be read before and cannot be read now is itself something that must not be. */
function inspectSafely(snapshot: Snapshot, request: GuardRequest): Changes {
  try {
    return inspect(snapshot, request);
  } catch (error) {
    const note = `What the agent changed could not be checked: ${messageOf(error)}`;
    return { kind: 'unknown', note, violations: [note] };
  }
}

function inspect(snapshot: Snapshot, { policy, workplace, onViolation, redact }: GuardRequest): Changes {
  const inspection = inspectChanges(snapshot, { policy, patchFile: workplace.patch });
  if (inspection.kind === 'not-a-repository') {
    const note = `${inspection.directory} is in no git repository, so what changed cannot be told.`;
    return { kind: 'unknown', note, violations: [] };
  }
  const isReverted = onViolation === 'revert' && inspection.violations.length > 0;
  const left = isReverted ? revertViolations(snapshot, inspection) : [];
  const now = isReverted ? inspectChanges(snapshot, { policy, patchFile: workplace.patch }) : inspection;
  const final = now.kind === 'inspected' ? now : inspection;
  if (final.patch.kind === 'written') cleanPatch(final.patch.file, redact);
  return {
    ...describeChanges(final),
    violations: inspection.violations.map((violation) => describeViolation(violation, isReverted)),
    ...(left.length === 0 ? {} : { unreverted: left.map(({ path, reason }) => `${path}: ${reason}`) }),
  };
}

/** What the agent wrote may hold a secret it has seen; the patch is one more place it must not go. */
function cleanPatch(file: string, redact: Redact): void {
  const patch = readFileSync(file);
  const clean = redactPatch(patch, redact);
  if (!clean.equals(patch)) writeFileSync(file, clean);
}

function describeChanges(inspection: Extract<Inspection, { kind: 'inspected' }>) {
  const { changes, patch, omitted } = inspection;
  return {
    kind: 'known' as const,
    paths: changedFiles(inspection),
    files: changes
      .filter(({ ignored }) => !ignored)
      .map(({ path, status, lines }) => ({
        path,
        status,
        ...(lines.kind === 'text' ? { added: lines.added, removed: lines.removed } : {}),
      })),
    ...(patch.kind === 'written' ? { patchFile: patch.file } : {}),
    omitted: omitted.map(({ path, reason }) => `${path}: ${reason}`),
  };
}

const describeViolation = ({ path, reason }: Violation, isReverted: boolean): string =>
  `${path}: ${reason}${isReverted ? ' (put back)' : ''}`;
