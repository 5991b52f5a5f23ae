import { closeSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../core/errors.js';
import type { Hiding, PatchResult } from '../git/change-patch.js';
import { fromText, joinBytes, toBytes, toText, type BytePath } from '../git/paths.js';
import { isCheckFile, isManifest, withOriginalScripts } from './check-files.js';
import type { Inputs } from './inputs.js';
import type { PagePatch } from '../report/diff-view.js';
import { workFailure } from '../report/findings.js';
import type { Changes, Verdict } from '../report/model.js';
import { failure, SUCCESS } from '../report/judge.js';
import {
  canBeApplied,
  type ChangedPath,
  type ChosenChanges,
  type CleanTree,
  type FindKnown,
  type Inspection,
  type Sandbox,
} from '../sandbox/index.js';
import type { LayerChange } from '../permissions/layer-change.js';
import type { Redact } from '../text/redact.js';
import type { RunFolder } from './run-folder.js';
import { failureReason } from './run-state.js';

interface ChangesRequest {
  sandbox: Sandbox;
  inputs: Pick<Inputs, 'onViolation'>;
  runFolder: RunFolder;
  redact: Redact;
  findKnown: FindKnown;
}

/** What the agent changed, before it is decided what is applied. */
export interface FoundChanges {
  violations: string[];
  /** The violations that count whatever `on-violation` says: secrets in the change. */
  secrets: string[];
  /** Whether anything changed, applied or not. */
  hasChanges: boolean;
  /** How many changed files git does not ignore, and how many it does. */
  files: number;
  ignored: number;
  /** The checkout with what a success would apply. */
  openTree(): CleanTree;
  /** The paths of what a success would apply, in the repository. */
  paths(): string[];
  /** For each of these paths, the file with its new content. Undefined if the change removes it. */
  filesAfter(): ReadonlyMap<string, BytePath | undefined>;
  /** The change without what it does to the files of checks (tests, manifests). Undefined if it does not touch them. */
  originals(folder: string): Originals | undefined;
  /** Applies what the verdict allows, and returns what was applied and what was not. */
  applyAllowed(verdict: Verdict): { changes: Changes; verdict: Verdict };
  /** Discards this set of changes; the agent continues. */
  close(): void;
}

/** A change with the original files of checks. */
export interface Originals {
  paths: string[];
  openTree(): CleanTree;
}

/** Changes that were not judged. None of them is applied. */
const unknownChanges = (note: string, violations: string[]): FoundChanges => ({
  violations,
  secrets: [],
  hasChanges: violations.length > 0,
  files: 0,
  ignored: 0,
  close: () => undefined,
  paths: () => [],
  filesAfter: () => new Map(),
  originals: () => undefined,
  openTree() {
    throw new Error('There are no changes to open a tree with.');
  },
  applyAllowed: (verdict) => ({ verdict, changes: { kind: 'unknown', note, violations } }),
});

/** The runner gives a cancelled step only seconds, so its layer is discarded unread. */
export const UNCHECKED = unknownChanges(
  'The agent was stopped early, so its changes were neither checked nor applied.',
  [],
);

/** A layer that cannot be read counts as a violation, because its content is unknown. */
export function findChanges(request: ChangesRequest): FoundChanges {
  try {
    const inspection = request.sandbox.inspect(request.findKnown);
    const files = inspection.changes.length;
    const { ignored } = inspection;
    const success = () => ({
      changes: choose(inspection, request.inputs.onViolation, SUCCESS),
      sourceOf: inspection.sourceOf,
    });
    return {
      violations: inspection.violations.map(reasonLine),
      secrets: inspection.violations.filter(({ isSecret }) => isSecret).map(reasonLine),
      hasChanges: files + ignored > 0,
      files,
      ignored,
      openTree: () => request.sandbox.openCleanTree(success()),
      paths: () => success().changes.map(({ path }) => toText(path)),
      filesAfter: () => {
        const { changes, sourceOf } = success();
        return new Map(
          changes.map((change) => [
            toText(change.path),
            change.after.kind === 'file' ? sourceOf(change) : undefined,
          ]),
        );
      },
      originals: (folder) => findOriginals(success(), { ...request, top: inspection.root, folder }),
      applyAllowed: (verdict) => applyAllowed(inspection, request, verdict),
      close: inspection.close,
    };
  } catch (error) {
    const note = `What the agent changed could not be checked, so nothing of it was applied: ${messageOf(error)}`;
    return unknownChanges(note, [note]);
  }
}

const reasonLine = ({ path, reason }: { path: string; reason: string }): string => `${path}: ${reason}`;

interface OriginalsRequest extends Pick<ChangesRequest, 'sandbox'> {
  /** Where the paths of the changes start. */
  top: string;
  /** Where manifests are written that mix the original and the changed version. */
  folder: string;
}

function findOriginals(
  { changes, sourceOf }: ChosenChanges,
  { sandbox, top, folder }: OriginalsRequest,
): Originals | undefined {
  const paths: string[] = [];
  const mixed = new Map<LayerChange, BytePath>();
  const checkFiles = changes.map(({ path }) => toText(path)).filter(isCheckFile);
  // A link can lead to others in the place of files of checks, or of a folder that has some.
  const isLinkToChecks = (path: string) =>
    isManifest(path) || isCheckFile(`${path}/any`) || checkFiles.some((file) => file.startsWith(`${path}/`));
  const kept = changes.filter((change) => {
    const path = toText(change.path);
    if (isCheckFile(path) || (change.after.kind === 'link' && isLinkToChecks(path))) {
      paths.push(path);
      return false;
    }
    const mix = mixManifest(change, { top, source: sourceOf(change) });
    if (mix === undefined) return true;
    paths.push(path);
    const file = join(folder, String(mixed.size));
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, mix);
    mixed.set(change, fromText(file));
    return true;
  });
  if (paths.length === 0) return undefined;
  const chosen = { changes: kept, sourceOf: (change: LayerChange) => mixed.get(change) ?? sourceOf(change) };
  return { paths: paths.sort(), openTree: () => sandbox.openCleanTree(chosen) };
}

/** A changed manifest with its original scripts. Undefined for other files, and if the scripts did not change. */
function mixManifest(
  { path, before, after }: LayerChange,
  { top, source }: { top: string; source: BytePath },
): string | undefined {
  if (before.kind !== 'file' || after.kind !== 'file' || !isManifest(toText(path))) return undefined;
  const [original, changed] = [joinBytes(fromText(top), path), source].map((file) =>
    readFileSync(toBytes(file), 'utf8'),
  );
  if (original === undefined || changed === undefined) return undefined;
  const mix = withOriginalScripts(toText(path), original, changed);
  return mix === changed ? undefined : mix;
}

function applyAllowed(
  inspection: Inspection,
  request: ChangesRequest,
  verdict: Verdict,
): { changes: Changes; verdict: Verdict } {
  const { sandbox, runFolder, redact } = request;
  const all = [...inspection.allowed, ...inspection.refused];
  const mayShow = (text: string) => redact(text) === text;
  let applied = choose(inspection, request.inputs.onViolation, verdict);
  let finalVerdict = verdict;
  try {
    const { sourceOf } = inspection;
    if (applied.length > 0) sandbox.apply({ changes: applied, sourceOf });
  } catch (error) {
    applied = [];
    finalVerdict = failure(
      'internal',
      `The changes could not be written to the checkout, which is as it was before: ${messageOf(error)}`,
    );
  }
  try {
    const chosen = new Set(applied);
    const write = (changes: readonly LayerChange[], file: string, hiding: Hiding) =>
      patchOrReason(changes, () => inspection.writePatch(changes, file, hiding));
    const patch = write(applied, runFolder.patch, { mayShow });
    const others = all.filter((change) => !chosen.has(change));
    const rejected = write(others, runFolder.rejectedPatch, { mayShow, redact });
    return {
      verdict: finalVerdict,
      changes: {
        kind: 'known',
        files: inspection.changes.map(describe),
        paths: applied.map(({ path }) => toText(path)).sort(),
        applied: chosen.size === all.length ? 'all' : chosen.size === 0 ? 'none' : 'allowed',
        ignored: inspection.ignored,
        ...(patch.file === undefined ? {} : { patchFile: patch.file }),
        ...(rejected.file === undefined ? {} : { rejectedPatchFile: rejected.file }),
        omitted: [...patch.omitted, ...rejected.omitted].map(reasonLine),
        violations: inspection.violations.map(reasonLine),
      },
    };
  } finally {
    inspection.close();
  }
}

/** Even if a patch cannot be written, for example on a full disk, the report says what was applied. */
function patchOrReason(changes: readonly LayerChange[], write: () => PatchResult): PatchResult {
  try {
    return write();
  } catch (error) {
    const reason = `the patch could not be written (${messageOf(error)})`;
    return { omitted: changes.map(({ path }) => ({ path: toText(path), reason })) };
  }
}

/**
 * A failed run leaves the checkout unchanged, except if it failed only for its findings. With `revert`, allowed changes
 * are applied even if there are violations. With `warn`, everything that can be applied is applied; a secret fails the run.
 */
function choose(
  { allowed, refused, violations }: Inspection,
  onViolation: Inputs['onViolation'],
  verdict: Verdict,
): LayerChange[] {
  const hasSecret = new Set(
    violations.flatMap(({ change, isSecret }) => (isSecret ? change : undefined) ?? []),
  );
  if (!workFailure(verdict))
    return onViolation === 'warn'
      ? [...allowed, ...refused.filter((change) => canBeApplied(change) && !hasSecret.has(change.path))]
      : allowed;
  return onViolation === 'revert' && failureReason(verdict) === 'policy-violation' ? allowed : [];
}

const describe = ({ path, status, lines }: ChangedPath) => ({
  path,
  status,
  ...(lines.kind === 'text' ? { added: lines.added, removed: lines.removed } : {}),
});

/** What the page shows of a patch. The whole patch is a file that can be downloaded. */
const MAX_BYTES = 200_000;

/** The beginning of each patch of a run, for the page. */
export function readPatches(changes: Changes | undefined): PagePatch[] {
  if (changes?.kind !== 'known') return [];
  const files = { applied: changes.patchFile, rejected: changes.rejectedPatchFile };
  return (['applied', 'rejected'] as const).flatMap((kind) => {
    const file = files[kind];
    return file === undefined ? [] : [{ kind, ...beginningOf(file) }];
  });
}

/** Whole lines from the beginning of a file. A patch that cannot be read is shown as one that was cut off. */
function beginningOf(path: string): Pick<PagePatch, 'text' | 'isWhole'> {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(MAX_BYTES + 1);
      const read = bytes.subarray(0, readSync(file, bytes));
      const isWhole = read.length <= MAX_BYTES;
      const end = isWhole ? read.length : read.lastIndexOf('\n') + 1;
      return { text: read.toString('utf8', 0, end), isWhole };
    } finally {
      closeSync(file);
    }
  } catch {
    return { text: '', isWhole: false };
  }
}
